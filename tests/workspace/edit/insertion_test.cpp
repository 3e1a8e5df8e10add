#include "workspace/edit/insertion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/kit/scripted_engine.h"
#include "text/strings/blank_text.h"
#include "text/strings/lines.h"
#include "workspace/edit/edit_decision.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

struct Outcome {
  std::string text;
  std::vector<std::string> reasons;
};

// "▮" in `text` is the cursor, on a line of its own that is otherwise blank.
EditRequest request_at(std::string text, const std::string& language,
                       const std::string& instruction) {
  const std::string mark = "▮";
  const std::size_t at = text.find(mark);
  text.erase(at, mark.size());
  EditRequest request;
  request.document = *Document::make("file:///a", 1, text, language);
  request.instruction = instruction;
  request.range = ByteRange{at, at};
  request.scope = EditScope::kAuto;
  request.decoder = *parse_decoder_name("redraft");
  request.model_renames = true;
  return request;
}

// How many blank lines stand somewhere is a matter of taste.
std::string without_blank_lines(const std::string& text) {
  std::string result;
  for (const std::string_view line : split_lines(text)) {
    if (!is_blank_text(line)) result += std::string(line) + "\n";
  }
  return result;
}

Outcome edit(const std::string& text, const std::string& language, const std::string& answer,
             const std::string& instruction = "add it") {
  const auto engine =
      scripted_engine([&](const ScriptedPrompt& prompt) { return answer + prompt.fence; });
  std::vector<Hunk> seen;
  const EditObserver observer{.on_hunk = [&](const Hunk& hunk) { seen.push_back(hunk); },
                              .on_replaced = [&](const std::vector<Hunk>& all) { seen = all; }};
  const EditRequest request = request_at(text, language, instruction);
  const Result<EditResult> result = run_edit(*engine, request, observer, {});
  EXPECT_TRUE(result) << result.error().message();
  if (!result) return {};
  EXPECT_EQ(apply_edits(request.document->text(), edits_of(seen)), result->text);
  Outcome outcome{.text = without_blank_lines(result->text), .reasons = {}};
  for (const Doubt& doubt : result->doubts) outcome.reasons.push_back(doubt.reason);
  return outcome;
}

// Two definitions, what a new one between them is, and a line that the second gets.
struct Sample {
  const char* language;
  const char* first;
  const char* second;
  const char* added;
  const char* second_with_more;
};

const Sample kSamples[] = {
    {"python", "def first(a):\n    return a + 1\n", "def second(b):\n    return b + 2\n",
     "def added(c):\n    return c + 3\n",
     "def second(b):\n    \"\"\"Second.\"\"\"\n    return b + 2\n"},
    {"javascript", "function first(a) {\n  return a + 1;\n}\n",
     "function second(b) {\n  return b + 2;\n}\n", "function added(c) {\n  return c + 3;\n}\n",
     "function second(b) {\n  check(b);\n  return b + 2;\n}\n"},
    {"go", "func first(a int) int {\n\treturn a + 1\n}\n",
     "func second(b int) int {\n\treturn b + 2\n}\n",
     "func added(c int) int {\n\treturn c + 3\n}\n",
     "func second(b int) int {\n\tcheck(b)\n\treturn b + 2\n}\n"},
    {"rust", "fn first(a: u8) -> u8 {\n    a + 1\n}\n", "fn second(b: u8) -> u8 {\n    b + 2\n}\n",
     "fn added(c: u8) -> u8 {\n    c + 3\n}\n",
     "fn second(b: u8) -> u8 {\n    check(b);\n    b + 2\n}\n"},
    {"c", "int first(int a) {\n  return a + 1;\n}\n", "int second(int b) {\n  return b + 2;\n}\n",
     "int added(int c) {\n  return c + 3;\n}\n",
     "int second(int b) {\n  check(b);\n  return b + 2;\n}\n"},
    {"ruby", "def first(a)\n  a + 1\nend\n", "def second(b)\n  b + 2\nend\n",
     "def added(c)\n  c + 3\nend\n", "def second(b)\n  check b\n  b + 2\nend\n"},
    {"lines", "func first(a: Int) -> Int {\n    return a + 1\n}\n",
     "func second(b: Int) -> Int {\n    return b + 2\n}\n",
     "func added(c: Int) -> Int {\n    return c + 3\n}\n",
     "func second(b: Int) -> Int {\n    check(b)\n    return b + 2\n}\n"},
};

TEST(Insertion, WhatItRepeatsBelowIsCutOff) {
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(sample.language);
    const std::string first = sample.first, second = sample.second, added = sample.added;
    const std::string text = first + "\n▮\n\n" + second;
    const std::string wanted = first + added + second;
    EXPECT_EQ(edit(text, sample.language, added).text, wanted);
    EXPECT_EQ(edit(text, sample.language, added + "\n" + second).text, wanted);
    EXPECT_EQ(edit(text, sample.language, added + "\n\n" + second).text, wanted);
    // Only its first line.
    EXPECT_EQ(
        edit(text, sample.language, added + "\n\n" + second.substr(0, second.find('\n') + 1)).text,
        wanted);
  }
}

TEST(Insertion, WhatItRepeatsAboveIsCutOff) {
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(sample.language);
    const std::string first = sample.first, second = sample.second, added = sample.added;
    const std::string text = first + "\n▮\n\n" + second;
    EXPECT_EQ(edit(text, sample.language, first + "\n" + added).text, first + added + second);
  }
}

// The lines below again, with one more: the line goes where it belongs.
TEST(Insertion, ALineWithinTheRepeatedOnesGoesThere) {
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(sample.language);
    const std::string first = sample.first, second = sample.second;
    EXPECT_EQ(edit(first + "\n▮\n" + second, sample.language, sample.second_with_more).text,
              first + sample.second_with_more);
  }
}

TEST(Insertion, NothingButNeighboursIsNone) {
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(sample.language);
    const std::string first = sample.first, second = sample.second;
    for (const std::string& answer : {second, first, first + "\n" + second})
      EXPECT_EQ(edit(first + "\n▮\n" + second, sample.language, answer).text, first + second);
  }
}

// A new method may begin like the one below, and brackets and lone words stand anywhere.
TEST(Insertion, WhatIsOnlyAlikeStays) {
  EXPECT_EQ(edit("class A:\n    x = 1\n▮\n    @property\n    def w(self):\n        return 1\n",
                 "python", "    @property\n    def area(self):\n        return 2\n\n")
                .text,
            "class A:\n    x = 1\n    @property\n    def area(self):\n        return 2\n    "
            "@property\n    def w(self):\n        return 1\n");
  EXPECT_EQ(edit("void f() {\n  a();\n▮\n}\n", "lines", "  if (b) {\n    c();\n  }\n").text,
            "void f() {\n  a();\n  if (b) {\n    c();\n  }\n}\n");
  EXPECT_EQ(edit("if(A)\n  foo()\n▮\nendif()\n", "lines", "if(B)\n  bar()\nendif()\n").text,
            "if(A)\n  foo()\nif(B)\n  bar()\nendif()\nendif()\n");
}

TEST(Insertion, SortedNeighboursTakeTheirPlace) {
  const std::string text = "\"\"\"Doc.\"\"\"\n▮\nimport sys\nimport abc\nimport os\n\nx = 1\n";
  const std::string wanted = "\"\"\"Doc.\"\"\"\nimport abc\nimport os\nimport sys\nx = 1\n";
  // Asked for new lines, the model sorts those below.
  EXPECT_EQ(edit(text, "python", "import abc\nimport os\nimport sys\n", "tidy up").text, wanted);
  // Some of them: nothing new.
  EXPECT_EQ(edit(text, "python", "import abc\nimport sys\n", "tidy up").text,
            "\"\"\"Doc.\"\"\"\nimport sys\nimport abc\nimport os\nx = 1\n");
}

struct ImportSample {
  const char* language;
  const char* head;
  const char* imports;
};

const ImportSample kImports[] = {
    {"python", "\"\"\"Doc.\"\"\"\n", "import sys\nimport abc\n"},
    {"javascript", "// Doc.\n", "import b from './b';\nimport a from './a';\n"},
    {"typescript", "// Doc.\n", "import b from './b';\nimport a from './a';\n"},
    {"java", "package p;\n", "import b.B;\nimport a.A;\n"},
    {"go", "package p\n", "import \"os\"\nimport \"fmt\"\n"},
    {"rust", "//! Doc.\n", "use std::fs;\nuse std::env;\n"},
    {"cpp", "// Doc.\n", "#include <vector>\n#include <string>\n"},
    {"csharp", "// Doc.\n", "using B;\nusing A;\n"},
    {"lines", "// Doc.\n", "import UIKit\nimport Foundation\n"},
};

TEST(Insertion, TheImportsNextToABlankLineAreMeantToBeSorted) {
  for (const ImportSample& sample : kImports) {
    SCOPED_TRACE(sample.language);
    const std::string head = sample.head, imports = sample.imports;
    std::string filler;  // a small file is edited as a whole
    for (int i = 0; i < 40; ++i) filler += "x\n";
    for (const bool is_above : {true, false}) {
      const std::string text =
          (is_above ? head + "▮\n" + imports + "\n" : head + "\n" + imports + "▮\n") + filler;
      for (const EditScope scope : {EditScope::kAuto, EditScope::kAround}) {
        EditRequest request = request_at(text, sample.language, "sort the imports");
        request.scope = scope;
        const Result<EditRegion> region = requested_region(request, 60);
        ASSERT_TRUE(region);
        EXPECT_EQ(region->text(), imports) << is_above;
      }
      const EditRequest other = request_at(text, sample.language, "add a function");
      EXPECT_NE(requested_region(other, 60)->text(), imports);
    }
  }
}

TEST(Insertion, ADescriptionIsForTheDefinitionBelow) {
  const std::string method = "    def b(self):\n        return 2\n";
  const std::string text = "class A:\n    def a(self):\n        return 1\n▮\n" + method;
  for (const char* instruction : {"add a docstring", "document this"}) {
    const Result<EditRegion> region =
        requested_region(request_at(text, "python", instruction), 10'000);
    EXPECT_EQ(region->text(), method) << instruction;
  }
  EXPECT_TRUE(is_insertion(*requested_region(request_at(text, "python", "add a method"), 10'000)));
  // At the top of a class.
  EXPECT_TRUE(is_insertion(*requested_region(
      request_at("class A:\n▮\n" + method, "python", "add a docstring"), 10'000)));
  EXPECT_EQ(edit(text, "python", "    def b(self):\n        \"\"\"B.\"\"\"\n        return 2\n",
                 "add a docstring")
                .text,
            "class A:\n    def a(self):\n        return 1\n    def b(self):\n        "
            "\"\"\"B.\"\"\"\n        return 2\n");
}

}  // namespace
}  // namespace redraft
