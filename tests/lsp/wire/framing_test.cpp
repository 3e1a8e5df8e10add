#include "lsp/wire/framing.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace redraft::lsp {
namespace {

// All messages that are read when `stream` arrives in pieces of `piece` bytes; the error ends the
// list.
struct Outcome {
  std::vector<std::string> messages;
  std::vector<UnreadMessage> unread;
  std::string error;
  bool at_boundary = false;
};

Outcome read_in_pieces(std::string_view stream, std::size_t piece, FrameLimits limits = {}) {
  FrameReader reader;
  reader.limit_messages(limits);
  Outcome outcome;
  while (!stream.empty() && outcome.error.empty()) {
    reader.append(stream.substr(0, piece));
    stream.remove_prefix(std::min(piece, stream.size()));
    while (true) {
      Result<std::optional<Frame>> frame = reader.next();
      if (!frame) outcome.error = frame.error().message();
      if (!frame || !*frame) break;
      if (const auto* unread = std::get_if<UnreadMessage>(&**frame)) {
        outcome.unread.push_back(*unread);
      } else {
        outcome.messages.push_back(std::get<std::string>(**frame));
      }
    }
  }
  outcome.at_boundary = reader.at_boundary();
  return outcome;
}

TEST(Framing, MessagesComeOutHoweverTheBytesArrive) {
  const std::vector<std::string> messages = {"{}", "",
                                             "{\"text\":\"Content-Length: 3\\r\\n\\r\\n\"}",
                                             "é😀\r\n\r\n", std::string(5000, 'x')};
  std::string stream;
  for (const std::string& message : messages) stream += frame(message);
  for (std::size_t piece = 1; piece < 40; ++piece) {
    const Outcome outcome = read_in_pieces(stream, piece);
    EXPECT_EQ(outcome.messages, messages) << "pieces of " << piece;
    EXPECT_TRUE(outcome.at_boundary);
  }
  EXPECT_EQ(read_in_pieces(stream, stream.size()).messages, messages);
}

TEST(Framing, ASplitAtEveryByteChangesNothing) {
  const std::string stream =
      "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length :  7 "
      "\r\n\r\n{\"a\":1}" +
      frame("[]");
  for (std::size_t split = 0; split <= stream.size(); ++split) {
    FrameReader reader;
    std::vector<std::string> messages;
    for (const std::string& part : {stream.substr(0, split), stream.substr(split)}) {
      reader.append(part);
      while (true) {
        Result<std::optional<Frame>> message = reader.next();
        ASSERT_TRUE(message) << message.error().message();
        if (!*message) break;
        messages.push_back(std::get<std::string>(**message));
      }
    }
    EXPECT_EQ(messages, (std::vector<std::string>{"{\"a\":1}", "[]"})) << "split at " << split;
  }
}

struct BadHeader {
  const char* name;
  std::string stream;
  const char* reason;
};

class MalformedFraming : public testing::TestWithParam<BadHeader> {};

TEST_P(MalformedFraming, IsAnErrorThatStays) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, GetParam().stream.size()}) {
    const Outcome outcome = read_in_pieces(GetParam().stream + frame("{}"), piece);
    EXPECT_TRUE(outcome.messages.empty());
    EXPECT_NE(outcome.error.find(GetParam().reason), std::string::npos) << outcome.error;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Headers, MalformedFraming,
    testing::Values(
        BadHeader{"negative", "Content-Length: -1\r\n\r\n", "not a number"},
        BadHeader{"word", "Content-Length: many\r\n\r\n", "not a number"},
        BadHeader{"none", "Content-Length:\r\n\r\n", "not a number"},
        BadHeader{"trailing", "Content-Length: 2x\r\n\r\n", "not a number"},
        BadHeader{"fraction", "Content-Length: 2.5\r\n\r\n", "not a number"},
        BadHeader{"beyond_limit", "Content-Length: 4294967297\r\n\r\n", "4096 MB"},
        BadHeader{"beyond_integers", "Content-Length: 99999999999999999999999\r\n\r\n", "4096 MB"},
        BadHeader{"missing", "Content-Type: text\r\n\r\n", "without Content-Length"},
        BadHeader{"two", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n", "two different"},
        BadHeader{"no_colon", "Content-Length 2\r\n\r\n", "without a colon"},
        BadHeader{"bare_newlines", "Content-Length: 2\n\n{}", "expected a header"},
        BadHeader{"a_bare_newline", "Content-Length: 2\r\n\n\r{}\r\n", "expected a header"},
        BadHeader{"leading_blank", " Content-Length: 2\r\n\r\n{}", "expected a header"},
        BadHeader{"json_alone", "{\"jsonrpc\": \"2.0\"}\n", "expected a header"},
        BadHeader{"empty", "\r\n\r\n", "header"},
        BadHeader{"endless", "X: " + std::string(9000, 'x'), "8 KB"}),
    [](const auto& test) { return test.param.name; });

TEST(Framing, ATruncatedMessageIsNoMessageAndNoBoundary) {
  const std::string stream = frame("{\"jsonrpc\":\"2.0\"}");
  for (std::size_t length = 1; length < stream.size(); ++length) {
    const Outcome outcome = read_in_pieces(stream.substr(0, length), length);
    EXPECT_TRUE(outcome.messages.empty());
    EXPECT_EQ(outcome.error, "");
    EXPECT_FALSE(outcome.at_boundary);
  }
}

TEST(Framing, AMessageOfTheLimitPassesAndAHugePromiseTakesNoMemory) {
  FrameReader reader;
  reader.append("Content-Length: " + std::to_string(kMessageLimit) + "\r\n\r\n");
  const std::string part(1 << 20, 'x');
  for (std::size_t sent = 0; sent < kMessageLimit; sent += part.size()) {
    Result<std::optional<Frame>> early = reader.next();
    ASSERT_TRUE(early);
    ASSERT_FALSE(*early);
    reader.append(part);
  }
  Result<std::optional<Frame>> message = reader.next();
  ASSERT_TRUE(message);
  ASSERT_TRUE(*message);
  EXPECT_EQ(std::get<std::string>(**message).size(), kMessageLimit);
}

TEST(Framing, AMessageBeyondTheLimitIsPassedOverAndTheStreamGoesOn) {
  const std::string large =
      R"({"method":"textDocument/didOpen","params":{"textDocument":{"text":")" +
      std::string(300, 'x') + R"(","uri":"file:///a"}}})";
  const std::string stream = frame("{}") + frame(large) + frame("[]") + frame(large) + frame("1");
  const UnreadMessage unread{
      .bytes = large.size(),
      .outline = {.id = nullptr, .method = "textDocument/didOpen", .uri = "file:///a"}};
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{7}, std::size_t{100}, stream.size()}) {
    const Outcome outcome = read_in_pieces(stream, piece, {.read = 299, .passed_over = 1000});
    EXPECT_EQ(outcome.messages, (std::vector<std::string>{"{}", "[]", "1"})) << piece;
    EXPECT_EQ(outcome.unread, (std::vector{unread, unread})) << piece;
    EXPECT_EQ(outcome.error, "");
    EXPECT_TRUE(outcome.at_boundary);
  }
}

TEST(Framing, WhatIsLargerStillIsMalformed) {
  const Outcome outcome =
      read_in_pieces(frame(std::string(20, 'x')), 5, {.read = 9, .passed_over = 19});
  EXPECT_TRUE(outcome.unread.empty());
  EXPECT_NE(outcome.error.find("beyond the limit"), std::string::npos);
}

TEST(Framing, AMessageThatIsPassedOverHasItsBoundaryAtItsEnd) {
  const std::string stream = frame(std::string(20, 'x'));
  for (std::size_t length = 1; length < stream.size(); ++length) {
    const Outcome outcome =
        read_in_pieces(stream.substr(0, length), length, {.read = 9, .passed_over = 99});
    EXPECT_TRUE(outcome.unread.empty());
    EXPECT_FALSE(outcome.at_boundary) << length;
  }
}

TEST(Framing, WhatIsPassedOverIsNotKept) {
  FrameReader reader;
  const std::size_t size = 3 * kMessageLimit;
  reader.append("Content-Length: " + std::to_string(size) + "\r\n\r\n");
  const std::string part(1 << 20, 'x');
  for (std::size_t sent = 0; sent < size; sent += part.size()) {
    Result<std::optional<Frame>> early = reader.next();
    ASSERT_TRUE(early);
    ASSERT_FALSE(*early);
    reader.append(part);
    ASSERT_LE(reader.buffered_bytes(), 2 * part.size());
  }
  Result<std::optional<Frame>> message = reader.next();
  ASSERT_TRUE(message);
  ASSERT_TRUE(*message);
  EXPECT_EQ(std::get<UnreadMessage>(**message).bytes, size);
}

}  // namespace
}  // namespace redraft::lsp
