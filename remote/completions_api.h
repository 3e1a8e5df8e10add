#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "remote/exchange.h"
#include "remote/remote_prompt.h"
#include "support/result.h"

namespace redraft {

// How a server goes on with an assistant's turn that is begun.
enum class BegunTurn {
  kAskedFor,  // if it is asked to (vLLM, SGLang)
  kByItself,  // where the last message is the assistant's (llama-server, redraft)
  kNotAtAll,  // or it is not known: the beginning is left out, and expected in the answer
};

inline constexpr int kUsualContext = 16384;  // tokens

// What is known of a server and its model, from GET /v1/models.
struct RemoteModelInfo {
  std::string name = {};
  std::string server = {};  // its kind, as it says: "vllm"
  BegunTurn begun_turn = BegunTurn::kNotAtAll;
  bool takes_prediction = false;  // OpenAI's `prediction`, which redraft takes as a draft
  bool fills = false;             // whether its control tokens for filling in are Qwen2.5-Coder's
  bool verifies = false;          // whether it has SGLang's own routes (generate_api.h)
  std::optional<int> context_length =
      {};  // tokens; none: it does not say, kUsualContext is assumed
};

// At least one.
Result<std::vector<RemoteModelInfo>> read_model_list(std::string_view body);
// `wanted` is a model's name; empty: the only one, or an error that lists them.
Result<RemoteModelInfo> read_models(std::string_view body, std::string_view wanted);

// What a server calls something, for people: in one line of bounded length, without characters that
// a terminal might act on.
std::string shown_line(std::string_view text);

// What is to be written after `prompt`: greedily, as a stream with its usage at the end. `expected`
// is what the answer should resemble; empty: nothing is known. `max_tokens` is what the caller can
// use; it is left out of a chat if the context may be too short for so many.
ExchangeRequest completion_request(const RemoteModelInfo& model, const RemotePrompt& prompt,
                                   const std::string& expected, int max_tokens);

// What the tokens of that chat are, its begun turn included, for SGLang's /tokenize.
ExchangeRequest chat_tokens_request(const RemoteModelInfo& model, const RemotePrompt& prompt);

// One event of the answer.
struct RemotePiece {
  std::string text;
  bool ended = false;  // by the model itself
  bool cut = false;    // at the server's limit
  // At the end, if the server tells:
  std::optional<int> prompt_tokens, cached_tokens, new_tokens;
};
// An error if it is none, or if the server reports one.
Result<RemotePiece> read_piece(std::string_view event);

// Why a server refused, from the body of its answer: its own words, in one line of bounded length.
std::string reason_of_refusal(const ExchangeEnd& end);

}  // namespace redraft
