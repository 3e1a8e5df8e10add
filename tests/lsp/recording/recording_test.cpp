#include "lsp/recording/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace redraft::lsp {
namespace {

using From = RecordedMessage::From;
using Kind = RecordedMessage::Kind;
using testing::HasSubstr;

const std::string kHeader = to_line({.version = "1", .build = "b", .options = {"lsp", "--stdio"}});

std::string line_of(From from, double milliseconds, std::string_view content) {
  RecordedMessage message = to_recorded(from, content);
  message.milliseconds = milliseconds;
  return to_line(message);
}

std::string gone_line(double milliseconds) {
  return to_line({.kind = Kind::kGone, .milliseconds = milliseconds});
}

std::string error_of(const std::string& text) {
  const Result<Recording> recording = parse_recording(text);
  return recording ? "none" : recording.error().message();
}

TEST(Recording, IsReadAsItWasWritten) {
  const std::string text =
      kHeader + line_of(From::kClient, 0.25, R"({"id": 1, "method": "initialize"})") +
      line_of(From::kServer, 12.3456, R"({"id": 1, "result": null})") +
      line_of(From::kClient, 13, "{\"cut\xFF") + line_of(From::kClient, 14, "null") + gone_line(15);
  const Result<Recording> recording = parse_recording(text);
  ASSERT_TRUE(recording) << recording.error().message();
  EXPECT_EQ(recording->header.version, "1");
  EXPECT_EQ(recording->header.build, "b");
  EXPECT_EQ(recording->header.options, (std::vector<std::string>{"lsp", "--stdio"}));
  EXPECT_FALSE(recording->cut_off);
  const auto& messages = recording->messages;
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_EQ(messages[0].from, From::kClient);
  EXPECT_EQ(messages[0].milliseconds, 0.25);
  EXPECT_EQ(messages[0].message, (Json{{"id", 1}, {"method", "initialize"}}));
  EXPECT_EQ(messages[0].line, 2);
  EXPECT_EQ(messages[1].from, From::kServer);
  EXPECT_EQ(messages[1].milliseconds, 12.346);
  EXPECT_EQ(messages[2].kind, Kind::kMalformed);
  EXPECT_EQ(messages[2].text, "{\"cut\xEF\xBF\xBD");
  EXPECT_EQ(messages[3].kind, Kind::kMalformed);
  EXPECT_EQ(messages[3].text, "null");
  EXPECT_EQ(messages[4].kind, Kind::kGone);
}

TEST(Recording, KeepsWhatWasNotRead) {
  const UnreadMessage unread{.bytes = 99,
                             .outline = {.id = "a", .method = "textDocument/didOpen", .uri = "u"}};
  const Result<Recording> recording =
      parse_recording(kHeader + to_line({.kind = Kind::kUnread, .unread = unread}) +
                      to_line({.kind = Kind::kUnframed, .text = "no header"}));
  ASSERT_TRUE(recording) << recording.error().message();
  ASSERT_EQ(recording->messages.size(), 2U);
  EXPECT_EQ(recording->messages[0].kind, Kind::kUnread);
  EXPECT_EQ(recording->messages[0].unread, unread);
  EXPECT_EQ(recording->messages[1].kind, Kind::kUnframed);
  EXPECT_EQ(recording->messages[1].text, "no header");
}

TEST(Recording, IsOneLineAMessage) {
  const std::string line = line_of(From::kClient, 1, "{\"text\":\n\n \"a\\nb\"}\r\n");
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const Result<Recording> recording = parse_recording(kHeader + line);
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->messages.at(0).message, (Json{{"text", "a\nb"}}));
}

TEST(Recording, MayEndWithinALine) {
  const std::string whole = kHeader + line_of(From::kClient, 1, R"({"id":1,"method":"m"})");
  const std::string last = line_of(From::kServer, 2, R"({"id":1,"result":"…"})");
  for (std::size_t cut = 1; cut + 2 < last.size(); ++cut) {
    const Result<Recording> recording = parse_recording(whole + last.substr(0, cut));
    ASSERT_TRUE(recording) << cut << ": " << recording.error().message();
    EXPECT_TRUE(recording->cut_off);
    EXPECT_EQ(recording->messages.size(), 1U);
  }
}

TEST(Recording, WhatIsNoneIsAnErrorWithItsLine) {
  EXPECT_EQ(error_of(""), "the recording is empty");
  EXPECT_EQ(error_of("\n  \n"), "the recording is empty");
  EXPECT_THAT(error_of("{}"), HasSubstr("line 1: this is not a redraft recording"));
  EXPECT_THAT(error_of("import os\nimport sys\n"), HasSubstr("line 1: malformed JSON"));
  EXPECT_THAT(error_of("[]\n"), HasSubstr("line 1: this is not a JSON object"));
  EXPECT_THAT(error_of(R"({"redraft_recording":2,"version":"9.9"})"),
              HasSubstr("has format 2, but this redraft reads 1. Replay it with the redraft 9.9"));
  EXPECT_THAT(error_of(kHeader + "{\"t\":1\n" + gone_line(2)), HasSubstr("line 2: malformed JSON"));
  EXPECT_THAT(error_of(kHeader + std::string(300, '[') + "\n"), HasSubstr("line 2: JSON nested"));
  EXPECT_THAT(error_of(kHeader + R"({"t":-1,"from":"client","message":{}})"),
              HasSubstr("line 2: \"t\" must be"));
  EXPECT_THAT(error_of(kHeader + R"({"t":"1","from":"client","message":{}})"),
              HasSubstr("line 2: \"t\" must be"));
  EXPECT_THAT(error_of(kHeader + R"({"t":1,"from":"me","message":{}})"),
              HasSubstr("line 2: \"from\" must be"));
  EXPECT_THAT(error_of(kHeader + R"({"t":1,"from":"client"})"),
              HasSubstr("line 2: there is no \"message\""));
  EXPECT_THAT(error_of(kHeader + R"({"t":1,"from":"server","malformed":"x"})"),
              HasSubstr("line 2: there is no \"message\""));
  EXPECT_THAT(error_of(kHeader + R"({"t":1,"from":"server","message":[]})"),
              HasSubstr("line 2: there is no \"message\""));
}

TEST(Recording, CommentsAndBlankLinesAreAllowed) {
  const Result<Recording> recording = parse_recording(
      kHeader + "\r\n" + R"({"t":1,"from":"client","message":{},"why":"because"})" + "\r\n");
  ASSERT_TRUE(recording) << recording.error().message();
  EXPECT_EQ(recording->messages.size(), 1U);
  EXPECT_EQ(recording->messages[0].line, 3);
}

}  // namespace
}  // namespace redraft::lsp
