#pragma once

#include <memory>
#include <optional>
#include <string>

#include "decoding/decoder.h"
#include "decoding/text/tokenizer.h"
#include "remote/completions_api.h"
#include "remote/exchange.h"

namespace redraft {

// Writes what a server writes after the prompt, byte by byte. `original` is what it is told to
// expect, where it wants to know. Statistics count the server's tokens as far as it tells them, and
// the events of its answer as passes. Sampling and log probabilities are errors.
//
// A server that is busy or fails for a moment (429, 500, 502, 503, 504) is asked again, after as
// long as it wishes or 0.5, 1, 2 s and so on, as long as nothing has been written. run() throws
// ModelFailure if there is no connection: whoever has another model may use that.
class RemoteDecoder final : public Decoder {
 public:
  // `patience_ms` is how long to wait in all before asking again.
  RemoteDecoder(RemoteModelInfo model, std::shared_ptr<const Tokenizer> vocabulary,
                std::shared_ptr<Exchange> exchange, int patience_ms);

  Result<DecodeResult> run(const DecodeRequest& request, const TokenSink& sink,
                           std::stop_token stop) override;

 private:
  class Answer;
  // Nothing: to be asked again, unless `stop` is requested.
  Result<std::optional<FinishReason>> ask(const ExchangeRequest& asked, Answer& answer, int attempt,
                                          int& patience, const std::stop_token& stop);

  RemoteModelInfo model_;
  std::shared_ptr<const Tokenizer> vocabulary_;
  std::shared_ptr<Exchange> exchange_;
  int patience_ms_;
};

}  // namespace redraft
