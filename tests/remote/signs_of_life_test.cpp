// A server that reads a long prompt may say for minutes that it is alive; one that says nothing
// else for longer would hold the edit without end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "remote/remote_decoder.h"
#include "tests/remote/scripted_sglang.h"
#include "text/prompt_encoder.h"

namespace redraft {
namespace {

// What the decoder makes of a server that sends so many comments before the first token and before
// each later one, ten seconds apart.
std::string written_after(int before_first, int before_others) {
  const auto server = std::make_shared<ScriptedSglang>();
  server->answer = "a b c\n```";
  int tokens = 0;
  server->comments = [&] { return tokens++ == 0 ? before_first : before_others; };
  const std::shared_ptr<const Tokenizer> vocabulary = remote_vocabulary(false);
  const RemoteModelInfo model{.name = "coder",
                              .begun_turn = BegunTurn::kAskedFor,
                              .verifies = false,
                              .context_length = 9000};
  RemoteDecoder decoder(model, vocabulary, server, 100, [&] { return server->now; });
  auto parts = *chat_prompt(*vocabulary, {{"user", "change it"}});
  parts.push_back({"```\n", false});
  const DecodeRequest request{.prompt = *encode_prompt(*vocabulary, parts), .max_new_tokens = 100};
  const Result<DecodeResult> result = decoder.run(request, [](TokenId) { return true; }, {});
  return result ? vocabulary->decode(result->tokens) : "error: " + result.error().message();
}

TEST(SignsOfLife, AreNoText) {
  using testing::HasSubstr;
  EXPECT_EQ(written_after(0, 0), "a b c\n```");
  EXPECT_EQ(written_after(59, 11), "a b c\n```");
  EXPECT_THAT(written_after(61, 0), HasSubstr("error: the server sends no text"));
  EXPECT_THAT(written_after(0, 13), HasSubstr("error: the server sends no text"));
}

}  // namespace
}  // namespace redraft
