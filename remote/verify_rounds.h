#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/drafting/lookup/suffix_index.h"
#include "remote/completions_api.h"
#include "remote/exchange.h"
#include "remote/generate_api.h"
#include "remote/patience.h"
#include "remote/remote_answer.h"
#include "remote/round_price.h"
#include "remote/server_text.h"

namespace redraft {

// What the answers of one server record for later ones.
struct RoundsMemory {
  RoundPrice price;
  bool is_refused = false;  // the server has no such routes
};

// Writes one answer that will repeat much of an original, with SGLang's own routes. The original is
// the draft, which is verified in rounds of one request each; new text is streamed.
//
//   round   sends prompt, answer so far and a draft. The server returns the likeliest token at each
//           position of the draft; the tokens before the first difference are its own output
//   stream  continues token by token until the end of the answer occurs in the original again. Then
//           the connection is closed, and rounds continue if they pay off (RoundPrice)
//
// The output contains only what the server's model writes: a draft token is emitted only if it is
// the likeliest, as the server's greedy decoding would choose it, and everything else is the
// server's own stream. A round's passes have other rows than a stream's, so the server may choose
// differently between two equally likely tokens.
class VerifyRounds {
 public:
  struct Server {
    const RemoteModelInfo& model;
    Exchange& exchange;
    RoundsMemory& memory;
    Patience& patience;
    const std::function<double()>& seconds;  // a monotonic clock
  };

  // Whether rounds can write the answer to that prompt. `original` is in bytes.
  static bool fits(const RemoteModelInfo& model, const RemotePrompt& prompt,
                   const std::string& original, const RoundsMemory& memory);

  // Keeps references to all of them. `max_tokens` limits the answer.
  VerifyRounds(const Server& server, RemoteAnswer& answer, int max_tokens,
               const std::stop_token& stop);

  // Returns nothing if the server did not answer these routes as expected. The caller then
  // continues `answer` from here in another way; nothing is lost. Errors, and ModelFailure, are
  // those of RemoteDecoder::run.
  Result<std::optional<FinishReason>> write(const RemotePrompt& prompt,
                                            const std::string& original);

 private:
  using End = std::optional<FinishReason>;  // nothing: the answer continues
  class Stream;

  // Returns nothing if rejected or not answered in time; see is_cancelled().
  Result<std::optional<std::string>> fetch(const ExchangeRequest& request);
  // As long as nothing was written, a caller with another model may use that: throws ModelFailure.
  Error no_connection(const Error& reason) const;
  Result<bool> prepare(const RemotePrompt& prompt, const std::string& original);
  Result<bool> read_original(const std::string& original);
  Result<End> round();
  Result<End> take_round(const Round& round, int drafted);
  Result<End> stream();
  bool rejoins(int new_tokens);
  Result<End> emit_original(int count, std::optional<DraftOrigin> origin);
  void begin(int cached_tokens);
  int left() const;
  bool is_cancelled() const { return stop_.stop_requested(); }
  int original_size() const { return static_cast<int>(original_.tokens().size()); }

  const Server server_;
  RemoteAnswer& answer_;
  const int max_tokens_;
  const std::stop_token& stop_;

  std::vector<TokenId> written_;  // prompt and answer
  std::size_t prompt_size_ = 0;   // of them, the prompt's tokens
  ServerText original_;
  SuffixIndex places_;       // of the original's tokens
  bool is_in_sync_ = false;  // the answer continues like the original at place_
  int place_ = 0;            // in the original: where it continues, or where the answer left it
  int run_ = 0;              // latest streamed tokens that equal the original's
  int draft_size_ = RoundPrice::kFirstDraft;
  int visit_ = 0;              // tokens from the rounds since the last stream
  int misses_ = 0;             // consecutive rounds without a token
  bool has_given_up_ = false;  // no more rounds in this answer
  bool is_refused_ = false;    // and no streams by these routes
  bool is_cold_ = true;        // the next request reads the prompt
};

}  // namespace redraft
