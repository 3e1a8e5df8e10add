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

// What answers of one server leave for the next.
struct RoundsMemory {
  RoundPrice price;
  bool is_refused = false;  // the server has no such routes
};

// Writes one answer that will repeat much of an original, with SGLang's own routes: the original is
// the draft, verified in rounds of one request each, and what is new is streamed.
//
//   round   prompt and answer so far, and a draft behind them. The server tells which token is the
//           likeliest at each place of the draft: those before the first that differs are what it
//           would have written.
//   stream  from there on, token by token, until the end of the answer occurs in the original
//           again. Then the connection is closed, and rounds go on, if they pay (RoundPrice).
//
// Nothing is written but what the server says that its model writes: a token is emitted from a
// draft only where it is the likeliest, as the server's greedy decoding would choose it, and
// everything else is the server's own stream. The passes of a round have other rows than those of
// a stream, so where two tokens are as likely as each other the server may choose differently.
class VerifyRounds {
 public:
  struct Server {
    const RemoteModelInfo& model;
    Exchange& exchange;
    RoundsMemory& memory;
    Patience& patience;
    const std::function<double()>& seconds;  // a clock that never goes back
  };

  // Whether the answer to that may be written so. `original`: bytes.
  static bool fits(const RemoteModelInfo& model, const RemotePrompt& prompt,
                   const std::string& original, const RoundsMemory& memory);

  // All are kept by reference. `max_tokens`: of the answer.
  VerifyRounds(const Server& server, RemoteAnswer& answer, int max_tokens,
               const std::stop_token& stop);

  // None: the server did not answer these routes as expected. `answer` is to be gone on with in
  // another way from where it is; nothing is lost. An error, or ModelFailure, as
  // RemoteDecoder::run.
  Result<std::optional<FinishReason>> write(const RemotePrompt& prompt,
                                            const std::string& original);

 private:
  using End = std::optional<FinishReason>;  // none: it goes on
  class Stream;

  // None: refused, or not answered in time; see is_cancelled().
  Result<std::optional<std::string>> fetch(const ExchangeRequest& request);
  // Whoever has another model may use that, as long as nothing was written: throws ModelFailure.
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
  std::size_t prompt_size_ = 0;   // of it
  ServerText original_;
  SuffixIndex places_;       // of the original's tokens
  bool is_in_sync_ = false;  // the answer goes on as the original does at place_
  int place_ = 0;            // in the original: where it goes on, or where the answer left it
  int run_ = 0;              // streamed tokens up to here that are the original's
  int draft_size_ = RoundPrice::kFirstDraft;
  int visit_ = 0;              // tokens that the rounds since the last stream gave
  int misses_ = 0;             // rounds in a row that gave none
  bool has_given_up_ = false;  // no more rounds in this answer
  bool is_refused_ = false;    // and no streams by these routes
  bool is_cold_ = true;        // the next request reads the prompt
};

}  // namespace redraft
