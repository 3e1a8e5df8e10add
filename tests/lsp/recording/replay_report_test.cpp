#include "lsp/recording/replay_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lsp/recording/answer_streams.h"

namespace redraft::lsp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json parsed(const std::string& text) { return Json::parse(text); }

// A client that sends request 7, a completion, and what a server answers: one message per line from
// line 2 on.
AnswerStreams session(const std::vector<std::string>& answers) {
  AnswerStreams streams;
  streams.client_said(parsed(R"({"id":7,"method":"textDocument/completion"})"));
  int line = 2;
  for (const std::string& answer : answers) streams.server_said(parsed(answer), line++);
  return streams;
}

std::vector<std::string> compare(const std::vector<std::string>& recorded,
                                 const std::vector<std::string>& replayed) {
  return differences(session(recorded), session(replayed));
}

std::string news(int edit, const std::string& kind, const std::string& more = {}) {
  return R"({"method":"$/redraft/edit","params":{"editId":)" + std::to_string(edit) +
         R"(,"kind":")" + kind + "\"" + more + "}}";
}

TEST(ReplayReport, NamesThePlaceThatDiffers) {
  EXPECT_THAT(compare({R"({"id":7,"result":{"items":[{"text":"a"}]}})"},
                      {R"({"id":7,"result":{"items":[{"text":"b"}]}})"}),
              ElementsAre("line 2: answer to textDocument/completion (7): /result/items/0/text was "
                          "\"a\", is \"b\""));
  EXPECT_THAT(compare({R"({"id":7,"result":[1]})"}, {R"({"id":7,"error":{"code":1}})"}),
              ElementsAre("line 2: answer to textDocument/completion (7): /error was not there, is "
                          "{\"code\":1}; /result was [1], is not there"));
}

TEST(ReplayReport, NamesWhatDidNotComeAndWhatCameBesides) {
  EXPECT_THAT(compare({news(1, "hunk"), news(1, "end"), news(2, "end")}, {news(1, "hunk")}),
              ElementsAre("line 3: $/redraft/edit of edit 1: missing in the replay",
                          "line 4: $/redraft/edit of edit 2: missing in the replay"));
  EXPECT_THAT(compare({}, {news(1, "hunk"), news(1, "end")}),
              ElementsAre("$/redraft/edit of edit 1: sent 2 times more often than recorded"));
}

TEST(ReplayReport, OrderCountsWithinAStreamAlone) {
  const std::string message = R"({"method":"window/showMessage","params":{"message":"a"}})";
  EXPECT_THAT(compare({news(1, "hunk"), news(2, "hunk"), message},
                      {message, news(2, "hunk"), news(1, "hunk")}),
              IsEmpty());
  EXPECT_THAT(compare({news(1, "hunk"), news(1, "end")}, {news(1, "end"), news(1, "hunk")}).size(),
              2U);
}

TEST(ReplayReport, TimesNumbersOfOursAndTokensMayDiffer) {
  EXPECT_THAT(
      compare({news(1, "hunk", R"(,"seq":3)"),
               news(1, "end", R"(,"seq":4,"statistics":{"newTokens":5,"passes":2})"),
               R"({"id":3,"method":"workspace/applyEdit","params":{}})",
               R"({"method":"$/progress","params":{"token":"a","value":["action"]}})"},
              {news(1, "hunk", R"(,"seq":0)"),
               news(1, "end", R"(,"seq":1,"statistics":{"newTokens":5,"passes":4,"rows":9})"),
               R"({"id":8,"method":"workspace/applyEdit","params":{}})",
               R"({"method":"$/progress","params":{"token":"b","value":["action"]}})"}),
      IsEmpty());
  EXPECT_THAT(compare({news(1, "end", R"(,"statistics":{"newTokens":5})")},
                      {news(1, "end", R"(,"statistics":{"newTokens":6})")}),
              ElementsAre(HasSubstr("/params/statistics/newTokens was 5, is 6")));
}

TEST(ReplayReport, HowFarACancelledEditCameIsChance) {
  const std::string cancelled =
      news(1, "end", R"(,"state":"cancelled","finishReason":"cancelled")");
  const std::string done = news(1, "end", R"(,"state":"done","finishReason":"stop")");
  EXPECT_THAT(compare({news(1, "hunk"), cancelled}, {news(1, "hunk"), news(1, "hunk"), done}),
              IsEmpty());
  EXPECT_THAT(compare({news(1, "hunk"), cancelled}, {cancelled}), IsEmpty());
  EXPECT_THAT(compare({news(1, "hunk", R"(,"newText":"a")"), cancelled},
                      {news(1, "hunk", R"(,"newText":"b")"), cancelled})
                  .size(),
              1U);
  EXPECT_THAT(compare({news(1, "hunk"), cancelled}, {news(1, "hunk")}).size(), 1U);
  EXPECT_THAT(compare({news(1, "hunk"), done}, {news(1, "hunk"), cancelled}).size(), 1U);
}

// The command may arrive when the edit's end is on its way to the client, or just before.
TEST(ReplayReport, WhetherACancelCameInTimeIsChance) {
  const std::string cancelled = news(1, "end", R"(,"state":"cancelled")");
  const std::string done = news(1, "end", R"(,"state":"done")");
  const auto said = [](const std::string& arguments, const std::vector<std::string>& answers) {
    AnswerStreams streams;
    streams.client_said(parsed(R"({"id":9,"method":"workspace/executeCommand","params":)"
                               R"({"command":"redraft.cancel","arguments":)" +
                               arguments + "}}"));
    for (const std::string& answer : answers) streams.server_said(parsed(answer), 1);
    return streams;
  };
  const auto found = [&](const std::string& arguments, const std::vector<std::string>& replayed) {
    return differences(said(arguments, {news(1, "hunk"), done}), said(arguments, replayed)).size();
  };
  EXPECT_EQ(found(R"([{"editId":1}])", {news(1, "hunk"), cancelled}), 0U);
  EXPECT_EQ(found(R"([{"editId":1}])", {news(1, "hunk"), done}), 0U);
  EXPECT_EQ(found(R"([{"editId":1}])", {news(1, "other"), cancelled}), 1U);
  for (const char* other : {R"([{"editId":2}])", "[]", "[1]", "[{}]", "1"})
    EXPECT_EQ(found(other, {news(1, "hunk"), cancelled}), 1U) << other;

  const auto answers = [&](const std::string& arguments, const std::string& replayed) {
    return differences(said(arguments, {R"({"id":9,"result":{"cancelled":true}})"}),
                       said(arguments, {replayed}))
        .size();
  };
  EXPECT_EQ(answers(R"([{"editId":1}])", R"({"id":9,"result":{"cancelled":false}})"), 0U);
  EXPECT_EQ(answers(R"([{"editId":1}])", R"({"id":9,"error":{"code":1}})"), 1U);
  EXPECT_EQ(answers("[]", R"({"id":9,"result":{"cancelled":false}})"), 1U);
}

TEST(ReplayReport, WhatComesByTheClockMayComeOrNot) {
  EXPECT_THAT(compare({news(1, "progress"), news(1, "region"),
                       R"({"method":"$/redraft/prepare","params":{"fraction":0.5}})",
                       R"({"method":"$/logTrace","params":{}})",
                       R"({"method":"$/progress","params":{"token":1,"value":{"kind":"begin"}}})",
                       R"({"id":0,"method":"window/workDoneProgress/create","params":{}})"},
                      {}),
              IsEmpty());
}

TEST(ReplayReport, ShowsLongValuesInPart) {
  const std::string text(5000, 'x');
  const auto found = compare({R"({"id":7,"result":")" + text + "\"}"}, {R"({"id":7,"result":1})"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LT(found[0].size(), 300U);
}

TEST(ReplayReport, TheEndOfACancelledEditMayBeOutrunByItsNews) {
  const std::string end = news(1, "end", R"(,"state":"cancelled")");
  EXPECT_THAT(compare({news(1, "hunk"), end}, {news(1, "hunk"), news(1, "hunk")}), IsEmpty());
  EXPECT_THAT(compare({news(1, "hunk"), end}, {news(1, "hunk")}),
              ElementsAre(HasSubstr("missing in the replay")));
}

TEST(ReplayReport, MoreMayComeWhereTheClientHadGone) {
  const std::string status = R"({"method":"$/redraft/status","params":{}})";
  AnswerStreams gone = session({status});
  gone.client_went();
  EXPECT_THAT(differences(gone, session({status, status, news(1, "hunk")})), IsEmpty());
  EXPECT_THAT(differences(gone, session({})), ElementsAre(HasSubstr("missing in the replay")));

  AnswerStreams orderly = session({status});
  orderly.client_said(parsed(R"({"id":8,"method":"shutdown"})"));
  orderly.client_went();
  EXPECT_THAT(differences(orderly, session({status, status})),
              ElementsAre(HasSubstr("1 times more")));
}

TEST(AnswerStreams, RequestsOfTheServerAreFoundByTheirPlace) {
  AnswerStreams recorded, replayed;
  const auto ask = [](AnswerStreams& streams, int id, const char* method) {
    streams.server_said({{"id", id}, {"method", method}});
  };
  ask(recorded, 0, "workspace/configuration");
  ask(recorded, 1, "window/workDoneProgress/create");
  ask(recorded, 2, "workspace/applyEdit");
  ask(replayed, 0, "workspace/configuration");
  ask(replayed, 1, "workspace/applyEdit");
  const auto place = recorded.place_of(2);
  ASSERT_TRUE(place);
  EXPECT_EQ(replayed.id_at(*place), Json(1));
  EXPECT_EQ(replayed.id_at(*recorded.place_of(1)), std::nullopt);
  EXPECT_FALSE(recorded.place_of(9));
}

}  // namespace
}  // namespace redraft::lsp
