#include "lsp/wire/message_outline.h"

#include <gtest/gtest.h>

#include <string>

namespace redraft::lsp {
namespace {

MessageOutline outline_of(const std::string& message, std::size_t piece) {
  OutlineReader reader;
  for (std::size_t at = 0; at < message.size(); at += piece)
    reader.append(std::string_view(message).substr(at, piece));
  return reader.outline();
}

// Whatever the pieces are.
void check(const std::string& message, const MessageOutline& expected) {
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{2}, std::size_t{13}, message.size()}) {
    const MessageOutline found = outline_of(message, std::max<std::size_t>(piece, 1));
    EXPECT_EQ(found.id, expected.id) << message;
    EXPECT_EQ(found.method, expected.method) << message;
    EXPECT_EQ(found.uri, expected.uri) << message;
  }
}

TEST(MessageOutline, OfARequest) {
  check(R"({"jsonrpc": "2.0", "id": 7, "method": "a/b", "params": {"textDocument": {"uri": "u"}}})",
        {7, "a/b", "u"});
  check(R"({"id":"seven","method":"m"})", {"seven", "m", ""});
  check("{\"id\" : -12\n, \"method\"\t:\r\"m\"}", {-12, "m", ""});
}

TEST(MessageOutline, WhateverTheOrder) {
  check(R"({"params":{"x":[1,{"uri":"no"}],"textDocument":{"text":"{\"uri\":\"no\"}","uri":"u"},)"
        R"("uri":"no"},"method":"m","uri":"no"})",
        {nullptr, "m", "u"});
  check(R"([{"params":{"textDocument":{"uri":"no"}}}])", {});
  check(R"({"params":[{"textDocument":{"uri":"no"}}],"id":[1],"method":{"method":"no"}})", {});
  check(R"({"x":{"params":{"textDocument":{"uri":"no"}},"id":1,"method":"no"}})", {});
  check(R"({"params":{"textDocument":{"x":{"uri":"no"},"uri":["no"]}}})", {});
}

TEST(MessageOutline, EscapesAreRead) {
  check(
      R"({"m\u0065thod":"a\/b\"\\","id":"\u00e9\n","params":{"textDocument":{"\u0075ri":"\ud83d\ude00"}}})",
      {"é\n", "a/b\"\\", "😀"});
  check(R"({"x":"\\","method":"m"})", {nullptr, "m", ""});
  check(R"({"x":"\\\"method\":\"no\",","method":"m"})", {nullptr, "m", ""});
}

TEST(MessageOutline, TheLastOfSeveralMembersCounts) {
  check(R"({"id":1,"id":2,"method":"a","method":"b"})", {2, "b", ""});
  check(R"({"id":1,"id":{},"method":"a","method":null})", {});
  check(R"({"params":{"textDocument":{"uri":"no"}},"params":{}})", {});
  check(R"({"params":{"textDocument":{"uri":"no"},"textDocument":3}})", {});
  EXPECT_EQ(parse_json(R"({"id":1,"id":2})")->at("id"), 2) << "as to the parser";
}

TEST(MessageOutline, WhatIsNoIdIsNone) {
  for (const char* id : {"1.5", "true", "null", "{}", "[1]", "99999999999999999999", "0x1", "-"})
    check(std::string(R"({"method":"m","id":)") + id + "}", {nullptr, "m", ""});
}

TEST(MessageOutline, LongValuesAreLeftOut) {
  const std::string most(OutlineReader::kMaxValueBytes, 'x');
  check(R"({"id":")" + most + R"(","method":")" + most + R"("})", {most, most, ""});
  check(R"({"id":")" + most + R"(x","method":")" + most +
            R"(x","params":{"textDocument":{"uri":"u"}}})",
        {nullptr, "", "u"});
  check("{\"" + most + "x\":1,\"id\":" + std::string(most.size() + 1, '1') + "}", {});
}

TEST(MessageOutline, WhatIsNoJsonHarmsNobody) {
  for (const char* text :
       {"", "}", "]]]", "{]", "{\"id\":1", "{\"method", "{\"a\":\"\\", "\"", "{{{{",
        "{,,,:::\"id\":2}", "{\"method\":\"\xFF\"}", "nonsense", "{\"method\":\"a\nb\"}"})
    for (std::size_t piece = 1; piece < 4; ++piece) outline_of(text, piece);
  check("{\"method\":\"\xFF\",\"id\":\"a\nb\"}", {});
  const std::string deep(1 << 20, '[');
  check("{\"method\":\"m\",\"x\":" + deep, {});
}

}  // namespace
}  // namespace redraft::lsp
