#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "remote/completions_api.h"
#include "remote/exchange.h"
#include "support/result.h"
#include "support/token.h"

namespace redraft {

// SGLang's own routes as JSON: those that use token ids. The ids are the server's.

// Longer bodies of these routes are rejected.
inline constexpr std::size_t kMaxGenerateBody = std::size_t{32} << 20;  // bytes

ExchangeRequest text_tokens_request(const RemoteModelInfo& model, const std::string& text);
Result<std::vector<TokenId>> read_tokens(std::string_view body);

// Requests the text of each group of tokens; control tokens have none.
ExchangeRequest texts_request(const RemoteModelInfo& model,
                              const std::vector<std::vector<TokenId>>& groups);
// An error unless there are `count` texts.
Result<std::vector<std::string>> read_texts(std::string_view body, std::size_t count);

// Requests what the model would write at each position of `draft`, which follows `written` (prompt
// and answer), and after it: in one pass over the draft, if the server has already read `written`.
ExchangeRequest round_request(std::span<const TokenId> written, std::span<const TokenId> draft);
struct Round {
  std::vector<TokenId> likeliest;  // [draft]
  std::optional<TokenId> next;     // after the draft; nothing if the answer ends there
  int cached_tokens = 0;           // of `written`
};
// An error if the lists do not match that request, position by position.
Result<Round> read_round(std::string_view body, std::span<const TokenId> written,
                         std::span<const TokenId> draft);

// Requests a continuation of `written` as a stream of events.
ExchangeRequest generate_request(std::span<const TokenId> written, int max_tokens);
struct GeneratedPiece {
  std::vector<TokenId> tokens;  // new ones
  std::string text;             // new; the text of the last tokens may still be missing
  bool ended = false;           // by the model itself
  bool cut = false;             // at max_tokens
  int cached_tokens = 0;        // of `written`
};
// Reads the events of one stream in order. Depending on its options, a server sends with each event
// everything so far or only what is new.
class GeneratedStream {
 public:
  // An error if it is not an event, reports an error, or retracts earlier output.
  Result<GeneratedPiece> read(std::string_view event);

 private:
  std::size_t seen_ = 0;  // tokens
  std::string text_;
};

}  // namespace redraft
