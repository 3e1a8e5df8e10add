#include "workspace/edit/edit_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "tests/kit/scripted_engine.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Optional;

std::shared_ptr<const Document> document(std::string text, std::string language = "python") {
  return *Document::make("file:///a.py", 1, std::move(text), std::move(language));
}

EditRegion file_of(std::string text, std::string language = "python") {
  return *EditRegion::make(document(std::move(text), std::move(language)), EditScope::kFile, {});
}

std::string text_of(const EditRegion& file, const LineWindow& lines) {
  std::string text;
  for (int line = lines.first; line < lines.last; ++line)
    text += std::string(file.lines()[static_cast<std::size_t>(line)]) + "\n";
  return text;
}

// Functions of four lines, each of which calls the one before it.
std::string functions(int count) {
  std::string text = "import os\n";
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    text += "\n\ndef step_" + number + "(x):\n    y = step_" + std::to_string(i - 1) +
            "(x)\n    print('this line makes the function as long as others are')\n    return y\n";
  }
  return text;
}

std::vector<std::string> names_of(const std::vector<EditPart>& parts) {
  std::vector<std::string> names;
  for (const EditPart& part : parts) names.push_back(part.name.empty() ? part.head : part.name);
  return names;
}

TEST(EditParts, DefinitionsMembersOfLargeOnesAndWhatLiesBetween) {
  const EditRegion file = file_of(
      "import os\nimport re\n\nLIMIT = 3\n\n\n"
      "def small(x):\n    return x\n\n\n"
      "class Large:\n    \"\"\"A class.\"\"\"\n    limit = 1\n\n"
      "    def first(self):\n        return self.limit + 1000000000\n\n"
      "    def second(self):\n        return self.limit + 2000000000\n\n"
      "    other = 2\n\n"
      "print(small(1))\n");
  const std::vector<EditPart> parts = divide_into_parts(file, 100);
  EXPECT_THAT(names_of(parts), ElementsAre("import os", "small", "Large", "Large.first",
                                           "Large.second", "Large", "print(small(1))"));
  EXPECT_EQ(text_of(file, parts[0].lines), "import os\nimport re\n\nLIMIT = 3\n");
  EXPECT_EQ(text_of(file, parts[2].lines),
            "class Large:\n    \"\"\"A class.\"\"\"\n    limit = 1\n");
  EXPECT_EQ(parts[2].head, "class Large:");
  EXPECT_FALSE(parts[2].whole);
  EXPECT_EQ(parts[3].head, "def first(self):");
  EXPECT_TRUE(parts[3].whole);
  EXPECT_EQ(text_of(file, parts[5].lines), "    other = 2\n");
}

TEST(EditParts, ALargeFunctionIsCutIntoBlocksOfItsLines) {
  std::string text = "def long(x):\n";
  for (int i = 0; i < 40; ++i) text += "    x += " + std::to_string(i) + "\n";
  const std::vector<EditPart> parts = divide_into_parts(file_of(text), 200);
  ASSERT_GT(parts.size(), 2);
  for (const EditPart& part : parts) EXPECT_EQ(part.name, "long");
  EXPECT_EQ(parts[1].lines.first, parts[0].lines.last);
}

// In any text, of any language: disjoint parts of whole lines in file order, within the limit, with
// every line that has a letter.
TEST(EditParts, EveryLineThatTellsSomethingIsInExactlyOne) {
  const std::vector<std::string> pieces = {"class A:",
                                           "    def f(self):",
                                           "        return 1",
                                           "",
                                           "}",
                                           "def g():",
                                           "    x = 1",
                                           "fn h() {",
                                           "  {\"key\": [1, 2]},",
                                           "# note",
                                           "\xC3\xA4 = 2",
                                           "    ",
                                           "@wraps(f)",
                                           "function k() {",
                                           "  return 2;"};
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::string text = random() % 4 ? "" : "\xEF\xBB\xBF";
    const auto n_lines = random() % 120;
    for (unsigned i = 0; i < n_lines; ++i) {
      text += pieces[random() % pieces.size()];
      if (random() % 20 == 0) text += std::string(random() % 300, 'z');
      if (i + 1 < n_lines || random() % 2) text += random() % 8 ? "\n" : "\r\n";
    }
    const std::vector<std::string> languages = {"python", "rust", "javascript", "json", "unknown"};
    const EditRegion file = file_of(text, languages[seed % languages.size()]);
    const std::size_t most = 20 + random() % 400;
    std::vector<bool> taken(file.lines().size(), false);
    int end = 0;
    for (const EditPart& part : divide_into_parts(file, most)) {
      ASSERT_LE(end, part.lines.first) << "seed " << seed;
      ASSERT_LT(part.lines.first, part.lines.last) << "seed " << seed;
      end = part.lines.last;
      ASSERT_LE(end, std::ssize(file.lines()));
      const std::string lines = text_of(file, part.lines);
      ASSERT_TRUE(lines.size() <= most || part.lines.last == part.lines.first + 1);
      ASSERT_NE(lines.find_first_not_of(" \t\r\n"), lines.npos);
      ASSERT_FALSE(part.head.empty());
      std::fill(taken.begin() + part.lines.first, taken.begin() + end, true);
    }
    for (std::size_t line = 0; line < taken.size(); ++line) {
      const bool tells = std::ranges::any_of(
          file.lines()[line], [](unsigned char c) { return c >= 0x80 || std::isalnum(c); });
      ASSERT_TRUE(taken[line] || !tells) << "seed " << seed << ", line " << line;
    }
  }
}

// The names of the parts with a score, the best first; a "!" marks those with a spelled-out name.
std::vector<std::string> ranked(const std::string& text, const std::string& instruction) {
  const EditRegion file = file_of(text);
  const std::vector<EditPart> parts = divide_into_parts(file, 200);
  std::vector<std::string> names;
  for (const RankedPart& each : rank_parts(file, parts, instruction)) {
    const EditPart& part = parts[static_cast<std::size_t>(each.part)];
    if (each.score > 0)
      names.push_back((part.name.empty() ? part.head : part.name) + (each.named ? "!" : ""));
  }
  return names;
}

constexpr const char* kClient =
    "def set_connection_timeout(value):\n    state.limit = value\n\n\n"
    "def openSocket(address):\n    return raw_open(address)\n\n\n"
    "def download(address):\n    openSocket(address)\n    wait()\n\n\n"
    "def wait():\n    sleep(1)\n";

TEST(PartRanking, WordsFindTheNamesThatAreMadeOfThem) {
  EXPECT_THAT(ranked(kClient, "Allow None as connection timeout"),
              ElementsAre("set_connection_timeout"));
  EXPECT_THAT(ranked(kClient, "opening sockets should log"), ElementsAre("openSocket", "download"));
  EXPECT_THAT(ranked(kClient, "Make it better, please"), IsEmpty());
  EXPECT_THAT(ranked("def f():\n    # makes changes\n    return 1\n", "make a change"), IsEmpty());
}

TEST(PartRanking, ANameThatIsSpelledOutConcernsItsCallersToo) {
  EXPECT_THAT(ranked(kClient, "add a parameter to openSocket"),
              ElementsAre("openSocket!", "download!"));
  EXPECT_THAT(ranked(kClient, "Rename `wait` to `pause`"),
              testing::UnorderedElementsAre("wait!", "download!"));
  EXPECT_THAT(ranked(kClient, "rename wait to pause"),
              testing::UnorderedElementsAre("wait!", "download!"));
}

TEST(ParseNumbers, OnlyAListOfThem) {
  EXPECT_THAT(parse_numbers("2, 5", 9), Optional(ElementsAre(1, 4)));
  EXPECT_THAT(parse_numbers(" 2,5 9.\n", 9), Optional(ElementsAre(1, 4, 8)));
  EXPECT_THAT(parse_numbers("3, 3, 1", 3), Optional(ElementsAre(2, 0)));
  for (const char* odd : {"", " ", "0", "10", "1, 0", "a", "1 and 2", "-1", "1;2", "1: def f",
                          "1.5", "99999999999999999999", ",1", "None",
                          "1\xC2\xA0"
                          "2"})
    EXPECT_EQ(parse_numbers(odd, 9), std::nullopt) << odd;
  EXPECT_EQ(parse_numbers("1", 0), std::nullopt);
}

TEST(ParseNumbers, WhateverTheBytes) {
  std::mt19937 random(7);
  const std::string likely = "0123456789,, . \n-";
  int lists = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (auto left = random() % 12; left > 0; --left)
      text += random() % 8 ? likely[random() % likely.size()] : static_cast<char>(random());
    const int count = static_cast<int>(random() % 30);
    const std::optional<std::vector<int>> numbers = parse_numbers(text, count);
    if (!numbers) continue;
    ++lists;
    ASSERT_FALSE(numbers->empty());
    std::vector<int> sorted = *numbers;
    std::ranges::sort(sorted);
    ASSERT_EQ(std::ranges::adjacent_find(sorted), sorted.end()) << text;
    ASSERT_TRUE(sorted.front() >= 0 && sorted.back() < count) << text;
  }
  EXPECT_GT(lists, 1000);
}

// A model that answers the question for places with `numbers`, and changes "y" to "z" elsewhere.
struct Model {
  std::string numbers = {};
  std::vector<std::string> questions = {};
  std::vector<std::string> asked = {};  // the lines that it was to rewrite

  std::unique_ptr<Engine> engine() {
    return scripted_engine([this](const ScriptedPrompt& prompt) {
      if (prompt.fence.empty()) {
        questions.push_back(prompt.text);
        return numbers;
      }
      const std::size_t end = prompt.text.rfind("```\n\nInstruction:");
      const std::size_t begin = prompt.text.rfind("```python\n", end) + 10;
      std::string lines = prompt.text.substr(begin, end - begin);
      asked.push_back(lines);
      for (std::size_t at = lines.find("return y"); at != lines.npos;
           at = lines.find("return y", at + 1))
        lines.replace(at, 8, "return z");
      return lines + prompt.fence;
    });
  }
};

EditRequest request(std::string text, std::string instruction) {
  EditRequest request;
  request.document = document(std::move(text));
  request.instruction = std::move(instruction);
  request.scope = EditScope::kPlaces;
  request.decoder = *parse_decoder_name("redraft");
  return request;
}

struct Outcome {
  EditResult result;
  std::vector<ChosenPlaces> places;
  std::vector<Hunk> seen;
  std::vector<double> fractions;
};

Result<Outcome> edit(Model& model, const EditRequest& request, std::stop_token stop = {}) {
  Outcome outcome;
  const auto engine = model.engine();
  const EditObserver observer{
      .on_places =
          [&](const ChosenPlaces& places) {
            EXPECT_THAT(outcome.seen, IsEmpty());
            outcome.places.push_back(places);
          },
      .on_hunk = [&](const Hunk& hunk) { outcome.seen.push_back(hunk); },
      .on_progress =
          [&](const EditProgress& progress) { outcome.fractions.push_back(progress.fraction); }};
  Result<EditResult> result = run_edit(*engine, request, observer, stop);
  if (!result) return result.error();
  outcome.result = std::move(*result);
  return outcome;
}

std::vector<std::string> names_of(const std::vector<EditPlace>& places) {
  std::vector<std::string> names;
  for (const EditPlace& place : places) names.push_back(place.name);
  return names;
}

TEST(EditPlaces, ASmallFileIsEditedAsAWhole) {
  Model model;
  const Result<Outcome> outcome = edit(model, request(functions(5), "change it"));
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_THAT(model.questions, IsEmpty());
  EXPECT_EQ(outcome->seen.size(), 5);
  ASSERT_EQ(outcome->places.size(), 1);
  EXPECT_TRUE(outcome->places[0].whole_file);
  EXPECT_EQ(outcome->places[0].chosen[0].range, (ByteRange{0, functions(5).size()}));
}

TEST(EditPlaces, OfALargeOneOnlyWhatTheInstructionNames) {
  Model model;
  const std::string text = functions(100);
  const Result<Outcome> outcome = edit(model, request(text, "step_40 returns something else"));
  ASSERT_TRUE(outcome) << outcome.error().message();
  ASSERT_EQ(outcome->places.size(), 1);
  const ChosenPlaces& places = outcome->places[0];
  EXPECT_THAT(model.questions, IsEmpty());
  EXPECT_THAT(names_of(places.chosen), ElementsAre("step_40, step_41"));  // the caller too
  EXPECT_EQ(places.n_parts, 101);
  EXPECT_THAT(names_of(places.others), Contains("step_42"));
  EXPECT_THAT(names_of(places.others), Not(Contains("step_41")));
  ASSERT_EQ(model.asked.size(), 1);
  EXPECT_TRUE(model.asked[0].starts_with("def step_40(x):\n")) << model.asked[0];
  EXPECT_TRUE(model.asked[0].ends_with("    return y\n")) << model.asked[0];
  std::string wanted = text;
  for (const char* name : {"def step_40", "def step_41"})
    wanted.replace(wanted.find("return y", wanted.find(name)), 8, "return z");
  EXPECT_EQ(outcome->result.text, wanted);
  EXPECT_EQ(outcome->seen.size(), 2);
  EXPECT_EQ(outcome->result.region, places.chosen[0].range);
}

TEST(EditPlaces, TheModelIsShownTheOutlineAndItsAnswerCounts) {
  Model model{.numbers = "3, 1\n"};
  const std::string text = functions(100);
  const Result<Outcome> outcome = edit(model, request(text, "do it otherwise"));
  ASSERT_TRUE(outcome) << outcome.error().message();
  ASSERT_EQ(model.questions.size(), 1);
  EXPECT_THAT(model.questions[0], HasSubstr("\n1: import os\n2: def step_0(x):\n"));
  EXPECT_THAT(model.questions[0], HasSubstr("Instruction: do it otherwise\n"));
  EXPECT_THAT(model.questions[0], Not(HasSubstr("return y")));
  EXPECT_THAT(names_of(outcome->places[0].chosen), ElementsAre("import os", "step_1"));
  EXPECT_EQ(model.asked.size(), 2);
  ASSERT_EQ(outcome->seen.size(), 1);
  EXPECT_EQ(outcome->seen[0].old_text, "    return y\n");
}

TEST(EditPlaces, AnOddAnswerIsNoOpinion) {
  for (const char* odd : {"", "all of them\n", "1 to 9\n", "```\n", "0\n", "9999\n"}) {
    Model model{.numbers = odd};
    const Result<Outcome> named = edit(model, request(functions(100), "call step_7 twice"));
    ASSERT_TRUE(named) << named.error().message();
    EXPECT_THAT(names_of(named->places[0].chosen), ElementsAre("step_7, step_8")) << odd;
    const Result<Outcome> nothing = edit(model, request(functions(100), "do it otherwise"));
    ASSERT_FALSE(nothing) << odd;
    EXPECT_THAT(nothing.error().message(), HasSubstr("found no part of the file"));
    EXPECT_THAT(nothing.error().message(), HasSubstr("scope 'whole'"));
  }
}

TEST(EditPlaces, ThoseThatAreGivenAreEditedAndNoOthers) {
  Model model{.numbers = "1\n"};
  const std::string text = functions(100);
  EditRequest given = request(text, "change step_50");
  const auto at = [&](const char* name) { return text.find(name); };
  // In any order, touching each other, twice the same, within a line.
  given.places = {{at("def step_9("), at("    y = step_8(x)") + 3},
                  {at("def step_3("), at("def step_4(")},
                  {at("def step_4("), at("def step_5(")},
                  {at("def step_4(") + 2, at("def step_4(") + 3}};
  const Result<Outcome> outcome = edit(model, given);
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_THAT(model.questions, IsEmpty());
  ASSERT_EQ(model.asked.size(), 3);
  EXPECT_TRUE(model.asked[0].starts_with("def step_3("));
  EXPECT_TRUE(model.asked[1].starts_with("def step_4("));
  EXPECT_EQ(model.asked[2], "def step_9(x):\n    y = step_8(x)\n");
  EXPECT_EQ(outcome->seen.size(), 2);
  for (std::size_t i = 0; i < outcome->seen.size(); ++i)
    EXPECT_EQ(outcome->seen[i].id, static_cast<int>(i));
  EXPECT_TRUE(std::ranges::is_sorted(outcome->fractions));
  EXPECT_LE(outcome->fractions.back(), 1);
  given.places.push_back({text.size(), text.size() + 1});
  EXPECT_THAT(edit(model, given).error().message(), HasSubstr("outside the text"));
}

TEST(EditPlaces, OneThatIsCancelledWhileItLooksChangesNothing) {
  std::stop_source stop;
  int n_prompts = 0;
  const auto engine = scripted_engine([&](const ScriptedPrompt&) {
    ++n_prompts;
    stop.request_stop();
    return std::string("1, 2, 3, 4, 5\n");
  });
  const EditRequest cancelled = request(functions(100), "do it otherwise");
  const Result<EditResult> result = run_edit(*engine, cancelled, {}, stop.get_token());
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->finish_reason, FinishReason::kCancelled);
  EXPECT_EQ(result->text, cancelled.document->text());
  EXPECT_EQ(n_prompts, 1);
}

// Any selection of parts, any changes: what is written of them is in the file, all else stays, and
// the hunks are in file order and disjoint.
TEST(EditPlaces, LinesThatAreNotChosenStay) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const std::string text = functions(60);
    const EditRegion file = file_of(text);
    const std::vector<EditPart> parts = divide_into_parts(file, 200);
    EditRequest given = request(text, "change it");
    std::vector<bool> chosen(file.lines().size(), false);
    for (const EditPart& part : parts) {
      if (random() % 3) continue;
      const LineIndex& index = given.document->lines();
      given.places.push_back({index.start(part.lines.first), index.start(part.lines.last)});
      std::fill(chosen.begin() + part.lines.first, chosen.begin() + part.lines.last, true);
    }
    if (given.places.empty()) continue;
    std::string wanted;
    for (std::size_t line = 0; line < file.lines().size(); ++line) {
      const bool changed = chosen[line] && file.lines()[line] == "    return y";
      wanted += changed ? "    return z\n" : std::string(file.lines()[line]) + "\n";
    }
    Model model;
    const Result<Outcome> outcome = edit(model, given);
    ASSERT_TRUE(outcome) << outcome.error().message();
    ASSERT_EQ(outcome->result.text, wanted) << "seed " << seed;
    std::size_t end = 0;
    for (const Hunk& hunk : outcome->seen) {
      ASSERT_LE(end, hunk.edit.range.begin);
      end = hunk.edit.range.end;
    }
  }
}

}  // namespace
}  // namespace redraft
