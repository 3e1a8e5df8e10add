// Every form in which editors synchronise a document.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/lsp/server_fixture.h"

namespace redraft::lsp {
namespace {

class SyncTest : public ServerTest {
 protected:
  SyncTest() { initialize({{"workspace", {{"applyEdit", true}}}}); }

  static Json span(Json start_line, Json start, Json end_line, Json end) {
    return {{"start", {{"line", std::move(start_line)}, {"character", std::move(start)}}},
            {"end", {{"line", std::move(end_line)}, {"character", std::move(end)}}}};
  }
  std::vector<Json> change(Json version, Json changes) {
    return notify("textDocument/didChange",
                  {{"textDocument", {{"uri", "file:///a.py"}, {"version", std::move(version)}}},
                   {"contentChanges", std::move(changes)}});
  }
  // A line of the server's text, as a quick fix there quotes it; null if the document is not open.
  Json line(int number) {
    const Json range = span(number, 0, number, 0);
    const Json actions =
        request(
            "textDocument/codeAction",
            {{"textDocument", {{"uri", "file:///a.py"}}},
             {"range", range},
             {"context",
              {{"diagnostics", {{{"range", range}, {"message", "m"}}}}, {"only", {"quickfix"}}}}})
            .at("result");
    if (actions.empty()) return nullptr;
    const Json& action =
        actions[0].contains("data") ? actions[0]["data"] : actions[0]["arguments"][0];
    const auto text = action.at("instruction").get<std::string>();
    const std::size_t begin = text.find('`') + 1;
    return text.substr(begin, text.rfind('`') - begin);
  }
};

TEST_F(SyncTest, IncrementalChanges) {
  open("one\ntwo\nthree\n");
  change(2, {{{"range", span(1, 0, 1, 3)}, {"text", "2"}}});
  EXPECT_EQ(line(1), "2");
  change(3, {{{"range", span(1, 0, 1, 1)}, {"rangeLength", 77}, {"text", "zwei"}}});
  EXPECT_EQ(line(1), "zwei") << "rangeLength says nothing";
}

TEST_F(SyncTest, ChangesOfOneNotificationFollowEachOther) {
  open("one\ntwo\n");
  change(2, {{{"range", span(0, 0, 0, 0)}, {"text", "zero\n"}},
             {{"range", span(1, 0, 1, 3)}, {"text", "1"}},
             {{"range", span(2, 3, 2, 3)}, {"text", "!"}}});
  EXPECT_EQ(line(0), "zero");
  EXPECT_EQ(line(1), "1");
  EXPECT_EQ(line(2), "two!");
}

TEST_F(SyncTest, WholeTexts) {
  open("one\n");
  change(2, {{{"text", "other\n"}}});
  EXPECT_EQ(line(0), "other");
  change(3, {{{"range", nullptr}, {"text", "third\n"}}});
  EXPECT_EQ(line(0), "third");
  change(4, {{{"range", span(0, 0, 0, 1)}, {"text", "T"}},
             {{"text", "whole\nagain\n"}},
             {{"range", span(1, 0, 1, 5)}, {"text", "once more"}}});
  EXPECT_EQ(line(0), "whole");
  EXPECT_EQ(line(1), "once more");
}

TEST_F(SyncTest, NoChangesAtAllAreANewVersion) {
  open("one\n");
  EXPECT_TRUE(change(2, Json::array()).empty());
  EXPECT_EQ(line(0), "one");
  EXPECT_EQ(code(edit({{"textDocument", {{"uri", "file:///a.py"}, {"version", 1}}},
                       {"instruction", "x"}})),
            -32801);
}

// Some clients always send 1, or begin to count anew.
TEST_F(SyncTest, AVersionThatDoesNotRiseIsCountedUp) {
  open("one\ntwo\n");
  for (const Json& version : Json{1, 1, 0, 1, -7, 1}) {
    EXPECT_TRUE(change(version, {{{"range", span(0, 0, 0, 0)}, {"text", "x"}}}).empty());
  }
  EXPECT_EQ(line(0), "xxxxxxone");
  EXPECT_TRUE(change(1, {{{"range", span(1, 3, 1, 3)}, {"text", "!"}}}).empty());
  EXPECT_EQ(line(1), "two!");
}

TEST_F(SyncTest, ARequestNamesTheVersionThatTheClientCounts) {
  const auto edit_of = [this](Json version) {
    const Json identifier = {{"uri", "file:///a.py"}, {"version", std::move(version)}};
    return edit({{"textDocument", identifier}, {"instruction", "x"}});
  };
  open("one\n", 1);
  change(1, {{{"text", "two\n"}}});
  EXPECT_TRUE(edit_of(1).contains("result")) << "the client's";
  EXPECT_TRUE(edit_of(2).contains("result")) << "redraft's";
  EXPECT_EQ(code(edit_of(3)), -32801);
  change(5, {{{"text", "three\n"}}});
  EXPECT_TRUE(edit_of(5).contains("result"));
  EXPECT_EQ(code(edit_of(1)), -32801);
  EXPECT_EQ(code(edit_of(2)), -32801);
}

TEST_F(SyncTest, AnOpenedDocumentNeedsNoVersion) {
  const Json document = {{"uri", "file:///a.py"}, {"languageId", "python"}, {"text", "one\n"}};
  EXPECT_TRUE(notify("textDocument/didOpen", {{"textDocument", document}}).empty());
  EXPECT_EQ(line(0), "one");
  EXPECT_TRUE(notify("textDocument/didChange", {{"textDocument", {{"uri", "file:///a.py"}}},
                                                {"contentChanges", {{{"text", "two\n"}}}}})
                  .empty());
  EXPECT_EQ(line(0), "two");
}

TEST_F(SyncTest, NumbersMayBeWrittenWithAFraction) {
  open("one\ntwo\n");
  receive(R"({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
      "textDocument": {"uri": "file:///a.py", "version": 2.0},
      "contentChanges": [{"range": {"start": {"line": 1.0, "character": 0.0},
                                    "end": {"line": 1.0, "character": 3.0}}, "text": "2"}]}})");
  EXPECT_EQ(line(1), "2");
}

TEST_F(SyncTest, ADiagnosticMayHaveMarkup) {
  open("one\n");
  const Json range = span(0, 0, 0, 3);
  const auto fix_for = [&](const Json& message) {
    return request(
        "textDocument/codeAction",
        {{"textDocument", {{"uri", "file:///a.py"}}},
         {"range", range},
         {"context",
          {{"diagnostics", {{{"range", range}, {"message", message}}}}, {"only", {"quickfix"}}}}});
  };
  const Json marked = {{"kind", "markdown"}, {"value", "`one` is not defined"}};
  const Json action = fix_for(marked).at("result").at(0);
  EXPECT_EQ(action.at("title"), "Fix with redraft: `one` is not defined");
  EXPECT_EQ(code(fix_for({{"kind", "markdown"}})), -32602) << "without a text";
}

TEST_F(SyncTest, PlacesBeyondTheTextAreItsEnds) {
  open("one\ntwo");
  change(2, {{{"range", span(0, 2000000000, 0, UINT64_MAX)}, {"text", "!"}}});
  EXPECT_EQ(line(0), "one!");
  change(3, {{{"range", span(INT32_MAX, 7, UINT64_MAX, 0)}, {"text", "\nend"}}});
  EXPECT_EQ(line(2), "end");
  change(4, {{{"range", span(2, 1, 2, 0)}, {"text", "E"}}});
  EXPECT_EQ(line(2), "End") << "a range whose ends are swapped";
}

TEST_F(SyncTest, OpenedTwiceIsANewBeginning) {
  open("one\n", 7);
  open("other\n", 1);
  EXPECT_EQ(line(0), "other");
  EXPECT_TRUE(change(2, {{{"text", "third\n"}}}).empty());
  EXPECT_EQ(line(0), "third");
}

TEST_F(SyncTest, AnOpenThatCannotBeReadLeavesNothingOpen) {
  for (const char* wrong :
       {R"({"version": 1, "languageId": "python"})", R"({"version": 1.5, "text": "x"})",
        R"({"version": "1", "text": "x"})", R"({"version": 2, "text": ["x"]})",
        R"({"version": 2, "text": "x", "languageId": 3})"}) {
    SCOPED_TRACE(wrong);
    open("one\n");
    ASSERT_EQ(line(0), "one");
    Json document = Json::parse(wrong);
    document["uri"] = "file:///a.py";
    const std::vector<Json> sent = notify("textDocument/didOpen", {{"textDocument", document}});
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].at("method"), "window/showMessage");
    EXPECT_EQ(line(0), nullptr);
  }
}

TEST_F(SyncTest, WhatIsNotOpenIsNeitherChangedNorClosed) {
  EXPECT_TRUE(change(2, {{{"text", "x"}}}).empty());
  EXPECT_EQ(line(0), nullptr);
  EXPECT_TRUE(
      notify("textDocument/didClose", {{"textDocument", {{"uri", "file:///a.py"}}}}).empty());
  EXPECT_TRUE(
      notify("textDocument/didSave", {{"textDocument", {{"uri", "file:///a.py"}}}}).empty());
  open("one\n");
  notify("textDocument/didClose", {{"textDocument", {{"uri", "file:///a.py"}}}});
  EXPECT_TRUE(change(2, {{{"text", "x"}}}).empty());
  EXPECT_EQ(line(0), nullptr);
}

TEST_F(SyncTest, VersionsMayBeLargeAndNegative) {
  open("one\n");
  EXPECT_TRUE(change(INT64_MAX, {{{"text", "last\n"}}}).empty());
  EXPECT_EQ(line(0), "last");
  EXPECT_EQ(change(nullptr, {{{"text", "after\n"}}}).size(), 1U) << "no version is above it";
  EXPECT_EQ(line(0), nullptr);
  notify("textDocument/didOpen", {{"textDocument",
                                   {{"uri", "file:///a.py"},
                                    {"languageId", "python"},
                                    {"version", INT64_MIN},
                                    {"text", "one\n"}}}});
  EXPECT_TRUE(change(-3, {{{"text", "two\n"}}}).empty());
  EXPECT_EQ(line(0), "two");
}

TEST_F(SyncTest, WillSaveIsNotAnnounced) {
  EXPECT_EQ(code(request("textDocument/willSaveWaitUntil",
                         {{"textDocument", {{"uri", "file:///a.py"}}}, {"reason", 1}})),
            -32601);
  EXPECT_TRUE(
      notify("textDocument/willSave", {{"textDocument", {{"uri", "file:///a.py"}}}, {"reason", 1}})
          .empty());
}

}  // namespace
}  // namespace redraft::lsp
