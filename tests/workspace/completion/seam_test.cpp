#include "workspace/completion/seam.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "workspace/completion/completion_shape.h"

namespace redraft {
namespace {

// What is shown of `written` at "|" of `marked`.
std::string shown(std::string marked, std::string_view written,
                  std::string_view language = "python") {
  const std::size_t offset = marked.find('|');
  marked.erase(offset, 1);
  const CursorText around{std::string_view(marked).substr(0, offset),
                          std::string_view(marked).substr(offset)};
  const CompletionShape shape = completion_shape(marked, offset, language);
  CompletionLimit limit(shape, around);
  if (limit.add(written)) limit.finish();
  return trimmed_completion(limit.text(), around, shape.before_line);
}

struct Case {
  const char *language, *marked, *written, *shown;
};

void check(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    EXPECT_EQ(shown(each.marked, each.written, each.language), each.shown)
        << each.language << ": " << each.marked << "\n"
        << each.written;
  }
}

TEST(Seam, TagsThatTheTextHasNotOpenedStayAsTheyAre) {
  check({
      {"html", "<p>|</p>\n", "Text</p>\n", "Text"},
      {"html", "<li><a href=\"/x\">|</a></li>\n", "Home</a></li>\n", "Home"},
      {"html", "<li><a href=\"/x\">|</a></li>\n", "A <b>new</b> page</a>\n", "A <b>new</b> page"},
      {"html", "<td>|</td>\n", "{{ user.name }}</td>\n", "{{ user.name }}"},
      {"html", "<td>|</td>\n", "1</td><td>2</td>\n", "1"},
      {"html", "<p>It's |</p>\n", "Ann's turn</p>\n", "Ann's turn"},
      {"html", "<title>|</title>\n<h1>Bread</h1>\n", "Bread</h1>\n", "Bread"},
      {"html", "<p>|</p>\n", "One<br>two</p>\n", "One<br>two"},
      {"html", "<p>|</p>\n", "One<br/>two</", "One<br/>two"},
      {"xml", "<version>|</version>\n", "1.0</version>\n", "1.0"},
      {"xml", "<a:name>|</a:name>\n", "x</a:name>\n", "x"},
      {"vue", "<span>|</span>\n", "{{ count }}</span>\n", "{{ count }}"},
      {"svelte", "<b>|</b>\n", "{name}</b>\n", "{name}"},
      {"javascriptreact", "  <li key={i}>|</li>\n", "{item.name}</li>\n", "{item.name}"},
      {"typescriptreact", "return <h1>Hello, |</h1>;\n", "{name}!</h1>;\n", "{name}!"},
      {"typescriptreact", "return <>|</>;\n", "<A />{b}</>;\n", "<A />{b}"},
      {"typescriptreact", "<B onClick={() => f()}>|</B>\n", "Save</B>\n", "Save"},
      {"php", "<b><?= $a ?>|</b>\n", " and</b>\n", " and"},
      {"markdown", "<summary>|</summary>\n", "More</summary>\n", "More"},
      {"ruby", "  <%= f do %>|</div>\n", "x</div>\n", "x"},
  });
}

TEST(Seam, ATagThatTheDocumentLacksIsClosed) {
  check({
      {"html", "<p>text|\n", " more</p>\n", " more</p>"},
      {"html", "<div><div>|</div>\n", "a</div>\n", "a</div>"},
      {"html", "<ul>\n  <li>a|\n</ul>\n", "b</li>\n", "b</li>"},
      {"html", "<ul>\n  <li>|\n</ul>\n", "b</li></ul>\n", "b</li>"},
      {"python", "x = '<b>' + name + |\n", "'</b>'\n", "'</b>'"},
  });
}

TEST(Seam, WithinAWordNothingIsWrittenTwice) {
  check({
      {"go", "\tfmt.Pri|ntln(\"hi\")\n", "ntln(\"hi\")\n", ""},
      {"go", "\tfmt.Pri|ntln(\"hi\")\n", "ntln(\"", ""},
      {"go", "\tfmt.Pri|ntln(\"hi\")\n", "ntf(\"hi\")\n", ""},
      {"python", "result += pri|ce\n", "ce\n", ""},
      {"python", "result += pri|ce\n", "ce * count\n", ""},
      {"python", "result += pri|ce\n", " + tax\n", ""},
      {"java", "int x = get|Name();\n", "FirstName();\n", "First"},
      {"rust", "let n = user_|name;\n", "first_name;\n", "first_"},
      {"markdown", "a wor|d in prose\n", "d in", ""},
  });
}

TEST(Seam, TheRestOfTheArgumentsIsNotRepeated) {
  check({
      {"python", "os.makedirs(\"out\", |, exist_ok=True)\n", "exist_ok=True)\n", ""},
      {"python", "os.makedirs(\"out\", |, exist_ok=True)\n", "0o755, exist_ok=True)\n", "0o755"},
      {"python", "os.makedirs(\"out\", |, exist_ok=True)\n", "0o755, exist_ok=False)\n", "0o755"},
      {"python", "os.makedirs(\"out\"|, exist_ok=True)\n", ", 0o755, exist_ok=True)\n", ", 0o755"},
      {"python", "return len|(items)\n", "(set(items))\n", ""},
      {"python", "return len|(items)\n", "(items)\n", ""},
      {"java", "return Math.max(|, height);\n", "width, height) * 2;\n", "width"},
      {"go", "\treturn f(a, |, c)\n", "b, c)\n", "b"},
      {"go", "\treturn f(a, |, c)\n", "b)\n", "b"},
      {"rust", "    f(a, |, c);\n", "b, c);\n", "b"},
      {"c", "  f(a, |, c);\n", "g(b), c);\n", "g(b)"},
      {"cpp", "  f<A, |>(c);\n", "B>(c);\n", "B"},
      {"csharp", "  f(a, |, c);\n", "b, c);\n", "b"},
      {"javascript", "  f(a, |, { c });\n", "b, { c });\n", "b"},
      {"typescript", "  f(`/${|}`, { a: 1 });\n", "id}`, { a: 1 });\n", "id"},
      {"kotlin", "  f(a, |, c)\n", "b, c)\n", "b"},
      {"ruby", "  f(a, |, c: 1)\n", "b, c: 1)\n", "b"},
      {"lua", "  f(a, |, c)\n", "b, c)\n", "b"},
      {"php", "  f($a, |, $c);\n", "$b, $c);\n", "$b"},
      {"python", "p = {\"x\": 1, |, \"z\": 3}\n", "\"y\": 2, \"z\": 3}\n", "\"y\": 2"},
      {"python", "p = [|, 3]\n", "1, 2]\n", "1, 2"},
      {"python", "f(g(a|)\n", ", b)", ", b)"},
  });
}

TEST(Seam, TheRestOfALoopIsNotRepeated) {
  check({
      {"javascript", "for (let i = 0; |; i++) {\n", "i < n; i++) {\n", "i < n"},
      {"c", "for (int i = 0; i < |; i++) {\n", "n; i++) {\n", "n"},
      {"java", "for (String s : |) {\n", "names) {\n", "names"},
      {"go", "\tfor i := 0; |; i++ {\n", "i < n; i++ {\n", "i < n"},
      {"rust", "    for x in | {\n", "xs.iter() {\n", "xs.iter()"},
      {"python", "for | in items:\n", "item in items:\n", "item"},
      {"python", "y = [x for x in | if x]\n", "xs if x]\n", "xs"},
      {"python", "y = [x for x in | if x]\n", "xs]\n", "xs"},
      {"bash", "for f in |; do\n", "*.txt; do\n", "*.txt"},
      {"lua", "for i = 1, | do\n", "#t do\n", "#t"},
      {"python", "if x |:\n", "> 0:\n", "> 0"},
      {"typescript", "class A |{\n", "extends B {\n", "extends B "},
  });
}

TEST(Seam, StringsEndOnce) {
  check({
      {"html", "<img src=\"|\" alt=\"Logo\">\n", "/logo.png\" width=\"2\" alt=\"Logo\">\n",
       "/logo.png"},
      {"html", "<a href=\"|\">x</a>\n", "/about\">\n", "/about"},
      {"python", "log(\"saving |\", path)\n", "to %s\", path)\n", "to %s"},
      {"python", "log('it |', path)\n", "is', path)\n", "is"},
      {"python", "log(f\"{|}\", path)\n", "name}\", path)\n", "name"},
      {"python", "x = [\"a\", |\"c\"]\n", "\"b\", ", "\"b\", "},
      {"python", "x = [\"a\", |, \"c\"]\n", "\"b\"", "\"b\""},
      {"rust", "fn f<'a>(x: &'a str, |) {\n", "y: &'a str) {\n", "y: &'a str"},
  });
}

// What is no repetition stays.
TEST(Seam, TextThatLeadsOverToTheRestStays) {
  check({
      {"python", "x = [|foo(a), foo(b)]\n", "foo(c), ", "foo(c), "},
      {"python", "f(|self.a, self.b)\n", "self.c, ", "self.c, "},
      {"python", "y = |x + 1\n", "x * 2 + ", "x * 2 + "},
      {"javascript", "q|.find()\n", ".all()", ".all()"},
      {"python", "f(x|, b)\n", ", a", ", a"},
      {"python", "if | and b:\n", "a", "a"},
      {"python", "return |x\n", "not ", "not "},
      {"python", "return |x\n", "y", ""},
      {"python", "return |x\n", "self.", "self."},
      {"javascript", "return |Name()\n", "get", "get"},
      {"python", "f(|)\n", "a, ", "a,"},
      {"markdown", "The | dog\n", "brown", "brown"},
  });
}

TEST(Seam, AFenceIsClosedOnce) {
  const char* block = "```sh\n|\n```\n\nIt prints them.\n";
  check({
      {"markdown", block, "python3 main.py\n```\n\nOr:\n\n```sh\nmake\n", "python3 main.py"},
      {"markdown", block, "python3 main.py\n```", "python3 main.py"},
      {"markdown", block, "```\n", ""},
      {"markdown", "~~~\n|\n~~~\n", "a\n~~~\nb\n", "a"},
      {"markdown", "Run:\n|\n```\n", "```sh\nmake\n```\nor\n", "```sh\nmake\n```\nor"},
      {"html", "<ul>\n|\n</ul>\n", "<li>a</li>\n</ul>\n<p>b</p>\n", "<li>a</li>"},
      {"cpp", "f(a,\n|\n);\n", "b\n);\ng();\n", "b"},
  });
}

TEST(Seam, KnowsWhatATextHasOpened) {
  EXPECT_TRUE(closes_unopened("a)"));
  EXPECT_FALSE(closes_unopened("(a)"));
  EXPECT_FALSE(closes_unopened("')'"));
  EXPECT_TRUE(closes_unopened("<b>x</b></i>"));
  EXPECT_FALSE(closes_unopened("<b>x<br></b>"));
  EXPECT_FALSE(closes_unopened("<T>(a: T) => a"));
  EXPECT_TRUE(closes_unopened("make\n```"));
  EXPECT_FALSE(closes_unopened("```\nmake\n```"));
}

}  // namespace
}  // namespace redraft
