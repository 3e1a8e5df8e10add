// Renames that need no model: what changes and what does not, in each language.
#include "workspace/edit/edit_rename.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <sstream>
#include <utility>

#include "languages/languages.h"
#include "tests/kit/case_files.h"
#include "workspace/documents/document.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

// In tests/cases/renames the title is "INSTRUCTION", with ": WHY" behind it or without; what is
// given is a text with "^" for the cursor, if there is one; what comes of it are the lines that
// change ("3| text"), with the reason below those that are doubtful ("?| reason"), or "the model is
// asked".
struct RenameCase {
  explicit RenameCase(const FileCase& each)
      : instruction(each.title.substr(0, each.title.find(':'))), text(each.given) {
    const std::size_t mark = text.find('^');
    if (mark == std::string::npos) return;
    text.erase(mark, 1);
    cursor = mark;
  }

  std::string instruction, text;
  std::optional<std::size_t> cursor = {};
};

// Whether the second hunk begins in the line in which the first one ends.
bool share_line(const std::string& text, const Hunk& first, const Hunk& second) {
  const std::size_t end = first.edit.range.end;
  return end > 0 && text[end - 1] != '\n' && text.find('\n', end) >= second.edit.range.begin;
}

// The lines that hunks change, which share one if there are several.
std::string lines_of(const std::string& text, std::span<const Hunk> hunks) {
  const std::size_t begin = hunks.front().edit.range.begin;
  std::size_t at = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
  std::string lines;
  for (const Hunk& hunk : hunks) {
    lines += text.substr(at, hunk.edit.range.begin - at) + hunk.edit.new_text;
    at = hunk.edit.range.end;
  }
  if (!lines.ends_with('\n')) lines += text.substr(at, text.find('\n', at) - at);
  return lines;
}

std::string described(const RenameCase& sample, const std::optional<EditResult>& result) {
  if (!result) return "the model is asked\n";
  std::string all;
  const std::vector<Hunk>& hunks = result->hunks;
  for (std::size_t i = 0, next = 0; i < hunks.size(); i = next) {
    for (next = i + 1; next < hunks.size(); ++next) {
      if (!share_line(sample.text, hunks[next - 1], hunks[next])) break;
    }
    const auto begin = static_cast<std::ptrdiff_t>(hunks[i].edit.range.begin);
    auto line = 1 + std::count(sample.text.begin(), sample.text.begin() + begin, '\n');
    std::istringstream lines(lines_of(sample.text, std::span(hunks).subspan(i, next - i)));
    for (std::string text; std::getline(lines, text);)
      all += std::to_string(line++) + "| " + text + "\n";
    const auto is_here = [&](int edit) {
      return std::cmp_less_equal(i, edit) && std::cmp_less(edit, next);
    };
    for (const Doubt& doubt : result->doubts) {
      if (doubt.edits.size() < hunks.size() && std::ranges::any_of(doubt.edits, is_here))
        all += "?| " + doubt.reason + "\n";
    }
  }
  for (const Doubt& doubt : result->doubts) {
    if (doubt.edits.size() == hunks.size()) all += "?| all: " + doubt.reason + "\n";
  }
  return all;
}

EditRequest request_for(const RenameCase& sample, const std::string& language) {
  EditRequest request;
  request.document = *Document::make("file:///a", 1, sample.text, language);
  request.instruction = sample.instruction;
  if (sample.cursor) {
    request.range = {*sample.cursor, *sample.cursor};
    request.scope = EditScope::kAuto;
  }
  return request;
}

class InEachLanguage : public testing::TestWithParam<fs::path> {};

TEST_P(InEachLanguage, RenamesByScopes) {
  const std::string language = GetParam().stem();
  expect_cases(GetParam(), [&](const FileCase& each) {
    const RenameCase sample(each);
    const EditRequest request = request_for(sample, language);
    return described(sample, carry_out_without_model(request, *decide_without_model(request)));
  });
}

INSTANTIATE_TEST_SUITE_P(Renames, InEachLanguage,
                         testing::ValuesIn(case_files(REDRAFT_RENAME_CASES)),
                         [](const auto& file) { return file.param.stem().string(); });

std::string refusal_of(const std::string& instruction, const std::string& text,
                       const std::string& language) {
  FileCase each;
  each.title = instruction;
  each.given = text;
  const EditRequest request = request_for(RenameCase(each), language);
  const Result<FirstDecision> decided = decide_without_model(request);
  return decided ? "" : decided.error().message();
}

// The text with the new name and, behind it, the reasons for doubts.
std::string renamed(const std::string& instruction, const std::string& text,
                    const std::string& language) {
  FileCase each;
  each.title = instruction;
  each.given = text;
  const RenameCase sample(each);
  const auto rename = find_rename(request_for(sample, language));
  if (!rename) return "the model is asked";
  std::string result = sample.text;
  for (std::size_t i = rename->edits.size(); i-- > 0;) {
    const TextEdit& edit = rename->edits[i];
    result.replace(edit.range.begin, edit.range.size(), edit.new_text);
  }
  for (const Doubt& doubt : rename->doubts) result += "? " + doubt.reason;
  return result;
}

TEST(Renames, FollowTheFirstIterableOfAComprehension) {
  EXPECT_EQ(renamed("rename xs to ys", "def f(x^s): return [xs for xs in xs]\n", "python"),
            "def f(ys): return [xs for xs in ys]\n");
}

TEST(Renames, FollowTypesInQuotes) {
  EXPECT_EQ(renamed("rename Box to Bin", "class Bo^x:\n    next: 'Box'\n", "python"),
            "class Bin:\n    next: 'Bin'\n");
}

TEST(Renames, FollowFieldsToTheArgumentsThatSetThem) {
  EXPECT_EQ(renamed("rename n to m", "@define\nclass Box:\n    n^: int\nBox(n=1)\n", "python"),
            "@define\nclass Box:\n    m: int\nBox(m=1)\n");
}

TEST(Renames, FollowComponentsToTheirAccessors) {
  EXPECT_EQ(renamed("rename n to m", "record A(int n^) { int f() { return n(); } }\n", "java"),
            "record A(int m) { int f() { return m(); } }\n");
}

TEST(Renames, KnowTheTypesThatDeclarationsName) {
  EXPECT_EQ(renamed("rename n to m", "class A { int n^; int f(A a) { return a.n; } }\n", "java"),
            "class A { int m; int f(A a) { return a.m; } }\n");
}

TEST(Renames, DoubtWhatWouldBecomeAnotherThing) {
  EXPECT_EQ(
      renamed("rename n to m", "class A { int m; int f(int n^) { return n + m; } }\n", "java"),
      "class A { int m; int f(int m) { return m + m; } }\n"
      "? 'm' is the name of something else there already");
}

TEST(Renames, RefuseANameThatIsNotThere) {
  const std::string text = "def sub(a):\n    return a  # an amount\n";
  EXPECT_EQ(refusal_of("rename Sub to add", text, "python"),
            "there is no 'Sub' in this file; did you mean 'sub'?");
  EXPECT_EQ(refusal_of("rename the function sbu to add", text, "python"),
            "there is no 'sbu' in this file; did you mean 'sub'?");
  EXPECT_EQ(refusal_of("rename frobnicate to add", text, "python"),
            "there is no 'frobnicate' in this file");
  EXPECT_EQ(refusal_of("rename sub to add and missing to there", text, "python"),
            "there is no 'missing' in this file");
  EXPECT_EQ(refusal_of("read_file -> load_text", text, "python"),
            "there is no 'read_file' in this file");
  EXPECT_EQ(refusal_of("rename readFile to load", "def read_file(): pass\n", "python"),
            "there is no 'readFile' in this file; did you mean 'read_file'?");
}

TEST(Renames, RefuseANameThatIsNotThereInEveryLanguage) {
  for (const Language* language : languages()) {
    if (!language->is_code()) continue;
    const std::string id(language->id());
    EXPECT_EQ(refusal_of("rename amount to cost", "price(item)\n", id),
              "there is no 'amount' in this file")
        << id;
  }
  EXPECT_EQ(refusal_of("rename Amount to cost", "the amount due\n", "plaintext"),
            "there is no 'Amount' in this file; did you mean 'amount'?");
  EXPECT_EQ(refusal_of("rename count to total", "<?php $count = 1;\n", "php"), "");
  EXPECT_EQ(refusal_of("rename count to total", "echo $count\n", "shellscript"), "");
}

TEST(Renames, RefuseANameThatIsNotInTheSelection) {
  EditRequest request;
  request.document = *Document::make("file:///a.py", 1, "a = 1\nb = 2\n", "python");
  request.instruction = "rename b to c";
  request.range = {0, 5};
  request.scope = EditScope::kSelection;
  const Result<FirstDecision> decided = decide_without_model(request);
  ASSERT_FALSE(decided);
  EXPECT_EQ(decided.error().message(), "there is no 'b' in the selected lines");
  request.cursor = 0;  // the lines are the region around the cursor
  EXPECT_TRUE(decide_without_model(request));
}

TEST(Renames, LeaveDescriptionsAndOtherChangesToTheModel) {
  const std::string text = "def f(n):\n    return 'foo'\n";
  for (const char* instruction :
       {"rename it to total", "rename the parameter of f to count", "rename the argument to total",
        "rename foo to bar in strings", "rename missing to there and add a docstring",
        "replace tabs with spaces", "change loops to comprehensions"})
    EXPECT_EQ(refusal_of(instruction, text, "python"), "") << instruction;
}

TEST(Renames, RefuseAKeywordOfTheLanguage) {
  EXPECT_EQ(refusal_of("rename count to class", "count = 1\n", "python"),
            "cannot rename 'count' to 'class': that is a keyword of python; choose another name");
  EXPECT_NE(refusal_of("rename count to fn", "fn f() { let count = 1; }\n", "rust"), "");
  EXPECT_NE(refusal_of("rename count to delete", "let count = 1\n", "javascript"), "");
}

// A program with a function `f` and its parameter `kind`, and words that may not be its name.
struct Reserved {
  const char* language;
  const char* text;
  std::vector<const char*> words;
};

TEST(Renames, RefuseAKeywordInEachLanguage) {
  const std::string script = "function f(kind) { return kind; }\n";
  const std::vector<Reserved> all = {
      {"python",
       "def f(kind):\n    return kind\n",
       {"class", "None", "True", "async", "__debug__"}},
      {"javascript", script.c_str(), {"class", "let", "static", "await", "eval", "arguments"}},
      {"typescript", script.c_str(), {"enum", "interface", "package", "yield"}},
      {"typescriptreact", script.c_str(), {"function", "implements"}},
      {"go", "package a\nfunc f(kind int) int { return kind }\n", {"type", "range", "func", "_"}},
      {"rust", "fn f(kind: u8) -> u8 { kind }\n", {"type", "self", "crate", "dyn", "_"}},
      {"java", "class A { int f(int kind) { return kind; } }\n", {"class", "goto", "true", "_"}},
      {"csharp", "class A { int F(int kind) => kind; }\n", {"class", "base", "string"}},
      {"c", "int f(int kind) { return kind; }\n", {"register", "_Bool", "nullptr"}},
      {"cpp", "int f(int kind) { return kind; }\n", {"class", "and", "xor_eq", "char8_t"}},
      {"scala", "def f(kind: Int) = kind\n", {"type", "given", "object"}},
      {"kotlin", "fun f(kind: Int) = kind\n", {"object", "val", "when"}},
      {"swift", "func f(kind: Int) -> Int { kind }\n", {"func", "guard", "Self"}},
      {"zig", "fn f(kind: u8) u8 {\n    return kind;\n}\n", {"comptime", "orelse", "_"}},
      {"lua", "local function f(kind) return kind end\n", {"end", "nil", "repeat"}},
      {"ruby", "def f(kind)\n  kind\nend\n", {"class", "self", "unless"}},
      {"shellscript", "kind=1\necho $kind\n", {"if", "done"}},
      {"php", "<?php function kind() { return 1; }\n", {"class", "echo"}}};
  for (const Reserved& each : all) {
    for (const std::string word : each.words) {
      EXPECT_EQ(refusal_of("rename kind to " + word, each.text, each.language),
                "cannot rename 'kind' to '" + word + "': that is a keyword of " + each.language +
                    "; choose another name");
    }
  }
  for (const Language* language : languages()) {
    const bool is_listed = std::ranges::any_of(
        all, [&](const Reserved& each) { return find_language(each.language) == language; });
    EXPECT_TRUE(is_listed || !language->has_grammar() || language->keywords->empty())
        << "add a case for " << language->id();
  }
}

TEST(Renames, RefuseWhatIsNoName) {
  EXPECT_EQ(refusal_of("rename count to 2x", "count = 1\n", "python"),
            "cannot rename 'count' to '2x': that is not a name in python; choose another name");
  EXPECT_NE(refusal_of("rename count to a-b", "let count = 1\n", "javascript"), "");
  EXPECT_NE(refusal_of("rename count to 2x", "local count = 1\n", "lua"), "");
  EXPECT_NE(refusal_of("rename f to r#crate", "fn f() {}\n", "rust"), "");
  EXPECT_EQ(refusal_of("rename f to r#type", "fn f() {}\n", "rust"), "");
  EXPECT_EQ(refusal_of("rename n to @class", "class A { int n; }\n", "csharp"), "");
  EXPECT_EQ(refusal_of("rename n to größe", "n = 1\n", "python"), "");
  EXPECT_EQ(refusal_of("rename red to red-1", "a { color: red }\n", "css"), "");
}

TEST(Renames, AllowWhatIsNoKeywordThere) {
  EXPECT_EQ(refusal_of("rename count to fn", "count = 1\n", "python"), "");
  EXPECT_EQ(refusal_of("rename count to match", "count = 1\n", "python"),
            "");  // in some places only
  EXPECT_EQ(refusal_of("rename count to class", "count 1\n", "plaintext"), "");
  EXPECT_EQ(refusal_of("rename kind to class", "<?php $kind = 1;\n", "php"), "");
  EXPECT_EQ(refusal_of("rename n to final", "int n = 1;\n", "cpp"), "");
  EXPECT_EQ(refusal_of("rename f to len", "package a\nfunc f() {}\n", "go"), "");
}

TEST(Renames, AllowAKeywordAsAMemberWhereTheLanguageDoes) {
  const std::string text = "class Store { remove() {} }\nfunction f() {}\n";
  EXPECT_EQ(refusal_of("rename remove to delete", text, "javascript"), "");
  EXPECT_NE(refusal_of("rename f to delete", text, "javascript"), "");
  EXPECT_NE(refusal_of("rename remove to delete", "class Store { void remove() {} };\n", "cpp"),
            "");
}

}  // namespace
}  // namespace redraft
