// Large files in languages without a grammar: how they are divided, and what is chosen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/kit/scripted_engine.h"
#include "text/strings/lines.h"
#include "workspace/edit/edit_parts.h"
#include "workspace/edit/edit_places.h"
#include "workspace/edit/line_blocks.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A language as what stands above, one unit with "#" for its number, what stands between two, and
// what stands below.
struct Sample {
  const char* name;
  const char* above;
  const char* unit;
  const char* between;
  const char* below;
};

const Sample kSamples[] = {
    {"swift", "import Foundation\n\n",
     "/// Number #.\nstruct Shape# {\n    let side#: Int\n\n    func area#(scale: Int) -> Int {\n"
     "        guard scale > 0 else { return 0 }\n        return side# * side# * scale\n    }\n}\n",
     "\n", ""},
    {"kotlin", "package shapes\n\n",
     "class Shape#(val side#: Int) {\n    fun area#(scale: Int): Int {\n        if (scale < 1) {\n"
     "            return 0\n        }\n        return side# * scale\n    }\n}\n",
     "\n", ""},
    {"dart", "import 'dart:math';\n\n",
     "class Shape# {\n  final int side#;\n  Shape#(this.side#);\n\n  int area#(int scale) {\n"
     "    return side# * scale;\n  }\n}\n",
     "\n", ""},
    {"terraform", "terraform {\n  required_version = \"1.5\"\n}\n\n",
     "resource \"store_bucket\" \"area#\" {\n  name = \"area-#\"\n\n  tags = {\n"
     "    side# = \"one\"\n  }\n}\n",
     "\n", ""},
    {"scala", "package shapes\n\n",
     "object Shape# {\n  def area#(side#: Int): Int = {\n    val twice = side# * 2\n    twice * 2\n"
     "  }\n}\n",
     "\n", ""},
    {"elixir", "",
     "defmodule Shape# do\n  def area#(side#) do\n    twice = side# * 2\n\n    twice * 2\n  "
     "end\nend\n",
     "\n", ""},
    {"zig", "const std = @import(\"std\");\n\n",
     "pub fn area#(side#: u32) u32 {\n    var twice = side#;\n    twice += side#;\n"
     "    return twice * 2;\n}\n",
     "\n", ""},
    {"no blank lines", "",
     "// Number #.\nfn area#(side#: u32) u32 {\n    const twice = side# + side#;\n    if (twice > "
     "9) {\n"
     "        return 9;\n    } else {\n        return twice;\n    }\n}\n",
     "", ""},
    {"braces below", "",
     "[Shape]\nint area#(int side#)\n{\n    int twice = side# + side#;\n\n    return twice * "
     "2;\n}\n",
     "\n", ""},
    {"members of one", "class Shapes {\n\n",
     "  /**\n   * Number #.\n   */\n  int area#(int side#) {\n    int twice = side# + side#;\n\n"
     "    return twice * 2;\n  }\n",
     "\n", "}\n"},
    {"vue", "<template>\n  <div>\n",
     "    <section class=\"s#\">\n      <h2>{{ side# }}</h2>\n      <button "
     "@click=\"area#\">Area</button>\n"
     "    </section>\n",
     "\n", "  </div>\n</template>\n"},
    {"sql", "BEGIN;\n\n",
     "CREATE TABLE area# (\n    id INTEGER PRIMARY KEY,\n    side# INTEGER NOT NULL,\n"
     "    note TEXT\n);\n",
     "\n", "COMMIT;\n"},
    {"proto", "syntax = \"proto3\";\n\n",
     "message area# {\n  string name = 1;\n  int32 side# = 2;\n}\n", "\n", ""},
    {"shell", "#!/bin/sh\n\n",
     "area#() {\n\tside#=$1\n\tif [ \"$side#\" -gt 9 ]; then\n\t\techo 9\n\tfi\n\techo "
     "\"$side#\"\n}\n",
     "\n", ""},
    {"paragraphs", "A title\n\n",
     "The area# is what is left of side#, and\nnobody has measured it so far, because\n"
     "it is nowhere near the other ones.\n",
     "\n", ""},
};

std::string numbered(std::string text, int number) {
  for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at))
    text.replace(at, 1, std::to_string(number));
  return text;
}

std::string text_of(const Sample& sample, int n_units) {
  std::string text = sample.above;
  for (int i = 1; i <= n_units; ++i)
    text += (i > 1 ? sample.between : "") + numbered(sample.unit, i);
  return text + sample.below;
}

EditRegion file_of(const std::string& text, const std::string& language = "lines") {
  return *EditRegion::make(*Document::make("file:///a.lines", 1, text, language), EditScope::kFile,
                           {});
}

std::string lines_of(const EditRegion& file, const LineWindow& lines) {
  std::string text;
  for (int line = lines.first; line < lines.last; ++line)
    text += std::string(file.lines()[static_cast<std::size_t>(line)]) + "\n";
  return text;
}

constexpr int kUnits = 140;

TEST(LargeFiles, EveryUnitIsAPartInEveryLanguage) {
  for (const Sample& sample : kSamples) {
    const EditRegion file = file_of(text_of(sample, kUnits));
    for (const std::size_t max_bytes : {std::size_t{870}, std::size_t{3000}, std::size_t{6900}}) {
      SCOPED_TRACE(std::string(sample.name) + ", " + std::to_string(max_bytes));
      const std::vector<EditPart> parts = divide_into_parts(file, max_bytes);
      for (int i = 1; i <= kUnits; ++i) {
        const std::string unit = numbered(sample.unit, i);
        const auto part = std::ranges::find_if(
            parts, [&](const EditPart& one) { return lines_of(file, one.lines) == unit; });
        ASSERT_NE(part, parts.end()) << unit;
      }
    }
  }
}

std::vector<Sample> with_grammar() {
  return {
      kSamples[0],
      kSamples[1],
      kSamples[3],
      {"zig", "const std = @import(\"std\");\n\n",
       "pub fn area#(side: u32) u32 {\n    log(side);\n    return side * #;\n}\n", "\n", ""},
      {"vue", "<script setup>\nimport a from 'a'\n\n",
       "function area#(side) {\n  log(side);\n  return side * #;\n}\n", "\n",
       "</script>\n\n<template>\n  <p>one</p>\n</template>\n"},
      {"svelte", "<script>\n  let n = 0;\n\n",
       "  function area#(side) {\n    log(side);\n    return side * #;\n  }\n", "\n",
       "</script>\n\n<p>one</p>\n"},
  };
}

// The name of a part is the one that the syntax tree has, or within a script of a component the
// one that its lines have.
TEST(LargeFiles, EveryUnitIsAPartWithItsNameInLanguagesWithAGrammar) {
  for (const Sample& sample : with_grammar()) {
    SCOPED_TRACE(sample.name);
    const EditRegion file = file_of(text_of(sample, kUnits), sample.name);
    ASSERT_NE(file.document().syntax(), nullptr);
    const std::vector<EditPart> parts = divide_into_parts(file, 3000);
    for (int i = 1; i <= kUnits; ++i) {
      const std::string unit = numbered(sample.unit, i);
      const auto part = std::ranges::find_if(
          parts, [&](const EditPart& one) { return lines_of(file, one.lines) == unit; });
      ASSERT_NE(part, parts.end()) << unit;
      EXPECT_THAT(part->name, HasSubstr(std::to_string(i)));
    }
  }
}

// A model that changes nothing, and what it is asked to rewrite.
struct Outcome {
  std::vector<std::string> asked;
  ChosenPlaces places;
  std::string text;
};

Outcome edit(const std::string& text, const std::string& instruction,
             const std::string& language = "lines") {
  Outcome outcome;
  const auto engine = scripted_engine([&](const ScriptedPrompt& prompt) {
    if (prompt.fence.empty()) return std::string("1\n");
    const std::size_t end = prompt.text.rfind(prompt.fence + "\n\nInstruction:");
    const std::string opening = prompt.fence + language + "\n";
    const std::size_t begin = prompt.text.rfind(opening, end) + opening.size();
    outcome.asked.push_back(prompt.text.substr(begin, end - begin));
    return outcome.asked.back() + prompt.fence;
  });
  EditRequest request;
  request.document = *Document::make("file:///a.lines", 1, text, language);
  request.instruction = instruction;
  request.scope = EditScope::kPlaces;
  request.decoder = *parse_decoder_name("redraft");
  const EditObserver observer{
      .on_places = [&](const ChosenPlaces& places) { outcome.places = places; }};
  const Result<EditResult> result = run_edit(*engine, request, observer, {});
  EXPECT_TRUE(result) << result.error().message();
  if (result) outcome.text = result->text;
  return outcome;
}

TEST(LargeFiles, TheUnitThatIsNamedIsEditedAndNoOther) {
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(sample.name);
    const std::string text = text_of(sample, kUnits);
    for (const char* instruction :
         {"rename the parameter of area30 to count", "make area30 return 0 instead of throwing",
          "Let area30 print each side", "area 30 should be larger"}) {
      const Outcome outcome = edit(text, instruction);
      EXPECT_THAT(outcome.asked, ElementsAre(numbered(sample.unit, 30))) << instruction;
      EXPECT_EQ(outcome.text, text);
    }
  }
}

// The same where a syntax tree says what the units are; a component has them in its script, too.
TEST(LargeFiles, TheUnitThatIsNamedIsEditedInLanguagesWithAGrammar) {
  for (const Sample& sample : with_grammar()) {
    SCOPED_TRACE(sample.name);
    const std::string text = text_of(sample, kUnits);
    for (const char* instruction :
         {"make area30 return 0 instead of throwing", "Let area30 print each side"}) {
      const Outcome outcome = edit(text, instruction, sample.name);
      EXPECT_THAT(outcome.asked, ElementsAre(numbered(sample.unit, 30))) << instruction;
      EXPECT_EQ(outcome.text, text);
    }
  }
}

// "Go 33" is a text of the file, not a name.
TEST(LargeFiles, AWordWithANumberIsAPhrase) {
  std::string text = "<div>\n";
  for (int i = 1; i <= 120; ++i)
    text += numbered("  <p class=\"p#\">\n    <button @click=\"go#\">Go #</button>\n  </p>\n\n", i);
  text += "</div>\n";
  for (const char* instruction :
       {"disable the button Go 33", "disable the button 'Go 33'", "hide \"Go 33\""}) {
    const Outcome outcome = edit(text, instruction);
    ASSERT_EQ(outcome.asked.size(), 1) << instruction;
    EXPECT_THAT(outcome.asked[0], HasSubstr(">Go 33<"));
  }
}

TEST(LargeFiles, ALongParagraphIsCutWhereALongOneOfACursorIs) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "value " + std::to_string(i) + "\n";
  for (const EditPart& part : divide_into_parts(file_of(text), 6900))
    EXPECT_LE(part.lines.last - part.lines.first, 40);
}

TEST(LargeFiles, TheNameOfAPartIsTheNamesAroundIt) {
  const Sample& sample = kSamples[0];
  std::string text = "extension Shapes {\n";
  const std::string inner = text_of(sample, 20);
  for (const std::string_view line : split_lines(inner))
    text += (line.empty() ? "" : "    ") + std::string(line) + "\n";
  text += "}\n";
  std::vector<std::string> names;
  for (const EditPart& part : divide_into_parts(file_of(text), 400)) names.push_back(part.name);
  EXPECT_THAT(names, testing::Contains("Shapes.Shape7"));
}

// A block that fits is in one part, whatever the text is.
TEST(LargeFiles, NoBlockThatFitsIsCut) {
  const std::vector<std::string> pieces = {"func f() {", "}",       "if a {",  "} else {", "x = 1",
                                           "// note",    "/* long", "long */", "",         "end",
                                           "<p>",        "</p>",    "@wraps",  "{",        "name:"};
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::string text;
    int depth = 0;
    for (auto n = random() % 150; n > 0; --n) {
      depth = std::clamp(depth + static_cast<int>(random() % 3) - 1, 0, 5);
      text += std::string(static_cast<std::size_t>(depth) * 2, ' ') +
              pieces[random() % pieces.size()] + "\n";
    }
    const EditRegion file = file_of(text);
    const std::size_t most = 60 + random() % 600;
    const std::vector<EditPart> parts = divide_into_parts(file, most);
    int block_end = 0;
    for (const LineBlock& block : line_blocks(file.lines(), most)) {
      if (lines_of(file, block.lines).size() > most || block.lines.first < block_end) continue;
      block_end = block.lines.last;
      for (const EditPart& part : parts) {
        const bool begins_inside =
            part.lines.first > block.lines.first && part.lines.first < block.lines.last;
        const bool ends_inside =
            part.lines.last > block.lines.first && part.lines.last < block.lines.last;
        // A lone bracket at an end is left out of a part.
        const std::string cut = begins_inside
                                    ? lines_of(file, {block.lines.first, part.lines.first})
                                : ends_inside ? lines_of(file, {part.lines.last, block.lines.last})
                                              : std::string();
        ASSERT_EQ(std::ranges::count_if(cut, [](unsigned char c) { return std::isalnum(c); }), 0)
            << seed << "\n"
            << text;
      }
    }
  }
}

// A class that is too large to be written at once, with functions before and behind it.
std::string file_with_class(const std::string& language) {
  const bool is_python = language == "python";
  std::string text;
  const auto function = [&](const std::string& name, const std::string& indent) {
    if (is_python) return indent + "def " + name + "(a):\n" + indent + "    return a\n";
    return indent + "function " + name + "(a) {\n" + indent + "  return a;\n" + indent + "}\n";
  };
  const auto method = [&](const std::string& name) {
    if (is_python) return "    def " + name + "(self):\n        return 'exported'\n";
    return "  " + name + "() {\n    return 'exported';\n  }\n";
  };
  for (int i = 0; i < 3; ++i) text += function("before" + std::to_string(i), "") + "\n";
  text +=
      is_python ? "class Exported:\n    exported = 1\n\n" : "class Exported {\n  exported = 1;\n\n";
  for (int i = 0; i < 120; ++i) text += method("method" + std::to_string(i)) + "\n";
  if (!is_python) text += "}\n\n";
  return text + function("behind", "");
}

// Any choice of parts: a place has all of a definition, or lies within it without its ends.
TEST(LargeFiles, NoPlaceEndsWithinADefinitionThatBeginsInIt) {
  for (const char* language : {"python", "javascript", "typescript", "lines"}) {
    const std::string text = file_with_class(language);
    const EditRegion file =
        *EditRegion::make(*Document::make("file:///a", 1, text, language), EditScope::kFile, {});
    const std::size_t begin = text.find("class Exported");
    for (const std::size_t max_bytes : {std::size_t{200}, std::size_t{870}, std::size_t{2500}}) {
      const std::vector<EditPart> parts = divide_into_parts(file, max_bytes);
      for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        std::vector<int> chosen;
        for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
          if (seed == 0 || random() % 4) chosen.push_back(i);
        }
        for (const EditPlace& place : places_of(file, parts, chosen, max_bytes)) {
          const bool has_head = place.range.begin <= begin && begin < place.range.end;
          if (!has_head) continue;
          const std::string lines = text.substr(place.range.begin, place.range.size());
          EXPECT_EQ(lines.find("before"), std::string::npos) << language << "\n" << lines;
          EXPECT_EQ(lines.find("method"), std::string::npos) << language << "\n" << lines;
        }
      }
    }
  }
}

}  // namespace
}  // namespace redraft
