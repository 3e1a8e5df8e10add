#include "workspace/next_edit/name_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/strings/lines.h"
#include "workspace/documents/open_documents.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Names {
 public:
  explicit Names(std::string text, std::string language = "python") : language_(language) {
    EXPECT_TRUE(documents_.open(kUri, 1, std::move(text), language_));
  }
  void open(const std::string& uri, std::string text) {
    EXPECT_TRUE(documents_.open(uri, 1, std::move(text), language_));
  }
  // Replaces the nth occurrence of `from`, from 0.
  void replace(const std::string& from, const std::string& to, int nth = 0) {
    const std::string& text = documents_.find(kUri)->text();
    std::size_t begin = text.find(from);
    for (; nth > 0; --nth) begin = text.find(from, begin + 1);
    ASSERT_NE(begin, std::string::npos) << from;
    ASSERT_TRUE(documents_.change(kUri, ++version_, {TextEdit{{begin, begin + from.size()}, to}}));
  }
  NameChanges changes() const { return NameChanges(documents_.recent_changes()); }
  // "LINE: TEXT" of each line, from 0, that follows.
  std::vector<std::string> left() const {
    std::vector<std::string> lines;
    const TreeEdits found = changes().uses_left({});
    for (const TextEdit& edit : found.edits) {
      int line = found.document->lines().line_of(edit.range.begin);
      for (const std::string_view each : split_lines(edit.new_text))
        lines.push_back(std::to_string(line++) + ": " + std::string(each));
    }
    return lines;
  }
  // Whether nothing may follow in this line, from 0.
  bool is_about_others(int line, const std::string& uri = kUri) const {
    const auto document = documents_.find(uri);
    const std::size_t begin = document->lines().start(line);
    const std::size_t end = document->lines().content_end(line);
    return changes().is_about_others(*document, begin, document->text().substr(begin, end - begin));
  }
  // Whether the line, with each `from` replaced, changes what the user did not.
  bool changes_others(int line, const std::string& from, const std::string& to,
                      const std::string& uri = kUri) const {
    const auto document = documents_.find(uri);
    TextEdit edit{{document->lines().start(line), document->lines().start(line + 1)}, {}};
    edit.new_text = document->text().substr(edit.range.begin, edit.range.size());
    for (std::size_t at = 0; (at = edit.new_text.find(from, at)) != std::string::npos;)
      edit.new_text.replace(at, from.size(), to), at += to.size();
    return changes().changes_others(*document, edit);
  }

  static constexpr const char* kUri = "file:///project/a";

 private:
  OpenDocuments documents_;
  std::string language_;
  std::int64_t version_ = 1;
};

struct Case {
  const char *language, *text;
  const char *from, *to;  // what the user replaces
  const char *old_name, *new_name;
  std::vector<std::string> left;  // what follows
  std::vector<int> others;        // lines that are about other things
};

// The variable of one function is renamed where it is declared. Another has one of that name.
TEST(NameChanges, OnlyUsesOfTheSameVariableFollow) {
  const Case cases[] = {
      {"python",
       "def g(xs):\n    count = 0\n    return count\n\n\ndef f(xs):\n    count = 0\n    for x in "
       "xs:\n"
       "        count += x\n    return count\n",
       "f(xs):\n    count",
       "f(xs):\n    total",
       "count",
       "total",
       {"8:         total += x", "9:     return total"},
       {1, 2}},
      {"javascript",
       "function b(xs) {\n  let sum = 0;\n  return sum;\n}\nfunction a(xs) {\n  let sum = 0;\n"
       "  for (const x of xs) sum += x;\n  return { sum };\n}\n",
       "a(xs) {\n  let sum",
       "a(xs) {\n  let total",
       "sum",
       "total",
       {"6:   for (const x of xs) total += x;", "7:   return { sum: total };"},
       {1, 2}},
      {"typescript",
       "function b(n: number) {\n  const half = n / 2;\n  return half;\n}\nfunction a(n: number) "
       "{\n"
       "  const half = n / 2;\n  return half + half;\n}\n",
       "a(n: number) {\n  const half",
       "a(n: number) {\n  const part",
       "half",
       "part",
       {"6:   return part + part;"},
       {1, 2}},
      {"typescriptreact",
       "function B({ text }: P) {\n  return <p>{text}</p>;\n}\nfunction A(text: string) {\n"
       "  return <p>{text}</p>;\n}\n",
       "A(text",
       "A(label",
       "text",
       "label",
       {"4:   return <p>{label}</p>;"},
       {0, 1}},
      {"go",
       "package a\n\nfunc A(path string) error {\n\t_, err := os.Stat(path)\n\treturn err\n}\n\n"
       "func B(path string) error {\n\t_, err := os.Stat(path)\n\treturn err\n}\n",
       "A(path",
       "A(file",
       "path",
       "file",
       {"3: \t_, err := os.Stat(file)"},
       {7, 8}},
      {"rust",
       "fn a(n: u32) -> u32 {\n    let half = n / 2;\n    println!(\"{}\", half);\n    half\n}\n\n"
       "fn b(n: u32) -> u32 {\n    let half = n / 2;\n    half\n}\n",
       "let half",
       "let part",
       "half",
       "part",
       {"2:     println!(\"{}\", part);", "3:     part"},
       {7, 8}},
      {"java",
       "class A {\n  int a(int n) {\n    int half = n / 2;\n    return half;\n  }\n  int b(int n) "
       "{\n"
       "    int half = n / 2;\n    return half;\n  }\n}\n",
       "int half",
       "int part",
       "half",
       "part",
       {"3:     return part;"},
       {6, 7}},
      {"c",
       "int a(int n) {\n  int half = n / 2;\n  return half;\n}\nint b(int n) {\n  int half = n / "
       "2;\n"
       "  return half;\n}\n",
       "int half",
       "int part",
       "half",
       "part",
       {"2:   return part;"},
       {5, 6}},
      {"cpp",
       "int a(int n) {\n  auto half = n / 2;\n  return half;\n}\nint b(int n) {\n  auto half = n;\n"
       "  return half;\n}\n",
       "auto half",
       "auto part",
       "half",
       "part",
       {"2:   return part;"},
       {5, 6}},
      {"csharp",
       "class A {\n  int F(int n) {\n    var half = n / 2;\n    return half;\n  }\n  int G(int n) "
       "{\n"
       "    var half = n;\n    return half;\n  }\n}\n",
       "var half",
       "var part",
       "half",
       "part",
       {"3:     return part;"},
       {6, 7}},
      {"scala",
       "object A {\n  def f(n: Int): Int = {\n    val half = n / 2\n    half + 1\n  }\n"
       "  def g(n: Int): Int = {\n    val half = n\n    half\n  }\n}\n",
       "val half",
       "val part",
       "half",
       "part",
       {"3:     part + 1"},
       {6, 7}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.language);
    Names names(each.text, each.language);
    names.replace(each.from, each.to);
    EXPECT_EQ(names.left(), each.left);
    for (const int line : each.others) {
      EXPECT_TRUE(names.is_about_others(line)) << line;
      EXPECT_TRUE(names.changes_others(line, each.old_name, each.new_name)) << line;
    }
    for (const std::string& follows : each.left)
      EXPECT_FALSE(names.changes_others(std::stoi(follows), each.old_name, each.new_name));
  }
}

TEST(NameChanges, WhatFollowedAlreadyIsDone) {
  Names names("def f(xs):\n    count = 0\n    a(count)\n    b()\n    b(count)\n");
  names.replace("count = 0", "total = 0");
  names.replace("a(count)", "a(total)");
  EXPECT_THAT(names.left(), ElementsAre("4:     b(total)"));
  names.replace("b(count)", "b(total)");
  EXPECT_THAT(names.left(), IsEmpty());
}

TEST(NameChanges, ANameThatIsReplacedWhereItIsUsedIsNoRename) {
  Names names("def f(count, total):\n    a(count)\n    b(count)\n");
  names.replace("a(count)", "a(total)");
  EXPECT_THAT(names.left(), IsEmpty());
  EXPECT_FALSE(names.is_about_others(2)) << "the same variable is used there";
}

TEST(NameChanges, WhatIsDeclaredAnewUnderTheOldNameIsAnotherThing) {
  Names names("function f(a) {\n  const data = a.read();\n  return data;\n}\n", "javascript");
  names.replace("const data = a.read();", "const raw = a.read();");
  EXPECT_THAT(names.left(), ElementsAre("2:   return raw;"));
  names.replace("a.read();\n", "a.read();\n  const data = parse(raw);\n");
  EXPECT_THAT(names.left(), IsEmpty());
}

TEST(NameChanges, ANameThatIsTakenDoesNotFollow) {
  Names names("def f(total):\n    count = 0\n    return count + total\n");
  names.replace("count = 0", "total = 0");
  EXPECT_THAT(names.left(), IsEmpty());
}

TEST(NameChanges, AFunctionIsRenamedInItsFileAndMayBeInOthers) {
  Names names(
      "def load(path):\n    return path\n\n\nload(1)\n\n\ndef g(load):\n    return load(2)\n");
  names.open("file:///project/b", "from a import load\n\nload(3)\n\n\ndef h(load):\n    load(4)\n");
  names.open("file:///project/c", "def load(x):\n    return load(x)\n");
  names.replace("def load", "def read");
  EXPECT_THAT(names.left(), ElementsAre("4: read(1)"));
  EXPECT_TRUE(names.is_about_others(8));
  EXPECT_FALSE(names.is_about_others(2, "file:///project/b"));
  EXPECT_TRUE(names.is_about_others(6, "file:///project/b"));
  EXPECT_TRUE(names.changes_others(1, "load", "read", "file:///project/c")) << "it is its own";
}

TEST(NameChanges, AVariableIsNotKnownInOtherFiles) {
  Names names("def f():\n    count = 0\n    return count\n");
  names.open("file:///project/b", "print(count)\n");
  names.replace("count = 0", "total = 0");
  EXPECT_TRUE(names.is_about_others(0, "file:///project/b"));
}

TEST(NameChanges, AMembersNameInObjectsOfOtherTypesStays) {
  Names names(
      "interface User {\n  name: string;\n}\n\nconst file = { name: 'b' };\n"
      "function f(name: string) {\n  return name;\n}\nclass Box {\n  name = '';\n}\n",
      "typescript");
  names.replace("name: string", "title: string");
  for (const int line : {4, 5, 6, 9}) {
    EXPECT_TRUE(names.is_about_others(line)) << line;
    EXPECT_TRUE(names.changes_others(line, "name", "title")) << line;
  }
}

TEST(NameChanges, AMembersOwnUsesFollow) {
  Names python(
      "class A:\n    def __init__(self):\n        self.count = 0\n\n    def f(self):\n"
      "        return self.count\n\n\nclass B:\n    def __init__(self):\n        self.count = 1\n");
  python.replace("self.count = 0", "self.total = 0");
  EXPECT_THAT(python.left(), ElementsAre("5:         return self.total"));
  EXPECT_TRUE(python.is_about_others(10));
  Names java(
      "class A {\n  int count;\n  int f() { return count; }\n}\nclass B {\n  int count;\n"
      "  int f() { return count; }\n}\n",
      "java");
  java.replace("int count", "int total");
  EXPECT_THAT(java.left(), ElementsAre("2:   int f() { return total; }"));
  EXPECT_TRUE(java.is_about_others(6));
}

TEST(NameChanges, CommentsFollowWhereTheVariableIsKnown) {
  Names names(
      "def f():\n    count = 0  # the count\n    # count\n\n\ndef g():\n    # count\n    pass\n");
  names.replace("count = 0", "total = 0");
  EXPECT_FALSE(names.is_about_others(2));
  EXPECT_TRUE(names.is_about_others(6));
}

TEST(NameChanges, AUserWhoRenamesTwoThingsAlikeMayRenameOthers) {
  Names names("def f():\n    count = 0\n    return count\n\n\n" + std::string(12, '\n') +
              "def g():\n    count = 0\n    return count\n\n\n" + std::string(12, '\n') +
              "def h():\n    count = 0\n    return count\n");
  names.replace("count = 0", "total = 0");
  const int last = 2 * 17 + 1;
  EXPECT_TRUE(names.is_about_others(last));
  names.replace("count = 0", "total = 0");
  EXPECT_FALSE(names.is_about_others(last));
}

TEST(NameChanges, ALanguageWhoseNamesAreNotFollowedHasNone) {
  Names names("local count = 0\nprint(count)\n", "lua");
  names.replace("count = 0", "total = 0");
  EXPECT_THAT(names.left(), IsEmpty());
  EXPECT_FALSE(names.is_about_others(1));
  EXPECT_FALSE(names.changes_others(1, "count", "total"));
}

TEST(NameChanges, KeywordsAndNumbersAreNoNames) {
  Names names("let a = 1;\nlet b = 1;\n", "javascript");
  names.replace("let a = 1", "const a = 2");
  EXPECT_FALSE(names.changes().has("let", "const"));
  EXPECT_FALSE(names.changes().has("1", "2"));
}

TEST(NameChanges, LineEndingsStay) {
  Names names("def f():\r\n    count = 0\r\n    return count\r\n");
  names.replace("count = 0", "total = 0");
  const TreeEdits found = names.changes().uses_left({});
  ASSERT_EQ(found.edits.size(), 1U);
  EXPECT_EQ(found.edits[0].new_text, "    return total\r\n");
}

TEST(NameChanges, WhatIsUnwantedIsLeftOut) {
  Names names("def f():\n    count = 0\n    a(count)\n    b()\n    return count\n");
  names.replace("count = 0", "total = 0");
  const TreeEdits found = names.changes().uses_left([](const Document&, const TextEdit& edit) {
    return edit.new_text.find("a(") != std::string::npos;
  });
  ASSERT_EQ(found.edits.size(), 1U);
  EXPECT_EQ(found.edits[0].new_text, "    return total\n");
}

}  // namespace
}  // namespace redraft
