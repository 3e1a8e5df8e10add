#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "remote/exchange.h"
#include "remote/remote_prompt.h"
#include "support/result.h"

namespace redraft {

// How a server continues an assistant's turn that has begun.
enum class BegunTurn {
  kAskedFor,  // if the request says so (vLLM, SGLang)
  kByItself,  // if the last message is the assistant's (llama-server, redraft)
  kNotAtAll,  // or unknown: the beginning is omitted and expected in the answer
};

inline constexpr int kUsualContext = 16384;  // tokens

// What GET /v1/models says about a server and its model.
struct RemoteModelInfo {
  std::string name = {};
  std::string server = {};  // the server's kind in its own words: "vllm"
  BegunTurn begun_turn = BegunTurn::kNotAtAll;
  bool takes_prediction = false;  // supports OpenAI's `prediction`, which redraft takes as a draft
  bool fills = false;             // whether it uses Qwen2.5-Coder's fill-in-the-middle tokens
  bool verifies = false;          // whether it has SGLang's own routes (generate_api.h)
  std::optional<int> context_length =
      {};  // tokens; none: it does not say, kUsualContext is assumed
};

// At least one.
Result<std::vector<RemoteModelInfo>> read_model_list(std::string_view body);
// `wanted` is a model's name. If empty, returns the only model, or an error that lists them.
Result<RemoteModelInfo> read_models(std::string_view body, std::string_view wanted);

// A name from a server, for display: one line of bounded length, without characters that a terminal
// might interpret.
std::string shown_line(std::string_view text);

// Requests a continuation of `prompt`: greedy, as a stream with its usage at the end. `expected` is
// the text that the answer should resemble; empty if unknown. `max_tokens` is what the caller can
// use; it is omitted for a chat if the context may be too short for it.
ExchangeRequest completion_request(const RemoteModelInfo& model, const RemotePrompt& prompt,
                                   const std::string& expected, int max_tokens);

// Requests the tokens of that chat, including its begun turn, from SGLang's /tokenize.
ExchangeRequest chat_tokens_request(const RemoteModelInfo& model, const RemotePrompt& prompt);

// One event of the answer.
struct RemotePiece {
  std::string text;
  bool ended = false;  // by the model itself
  bool cut = false;    // by the server's limit
  // At the end, if the server reports them:
  std::optional<int> prompt_tokens, cached_tokens, new_tokens;
};
// An error if the event is invalid or reports an error.
Result<RemotePiece> read_piece(std::string_view event);

// Why a server rejected a request: its own words, in one line of bounded length.
std::string reason_of_refusal(const ExchangeEnd& end);

}  // namespace redraft
