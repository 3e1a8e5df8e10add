#include "workspace/next_edit/next_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kit/edit_script.h"
#include "tests/kit/temp_folder.h"
#include "tests/workspace/next_edit/many_calls.h"
#include "workspace/documents/file_uri.h"
#include "workspace/documents/open_documents.h"
#include "workspace/next_edit/change_words.h"
#include "workspace/next_edit/next_place.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kUri = "file:///a.py";

class NextEdit : public testing::Test {
 protected:
  void open(const std::string& uri, std::string text) {
    ASSERT_TRUE(documents_.open(uri, 1, std::move(text), "python"));
  }

  // Replaces the first `from` by `to`.
  void replace(const std::string& uri, const std::string& from, const std::string& to) {
    const std::size_t begin = documents_.find(uri)->text().find(from);
    ASSERT_NE(begin, std::string::npos);
    ASSERT_TRUE(documents_.change(uri, ++version_, {TextEdit{{begin, begin + from.size()}, to}}));
  }

  Result<NextEditResult> look(EditScript script, int max_regions = 2) {
    auto engine = make_scripted_engine(script);
    if (!engine) return engine.error();
    const NextEditRequest request{.recent = documents_.recent_changes(),
                                  .documents = documents_.from(kUri),
                                  .decoder = *parse_decoder_name("redraft"),
                                  .max_regions = max_regions};
    NextEditPlan plan = plan_next_edit(request, {});
    if (plan.result) return std::move(*plan.result);
    return run_next_edit(**engine, request, plan.search, {});
  }

  std::vector<NextPlace> places_of_changes(int most) {
    const std::vector<RecentChange> recent = documents_.recent_changes();
    return next_places(recent, documents_.from(kUri), NameChanges(recent), most);
  }

  OpenDocuments documents_;
  std::int64_t version_ = 1;
};

TEST_F(NextEdit, ChangesThatAreNearEachOtherAreOne) {
  open(kUri, many_calls());
  replace(kUri, "function_0", "renamed");
  replace(kUri, "first = 0", "first = 10");
  replace(kUri, "0 + old(x) + third", "0 + fresh(x) + third");
  const std::vector<RecentChange> recent = documents_.recent_changes();
  ASSERT_EQ(recent.size(), 2U);
  EXPECT_EQ(recent[0].line, 0);
  EXPECT_THAT(recent[0].before, ElementsAre("def function_0(x):", "    first = 0"));
  EXPECT_THAT(recent[0].after, ElementsAre("def renamed(x):", "    first = 10"));
  EXPECT_EQ(recent[1].line, 4);
}

TEST_F(NextEdit, AnotherWorkTreeOfTheRepositoryIsLeftAlone) {
  const TempFolder folder;
  folder.write(".git/HEAD");
  folder.write(".git/worktrees/one/commondir", "../..\n");
  folder.write("agents/one/.git", "gitdir: ../../.git/worktrees/one\n");
  const auto uri_of = [&](std::string_view name) { return uri_of_path(folder / name); };
  for (const char* name : {"main.py", "other.py", "agents/one/main.py"}) {
    folder.write(name, "def load(path, mode): pass\n");
    open(uri_of(name), "def load(path, mode): pass\n");
  }
  replace(uri_of("main.py"), "path, mode", "mode, path");
  const NextEditRequest here = next_edit_request(documents_, uri_of("other.py"));
  EXPECT_EQ(here.documents.size(), 2U);
  EXPECT_EQ(here.recent.size(), 1U);
  const NextEditRequest there = next_edit_request(documents_, uri_of("agents/one/main.py"));
  EXPECT_EQ(there.documents.size(), 1U);
  EXPECT_THAT(there.recent, IsEmpty());
}

TEST_F(NextEdit, AnUndoneChangeDoesNotCount) {
  open(kUri, many_calls());
  replace(kUri, "function_3", "renamed");
  replace(kUri, "renamed", "function_3");
  EXPECT_THAT(documents_.recent_changes(), IsEmpty());
}

TEST_F(NextEdit, ARewriteIsNotAnExample) {
  open(kUri, many_calls());
  std::string text;
  for (int i = 0; i < 200; ++i) text += "line " + std::to_string(i) + "\n";
  replace(kUri, many_calls(), text);
  EXPECT_THAT(documents_.recent_changes(), IsEmpty());
}

TEST_F(NextEdit, PlacesWithAWordThatWasTakenAwayComeFirstTheNearestAhead) {
  open(kUri, many_calls());
  replace(kUri, "old(x) + third\n\n\ndef function_6", "fresh(x) + third\n\n\ndef function_6");
  const auto places = places_of_changes(3);
  ASSERT_EQ(places.size(), 3U);
  const int changed = 5 * 7 + 4;
  EXPECT_LE(places[0].first_line, changed + 7);
  EXPECT_GT(places[0].end_line, changed + 7);
  for (std::size_t i = 1; i < places.size(); ++i) EXPECT_LE(places[i].weight, places[i - 1].weight);
}

TEST_F(NextEdit, LinesLikeTheNeighboursOfAddedLinesAreAPlace) {
  std::string text;
  for (const char* name : {"text", "list", "tree"}) {
    text += "# Reads the " + std::string(name) + " of a file.\ndef read_" + name + "(file):\n";
    for (int i = 0; i < 12; ++i)
      text += std::string("    ") + name + " = other" + std::to_string(i) + "(" + name + ")\n";
  }
  open(kUri, text);
  replace(kUri, "text of a file.\n", "text of a file.\n# It may raise what opening it raises.\n");
  auto places = places_of_changes(3);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places[0].line, 1 + 14 + 1) << "below the comment on the list";
  EXPECT_EQ(places[1].line, 1 + 28 + 1);

  replace(kUri, "list of a file.\n", "list of a file.\n# It may raise what opening it raises.\n");
  places = places_of_changes(3);
  ASSERT_EQ(places.size(), 1U) << "there it has followed";
  EXPECT_EQ(places[0].line, 2 + 28 + 1);
}

TEST_F(NextEdit, LinesOfFewWordsSayNothingAboutWhatIsAddedBesideThem) {
  open(kUri, "one()\n" + std::string(12, '\n') + "two()\none()\n");
  replace(kUri, "one()\n", "one()\nentirely = unlike(anything)\n");
  EXPECT_THAT(places_of_changes(3), IsEmpty());
}

TEST_F(NextEdit, DoesNotAskTheModelIfNothingResemblesTheChange) {
  open(kUri, many_calls());
  replace(kUri, "    third = second - first\n", "    entirely = unlike(anything)\n");
  replace(kUri, "    entirely = unlike(anything)\n", "\n    # so\n");
  EditScript script;
  script.edits = {{"", "first", "changed"}};
  const auto result = look(script, 0);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->regions, 0);
  EXPECT_EQ(result->document, nullptr);
  EXPECT_FALSE(result->why_none.empty());
}

TEST_F(NextEdit, AFollowUpIsFoundInTheSameFile) {
  open(kUri, many_calls());
  replace(kUri, "old(x)", "fresh(x)");
  EditScript script;
  script.edits = {{"", "old(", "fresh("}};
  const auto result = look(script);
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_NE(result->document, nullptr) << result->why_none;
  ASSERT_FALSE(result->edits.empty());
  const std::string after = apply_edits(result->document->text(), result->edits);
  EXPECT_EQ(result->edits[0].new_text, "    return 1 + fresh(x) + third\n");
  EXPECT_EQ(after.size(), result->document->text().size() + 2 * result->edits.size());
  EXPECT_EQ(result->regions, 1);
}

TEST_F(NextEdit, LeavesOutWhatTheModelThinks) {
  open(kUri, many_calls());
  replace(kUri, "old(x)", "fresh(x)");
  EditScript script;
  script.edits = {{"", "old(", "fresh("}};
  script.thoughts = "<think>\nfresh\n</think>\n\n";
  const auto result = look(script);
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_NE(result->document, nullptr) << result->why_none;
  EXPECT_EQ(result->edits[0].new_text, "    return 1 + fresh(x) + third\n");

  script.thoughts = "<think>\n";
  const auto endless = look(script);
  ASSERT_TRUE(endless) << endless.error().message();
  EXPECT_EQ(endless->document, nullptr);
}

TEST_F(NextEdit, DoesNotAskAModelThatAlwaysThinks) {
  open(kUri, many_calls());
  replace(kUri, "old(x)", "fresh(x)");
  const auto result = look({.edits = {{"", "old(", "fresh("}}, .opens_thought = true});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->document, nullptr);
  EXPECT_THAT(result->why_none, HasSubstr("thinks before each answer"));
}

TEST_F(NextEdit, LeavesOutUnlikelyChanges) {
  open(kUri, many_calls());
  replace(kUri, "old(x)", "fresh(x)");
  EditScript script;
  script.edits = {{"", "old(", "fresh("}};
  script.certainty = 0.9;  // of each byte of a line
  const auto result = look(script);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->document, nullptr);
  EXPECT_EQ(result->regions, 2);
  EXPECT_THAT(result->why_none, HasSubstr("not sure enough"));
  script.certainty = 0.99;
  const auto surer = look(script);
  ASSERT_TRUE(surer) << surer.error().message();
  EXPECT_NE(surer->document, nullptr);
}

TEST_F(NextEdit, DoesNotAddExistingImportsOrDefinitions) {
  const std::string end = "from os import path\r\nlast()\r\n";
  for (const std::string added :
       {"import json of tools", "def json(tools):", "@json(tools)", "report(json, tools)"}) {
    open(kUri, "from os import path\r\n" + many_calls() + end);
    replace(kUri, "import path\r\n", "import path\r\n" + added + "\r\n");
    auto engine =
        make_scripted_engine({.edits = {{"", "path\nlast", "path\n" + added + "\nlast"}}});
    ASSERT_TRUE(engine);
    const NextEditRequest request{.recent = documents_.recent_changes(),
                                  .documents = {documents_.find(kUri)},
                                  .decoder = *parse_decoder_name("redraft")};
    const NextEditPlan plan = plan_next_edit(request, {});
    ASSERT_FALSE(plan.result);
    const auto result = run_next_edit(**engine, request, plan.search, {});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->document == nullptr, added[0] == 'i' || added[0] == 'd') << added;
    documents_.close(kUri);
  }
}

TEST_F(NextEdit, TheSameLinesAreChangedAlikeWithoutTheModel) {
  open(kUri,
       "    return old(x) + third\n# one\n# two\n\tif ready: return old(x)\n    return old(x) + "
       "third\n");
  replace(kUri, "old(x)", "fresh(x)");
  const auto result = look({});
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_EQ(result->edits.size(), 1U);
  EXPECT_EQ(apply_edits(result->document->text(), result->edits),
            "    return fresh(x) + third\n# one\n# two\n\tif ready: return old(x)\n"
            "    return fresh(x) + third\n");
  EXPECT_EQ(result->regions, 0);
  EXPECT_THAT(result->note, HasSubstr("without the model"));
}

TEST_F(NextEdit, AFollowUpIsFoundInAnotherOpenFile) {
  open(kUri, "def old(x):\n    return x\n");
  open("file:///b.py", "import a\n\nprint(a.old(1))\n");
  documents_.focus(kUri);
  replace(kUri, "old", "fresh");
  EditScript script;
  script.edits = {{"", "old(", "fresh("}};
  const auto result = look(script);
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_NE(result->document, nullptr) << result->why_none;
  EXPECT_EQ(result->document->uri(), "file:///b.py");
  EXPECT_EQ(result->edits[0].new_text, "print(a.fresh(1))\n");
}

TEST_F(NextEdit, AnUnchangedRegionIsCopiedInFewPasses) {
  open(kUri, many_calls());
  replace(kUri, "old(x)", "fresh(x)");
  const auto result = look({});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->document, nullptr);
  EXPECT_EQ(result->regions, 2);
  EXPECT_GT(result->statistics.tokens_per_pass(), 20);
  EXPECT_THAT(result->why_none, HasSubstr("no follow-up change"));
}

TEST_F(NextEdit, NothingThatTheUserDidIsUndone) {
  open(kUri, many_calls());
  replace(kUri, "old(x)", "fresh(x)");
  EditScript script;
  script.edits = {{"", "fresh(", "old("}, {"", "first = 1", "first = 2"}};
  const auto result = look(script);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->document, nullptr) << "neither an undo nor what has nothing to do with it";
}

TEST_F(NextEdit, ACancelledSearchEndsAndProposesNothing) {
  open(kUri, many_calls());
  replace(kUri, "old(x)", "fresh(x)");
  EditScript script;
  script.edits = {{"", "old(", "fresh("}};
  auto engine = make_scripted_engine(script);
  ASSERT_TRUE(engine);
  std::stop_source stop;
  const NextEditRequest request{.recent = documents_.recent_changes(),
                                .documents = documents_.from(kUri),
                                .decoder = *parse_decoder_name("redraft"),
                                .on_pass = [&] { stop.request_stop(); }};
  const NextEditPlan plan = plan_next_edit(request, {});
  ASSERT_FALSE(plan.result);
  const auto result = run_next_edit(**engine, request, plan.search, stop.get_token());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->finish_reason, FinishReason::kCancelled);
  EXPECT_TRUE(result->edits.empty());
}

TEST_F(NextEdit, AboutACallThatTheModelLeftItIsNotAskedAgain) {
  open(kUri, "def load(path): pass\n" + std::string(20, '\n') + "load(1)\n");
  replace(kUri, "(path)", "(path, mode)");
  auto engine = make_scripted_engine({});
  ASSERT_TRUE(engine);
  NextEditRequest request{.recent = documents_.recent_changes(),
                          .documents = documents_.from(kUri),
                          .decoder = *parse_decoder_name("redraft"),
                          .memory = std::make_shared<NextEditMemory>()};
  request.origins = {documents_.origin_of(request.documents.front())};
  const NextEditPlan plan = plan_next_edit(request, {});
  ASSERT_FALSE(plan.result);
  const auto result = run_next_edit(**engine, request, plan.search, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->regions, 1);
  EXPECT_TRUE(result->edits.empty());
  EXPECT_TRUE(plan_next_edit(request, {}).result) << "nothing is left to ask about";
  replace(kUri, "load(1)", "load(2)");
  request.documents = documents_.from(kUri);
  EXPECT_FALSE(plan_next_edit(request, {}).result) << "it is another call now";
}

std::vector<RecentChange> made(std::vector<std::string> before, std::vector<std::string> after) {
  return {{nullptr, 0, std::move(before), std::move(after)}};
}

TEST(Substitutions, AreWhatALineWasChangedIn) {
  const auto of = [](std::string before, std::string after) {
    return substitutions(made({std::move(before)}, {std::move(after)}));
  };
  EXPECT_THAT(of("def old(x):", "def fresh(x):"), ElementsAre(Substitution{"old", "fresh"}));
  EXPECT_THAT(of("f(a, a)", "f(a, b)"), ElementsAre(Substitution{"a", "b"}));
  EXPECT_THAT(of("total = count(x)", "total = tally.of(x)"),
              ElementsAre(Substitution{"count", "tally.of"}));
  EXPECT_THAT(of("f(x)", "f(x, y)"), IsEmpty()) << "nothing gave way";
  EXPECT_THAT(of("a < b", "a > b"), IsEmpty()) << "no word";
  EXPECT_THAT(of("    same", "  same"), IsEmpty());
  EXPECT_THAT(of("", ""), IsEmpty());
  EXPECT_THAT(of("a b c d e f g", "h i j k l m n"), IsEmpty()) << "too long for a name";
}

TEST(Substitutions, EachOnceTheLatestAtTheEnd) {
  const auto recent = made({"a(1)", "b(2)", "a(3)"}, {"x(1)", "y(2)", "x(3)"});
  EXPECT_THAT(substitutions(recent), ElementsAre(Substitution{"b", "y"}, Substitution{"a", "x"}));
}

TEST(FollowsFrom, AcceptsChangesThatContinueTheRecentOnes) {
  const auto recent = made({"total = count(items)"}, {"total = tally(items, rate)"});
  EXPECT_TRUE(follows_from(recent, {"print(count(x))"}, {"print(tally(x, rate))"}));
  EXPECT_TRUE(follows_from(recent, {"for x in items:"}, {"for x in items * rate:"})) << "came in";
  EXPECT_FALSE(follows_from(recent, {"x = 1"}, {"x = 2"}));
  EXPECT_FALSE(follows_from(recent, {"print(x)"}, {"print(tally(x), y, z, w)"}));
  EXPECT_FALSE(follows_from(made({}, {"log(a, b, c)"}), {"keep(this)"}, {"log(a, b, c)"}))
      << "nothing was taken away";
}

TEST(FollowsFrom, SixtyPercentOfTheWordsOnEachSide) {
  const auto came = made({}, {"a b c"});
  EXPECT_TRUE(follows_from(came, {}, {"a b c d e"})) << "three of five";
  EXPECT_FALSE(follows_from(came, {}, {"a b d e"})) << "two of four";
  EXPECT_FALSE(follows_from(came, {}, {"a b c d e f"})) << "three of six";
  EXPECT_TRUE(follows_from(came, {}, {"a b c (d, e)"})) << "brackets are no words";
  const auto went = made({"a b c"}, {});
  EXPECT_TRUE(follows_from(went, {"a b c d e"}, {}));
  EXPECT_FALSE(follows_from(went, {"a b d e"}, {}));
  EXPECT_FALSE(follows_from(went, {"a b c d e f"}, {}));
  const auto both = made({"a b c"}, {"x y z"});
  EXPECT_TRUE(follows_from(both, {"a b c"}, {"x y z"}));
  EXPECT_FALSE(follows_from(both, {"a b c d e f"}, {"x y z"})) << "one side does not pay for both";
  EXPECT_FALSE(follows_from(both, {"a b c"}, {"x y z u v w"}));
}

TEST(FollowsFrom, NothingThatIndentsLinesAnewUnlessThePersonDid) {
  const std::vector<RecentChange> renamed = made({"x.items"}, {"x.counts"});
  const std::vector<std::string> before = {"def f(x):", "  return x.items"};
  EXPECT_TRUE(follows_from(renamed, before, {"def f(x):", "  return x.counts"}));
  EXPECT_FALSE(follows_from(renamed, before, {"  def f(x):", "    return x.counts"}));
  const std::vector<RecentChange> moved =
      made({"x.items", "y = 1"}, {"if ready:", "  x.counts", "  y = 1"});
  EXPECT_TRUE(follows_from(moved, before, {"  def f(x):", "    return x.counts"}))
      << "as the person did";
}

// Not even together with words that the change explains.
TEST(FollowsFrom, NoWordThatTheUserAddedOrRemovedTurnsBack) {
  const auto recent = made({"old"}, {"a b c"});
  EXPECT_TRUE(follows_from(recent, {}, {"a b c other"}));
  EXPECT_FALSE(follows_from(recent, {}, {"a b c old"}));
  const auto converse = made({"a b c"}, {"fresh"});
  EXPECT_TRUE(follows_from(converse, {"a b c other"}, {}));
  EXPECT_FALSE(follows_from(converse, {"a b c fresh"}, {}));
  // A word that went in one place and came in another has no direction.
  std::vector<RecentChange> moved = made({"a b old"}, {"a b"});
  moved.push_back(made({"x"}, {"x y z old"}).front());
  EXPECT_TRUE(follows_from(moved, {}, {"y z old"}));
}

TEST(FollowsFrom, AcceptsTheSameChangeWithOtherWords) {
  const auto recent = made({"func Text(key any) (s string) {"}, {"func Text(key any) string {"});
  EXPECT_TRUE(follows_from(recent, {"func Map(key any) (table map[string][]int) {"},
                           {"func Map(key any) map[string][]int {"}));
  EXPECT_FALSE(follows_from(recent, {"func Map(key any) (table map[string][]int) {"},
                            {"func Map(key any) []int {"}));
}

TEST(FollowsFrom, PunctuationTurnsNothingBack) {
  auto recent = made({}, {"import org.tool.Loud;"});
  recent.push_back(made({"check(Loud.class, size(a));"}, {"checkLoud(size(a));"}).front());
  EXPECT_TRUE(follows_from(recent, {"check(Loud.class, size(b));"}, {"checkLoud(size(b));"}));
}

TEST(FollowsFrom, NotWhiteSpaceAndNoUndo) {
  const auto recent = made({"a = count(b)"}, {"a = tally(b)"});
  EXPECT_FALSE(follows_from(recent, {"a = count(b)"}, {"    a = count(b)"}));
  EXPECT_FALSE(follows_from(recent, {""}, {}));
  EXPECT_FALSE(follows_from(recent, {"a = tally(b)"}, {"a = count(b)"}));
  EXPECT_FALSE(follows_from(made({"log(a)"}, {}), {}, {"log(a)"}));
  EXPECT_FALSE(follows_from(made({}, {"log(a)"}), {"log(a)"}, {}));
}

}  // namespace
}  // namespace redraft
