// Which hunks of an edit are taken without being asked about.
#include "workspace/edit/settled_doubts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/kit/scripted_engine.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/edit_outcome.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::shared_ptr<const Document> document(const std::string& text, const std::string& language) {
  return *Document::make("file:///a", 1, text, language);
}

// The edit of a model that writes `after` for the whole of `before`.
EditResult written(const std::string& language, const std::string& before, const std::string& after,
                   const std::string& instruction) {
  const auto engine =
      scripted_engine([&](const ScriptedPrompt& prompt) { return after + prompt.fence; });
  EditRequest request;
  request.document = document(before, language);
  request.instruction = instruction;
  request.decoder = *parse_decoder_name("ar");
  request.repairs = false;
  const auto result = run_edit(*engine, request, {}, {});
  EXPECT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->text, after);
  return *result;
}

// The text with the hunks that have no doubt.
std::string taken(const EditResult& result, const std::string& before) {
  return apply_edits(before, certain_edits_of(result.hunks));
}

std::vector<std::string> doubts_of(const EditResult& result) {
  std::vector<std::string> doubts;
  for (const Hunk& hunk : result.hunks) doubts.push_back(hunk.doubt);
  return doubts;
}

const std::string kClient =
    "class Client:\n"
    "    def send(self, line):\n"
    "        self.sock.sendall(line)\n"
    "\n"
    "    def put(self, line):\n"
    "        self.send(line + CRLF)\n"
    "\n"
    "    def get(self):\n"
    "        return self.sock.recv(8)\n"
    "\n"
    "    def close(self):\n"
    "        self.sock.close()\n";

const std::string kPutIsGone = "the definition of 'Client.put' is gone";

std::string without_put(const std::string& text) {
  return replaced(text, "    def put(self, line):\n", "        # sends a line\n");
}

TEST(SettledDoubts, AHunkWithoutADoubtIsTakenAndAnotherIsLeft) {
  const std::string sound = replaced(kClient, "recv(8)", "recv(16)");
  const EditResult result = written("python", kClient, without_put(sound), "read more");
  EXPECT_THAT(doubts_of(result), ElementsAre(kPutIsGone, ""));
  EXPECT_EQ(taken(result, kClient), sound);
}

TEST(SettledDoubts, WithoutAnyDoubtAllIsTaken) {
  const std::string after = replaced(replaced(kClient, "recv(8)", "recv(16)"), "CRLF", "b'\\r\\n'");
  const EditResult result = written("python", kClient, after, "read more");
  EXPECT_THAT(doubts_of(result), ElementsAre("", ""));
  EXPECT_EQ(taken(result, kClient), after);
}

TEST(SettledDoubts, ASyntaxErrorLeavesThePlaceThatWasWrittenTogether) {
  const std::string after =
      replaced(replaced(kClient, "recv(8)", "recv(16"), "sendall(line)", "sendall(line, 0)");
  const EditResult result = written("python", kClient, after, "flags");
  EXPECT_THAT(doubts_of(result), ElementsAre(StartsWith("goes with a doubtful change: there are"),
                                             StartsWith("there are new syntax errors")));
  EXPECT_EQ(taken(result, kClient), kClient);
}

TEST(SettledDoubts, ASyntaxErrorLeavesOtherPlacesAlone) {
  const std::string sound = replaced(kClient, "sendall(line)", "sendall(line, 0)");
  EditResult result = written("python", kClient, replaced(sound, "recv(8)", "recv(16"), "flags");
  ASSERT_EQ(result.hunks.size(), 2);
  result.hunks[1].origin.part = 1;
  settle_doubts(*document(kClient, "python"), "flags", result.kind, result.doubts, result.hunks);
  EXPECT_EQ(taken(result, kClient), sound);
}

TEST(SettledDoubts, EachPlaceOfALargeFileIsAPart) {
  EditRequest request;
  request.document = document(kClient, "python");
  request.instruction = "change it";
  request.scope = EditScope::kPlaces;
  request.decoder = *parse_decoder_name("ar");
  for (const char* line : {"sendall", "recv"})
    request.places.push_back({kClient.find(line), kClient.find(line)});
  const auto engine =
      scripted_engine([](const ScriptedPrompt& prompt) { return "        pass\n" + prompt.fence; });
  const auto result = run_edit(*engine, request, {}, {});
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_EQ(result->hunks.size(), 2);
  EXPECT_EQ(result->hunks[0].origin, (ChangeOrigin{.decided_by = DecidedBy::kModel, .part = 0}));
  EXPECT_EQ(result->hunks[1].origin, (ChangeOrigin{.decided_by = DecidedBy::kModel, .part = 1}));
}

struct Bound {
  const char* language;
  std::string before, after;  // the first hunk of the edit has a doubt
  const char* why;
};
void PrintTo(const Bound& bound, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << bound.language << ": " << bound.why;
}

class BoundHunks : public testing::TestWithParam<Bound> {};

// A function is lost in one hunk, and another hunk makes no sense without it.
TEST_P(BoundHunks, AreLeftTogether) {
  const Bound& bound = GetParam();
  const EditResult result = written(bound.language, bound.before, bound.after, "improve it");
  ASSERT_GE(result.hunks.size(), 2);
  EXPECT_EQ(taken(result, bound.before), bound.before);
  EXPECT_THAT(
      doubts_of(result),
      testing::Contains(testing::MatchesRegex("the definition of '.*' is gone|'.*' is now '.*'")));
}

const char* const kPython =
    "def lost(a):\n    x = 1\n    return a\n\n\ndef kept(b):\n    return b\n";

INSTANTIATE_TEST_SUITE_P(
    Languages, BoundHunks,
    testing::Values(
        Bound{"python", kPython, "import os\n\n\ndef kept(b):\n    return os.fspath(b)\n",
              "an import"},
        Bound{"python", kPython,
              "def found(a):\n    x = 1\n    return a\n\n\ndef kept(b):\n    return found(b)\n",
              "another name of a function"},
        Bound{"go",
              "package p\n\nfunc lost(a int) int {\n\treturn a\n}\n\nfunc kept(b int) int {\n"
              "\treturn b\n}\n",
              "package p\n\nconst limit = 3\n\nfunc kept(b int) int {\n\treturn b + limit\n}\n",
              "a constant"},
        Bound{"typescript",
              "function lost(a: number) {\n  return a;\n}\n\nfunction kept(b: number) {\n"
              "  return b;\n}\n",
              "type Limit = number;\n\nfunction kept(b: Limit) {\n  return b;\n}\n", "a type"},
        Bound{"rust", "fn lost(a: i32) -> i32 {\n    a\n}\n\nfn kept(b: i32) -> i32 {\n    b\n}\n",
              "const LIMIT: i32 = 3;\n\nfn kept(b: i32) -> i32 {\n    b + LIMIT\n}\n",
              "a constant"},
        Bound{"java",
              "class A {\n  int lost(int a) {\n    return a;\n  }\n\n  int kept(int b) {\n"
              "    return b;\n  }\n}\n",
              "class A {\n  int limit = 3;\n\n  int kept(int b) {\n    return b + limit;\n  }\n}\n",
              "a field"},
        Bound{"cpp", "int lost(int a) {\n  return a;\n}\n\nint kept(int b) {\n  return b;\n}\n",
              "const int limit = 3;\n\nint kept(int b) {\n  return b + limit;\n}\n",
              "a constant"}));

TEST(SettledDoubts, AHunkIsLeftWithTheDeclarationThatItUses) {
  const std::string after = "limit = 3\nx = 1\n\n\ndef kept(b):\n    return min(b, limit)\n";
  const EditResult result = written("python", kPython, after, "improve it");
  EXPECT_THAT(doubts_of(result),
              ElementsAre("the definition of 'lost' is gone",
                          "goes with a doubtful change: the definition of 'lost' is gone"));
  EXPECT_EQ(taken(result, kPython), kPython);
}

// Without the declaration of `size`, which the second hunk takes away, the first would break.
TEST(SettledDoubts, WhatStillUsesANameKeepsItsDeclaration) {
  const std::string before =
      "def area(a):\n    size = a * a\n    log(a)\n    return size\n\n\ndef lost():\n    return "
      "1\n";
  const std::string after = "def area(a):\n    log(a)\n    return a * a\n";
  const EditResult result = written("python", before, after, "inline size");
  EXPECT_EQ(taken(result, before), before);
}

// The remaining hunk moves a method to where it was not; what takes its place is left.
TEST(SettledDoubts, WhatIsDoubtfulAloneIsLeftToo) {
  const std::string before = kClient + "\n\nclass Other:\n    def put(self):\n        pass\n";
  const std::string after =
      replaced(replaced(before, "    def get(self):\n        return self.sock.recv(8)\n\n", ""),
               "    def send(self, line):\n",
               "    def get(self):\n        return self.sock.recv(8)\n\n"
               "    def send(self, line):\n");
  EditResult result = written("python", before, after, "move get up");
  ASSERT_EQ(result.hunks.size(), 2);
  ASSERT_EQ(reasons_of(result.doubts), "");
  result.doubts = {{Doubt::Kind::kUncertain, "somebody says so", {0}}};
  settle_doubts(*document(before, "python"), "move get up", result.kind, result.doubts,
                result.hunks);
  EXPECT_THAT(doubts_of(result), ElementsAre("somebody says so", StartsWith("goes with")));
}

TEST(SettledDoubts, ADoubtThatConcernsAllLeavesAll) {
  const std::string after = replaced(replaced(kClient, "recv(8)", "recv(16)"), "CRLF", "b'\\r\\n'");
  EditResult result = written("python", kClient, after, "read more");
  result.doubts = {{Doubt::Kind::kUncertain, "uses are left", {1}, true}};
  settle_doubts(*document(kClient, "python"), "read more", result.kind, result.doubts,
                result.hunks);
  EXPECT_THAT(doubts_of(result),
              ElementsAre("goes with a doubtful change: uses are left", "uses are left"));
}

// Nothing says which lines belong together.
TEST(SettledDoubts, WithoutATreeThePlaceIsLeftAsAWhole) {
  const std::string before = "one\ntwo\nthree\nfour\nfive\n";
  const std::string after = "ONE\ntwo\nthree\nfour\nFIVE\n";
  EditResult result = written("plaintext", before, after, "shout");
  ASSERT_EQ(result.hunks.size(), 2);
  result.doubts = {{Doubt::Kind::kLost, "much is gone", {0}}};
  settle_doubts(*document(before, "plaintext"), "shout", result.kind, result.doubts, result.hunks);
  EXPECT_EQ(taken(result, before), before);
  result.hunks[1].origin.part = 1;
  settle_doubts(*document(before, "plaintext"), "shout", result.kind, result.doubts, result.hunks);
  EXPECT_EQ(taken(result, before), "one\ntwo\nthree\nfour\nFIVE\n");
}

EditResult without_model(const std::string& instruction, const std::string& change,
                         const std::string& text, const std::string& language,
                         std::optional<std::size_t> cursor = {}) {
  EditRequest request;
  request.document = document(text, language);
  request.instruction = instruction;
  request.change = change;
  if (cursor) {
    request.range = ByteRange{*cursor, *cursor};
    request.scope = EditScope::kAuto;
  }
  const Result<FirstDecision> decision = decide_without_model(request);
  if (!decision) throw std::runtime_error(decision.error().message());
  if (const auto* task = std::get_if<ModelTask>(&*decision))
    throw std::runtime_error("the model is asked: " + task->change_doubt);
  return *carry_out_without_model(request, *decision);
}

// In one line `self.count` is certain and `other.count` is not.
TEST(SettledDoubts, CertainUsesOfALineAreRenamedWithoutUncertainOnes) {
  const std::string store =
      "class Store:\n    count = 0\n\n    def add(self, other):\n"
      "        self.count += other.count\n        return other.count\n";
  const EditResult result =
      without_model("rename count to size", "", store, "python", store.find("count"));
  EXPECT_EQ(taken(result, store),
            "class Store:\n    size = 0\n\n    def add(self, other):\n"
            "        self.size += other.count\n        return other.count\n");
  EXPECT_THAT(result.text, testing::Not(HasSubstr("count")));
  for (const Hunk& hunk : result.hunks) EXPECT_EQ(hunk.origin.decided_by, DecidedBy::kTree);
}

TEST(SettledDoubts, ARenameThatIsDoubtfulAsAWholeIsLeft) {
  const std::string text = "def f(a):\n    b = 1\n    return a + b\n";
  const EditResult result = without_model("rename a to b", "", text, "python", text.find("a)"));
  EXPECT_EQ(taken(result, text), text);
}

TEST(SettledDoubts, WhoDecidedAnAppliedChange) {
  const std::string text = "import os\n\n\ndef first():\n    return 1\n\n\nx = 1\ny = 2\n";
  const EditResult lines =
      without_model("", "<<<<<<< SEARCH\nx = 1\n=======\nx = 3\n>>>>>>> REPLACE\n", text, "python");
  ASSERT_EQ(lines.hunks.size(), 1);
  EXPECT_EQ(lines.hunks[0].origin.decided_by, DecidedBy::kLines);
  const EditResult tree =
      without_model("", "```python\ndef first():\n    return 2\n```\n", text, "python");
  ASSERT_EQ(tree.hunks.size(), 1);
  EXPECT_EQ(tree.hunks[0].origin.decided_by, DecidedBy::kTree);
  const EditResult model = written("python", text, replaced(text, "x = 1", "x = 3"), "three");
  ASSERT_EQ(model.hunks.size(), 1);
  EXPECT_EQ(model.hunks[0].origin.decided_by, DecidedBy::kModel);
}

// A diff shows the lines that go, so whoever applies it has seen them. A function that is written
// anew only lacks them.
TEST(SettledDoubts, WhatADiffRemovesIsToGo) {
  const std::string text =
      "def pick(a):\n    if a:\n        return one(a)\n    else:\n        return two()\n";
  const std::string without = "def pick(a):\n    if a:\n        return one(a)\n    return None\n";
  const EditResult diff = without_model("",
                                        "@@ -3,3 +3,2 @@\n         return one(a)\n-    else:\n-    "
                                        "    return two()\n+    return None\n",
                                        text, "python");
  EXPECT_THAT(diff.doubts, IsEmpty());
  EXPECT_EQ(taken(diff, text), without);
  const EditResult anew = without_model("", "```python\n" + without + "```\n", text, "python");
  EXPECT_EQ(anew.text, without);
  EXPECT_THAT(doubts_of(anew), ElementsAre("what line 4 does otherwise is gone"));
}

TEST(SettledDoubts, PartsOfAChangeAreTakenOneByOne) {
  const std::string change =
      "<<<<<<< SEARCH\n        self.sock.sendall(line)\n=======\n"
      "        self.sock.sendall(bytes(line))\n>>>>>>> REPLACE\n"
      "<<<<<<< SEARCH\n    def close(self):\n=======\n    def get(self):\n        return None\n\n"
      "    def close(self):\n>>>>>>> REPLACE\n";
  const EditResult result = without_model("", change, kClient, "python");
  ASSERT_EQ(result.hunks.size(), 2);
  EXPECT_THAT(doubts_of(result), ElementsAre("", "'Client.get' is defined twice"));
  EXPECT_EQ(taken(result, kClient), replaced(kClient, "sendall(line)", "sendall(bytes(line))"));
}

}  // namespace
}  // namespace redraft
