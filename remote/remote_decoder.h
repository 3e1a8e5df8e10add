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

// Writes what a server writes after the prompt, byte by byte. `original` is what it is told to
// expect, where it wants to know, or what it verifies in rounds (verify_rounds.h), where it can;
// otherwise, and where that fails, its answer is one stream. Statistics count the server's tokens
// as far as it tells them, and the events of its answer and the rounds as passes. Sampling and log
// probabilities are errors.
//
// A server that is busy or fails for a moment (429, 500, 502, 503, 504) is asked again, after as
// long as it wishes or 0.5, 1, 2 s and so on, as long as it has not begun to answer. run() throws
// ModelFailure if there is no connection: whoever has another model may use that.
class RemoteDecoder final : public Decoder {
 public:
  // `patience_ms` is how long to wait in all before asking again. `seconds` is a clock that never
  // goes back, by which rounds are priced.
  RemoteDecoder(RemoteModelInfo model, std::shared_ptr<const Tokenizer> vocabulary,
                std::shared_ptr<Exchange> exchange, int patience_ms,
                std::function<double()> seconds = steady_seconds);

  Result<DecodeResult> run(const DecodeRequest& request, const TokenSink& sink,
                           std::stop_token stop) override;

 private:
  class Stream;
  static double steady_seconds();
  // Goes on with `answer` behind `prompt`, to at most `max_tokens` more.
  Result<FinishReason> stream(const RemotePrompt& prompt, const std::string& original,
                              int max_tokens, RemoteAnswer& answer, Patience& patience,
                              const std::stop_token& stop);
  // Nothing: to be asked again, unless `stop` is requested.
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
