#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "decoding/decoder.h"
#include "remote/completions_api.h"
#include "remote/exchange.h"
#include "remote/patience.h"
#include "remote/remote_answer.h"
#include "remote/verify_rounds.h"
#include "text/tokenizer.h"

namespace redraft {

// Writes a server's continuation of the prompt, byte by byte. If the server supports it, `original`
// is sent as the expected output or verified in rounds (verify_rounds.h). Otherwise, and where that
// fails, the answer is one stream. Statistics count the server's tokens as far as it reports them,
// and count the events of its answer and the rounds as passes. Sampling and log probabilities are
// errors.
//
// If a server is busy or fails temporarily (429, 500, 502, 503, 504), the request is repeated after
// the time that the server requests, or after 0.5, 1, 2 s and so on, unless the answer has begun.
// run() throws ModelFailure if there is no connection; a caller with another model may use that
// instead.
class RemoteDecoder final : public Decoder {
 public:
  // `patience_ms` is the total time to wait before retries. `seconds` is a monotonic clock that
  // measures the cost of rounds.
  RemoteDecoder(RemoteModelInfo model, std::shared_ptr<const Tokenizer> vocabulary,
                std::shared_ptr<Exchange> exchange, int patience_ms,
                std::function<double()> seconds = steady_seconds);

  Result<DecodeResult> run(const DecodeRequest& request, const TokenSink& sink,
                           std::stop_token stop) override;

 private:
  class Stream;
  static double steady_seconds();
  // Continues `answer` after `prompt`, by at most `max_tokens` more tokens.
  Result<FinishReason> stream(const RemotePrompt& prompt, const std::string& original,
                              int max_tokens, RemoteAnswer& answer, Patience& patience,
                              const std::stop_token& stop);
  // Returns nothing if the request should be repeated, unless `stop` is requested.
  Result<std::optional<FinishReason>> ask(const ExchangeRequest& asked, Stream& stream,
                                          RemoteAnswer& answer, Patience& patience,
                                          const std::stop_token& stop);

  RemoteModelInfo model_;
  std::shared_ptr<const Tokenizer> vocabulary_;
  std::shared_ptr<Exchange> exchange_;
  int patience_ms_;
  std::function<double()> seconds_;
  RoundsMemory rounds_;
};

}  // namespace redraft
