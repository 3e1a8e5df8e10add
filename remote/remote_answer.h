#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "decoding/decoder.h"
#include "support/result.h"
#include "text/tokenizer.h"

namespace redraft {

// An answer as a server writes it: from its text to tokens of the request, and what is counted.
class RemoteAnswer {
 public:
  // All are kept by reference.
  RemoteAnswer(const DecodeRequest& request, const Tokenizer& vocabulary, const TokenSink& sink);

  // The server begins to answer: what it has read of the prompt is read.
  void begin();
  bool has_begun() const { return has_begun_; }

  // Emits what the server wrote; `origin`: who guessed it. False: no more is wanted, or there is a
  // problem.
  bool emit(const std::string& text, std::optional<DraftOrigin> origin = {});
  // The server does not stop.
  const std::optional<Error>& problem() const { return problem_; }
  // All that was emitted.
  std::string text() const { return vocabulary_.decode(result_.tokens); }

  // Whoever asks the server keeps them; emit() counts nothing.
  DecodeStatistics& statistics() { return result_.statistics; }
  void report_progress() const;

  DecodeResult finish(FinishReason reason);

 private:
  const DecodeRequest& request_;
  const Tokenizer& vocabulary_;
  const TokenSink& sink_;
  DecodeResult result_;
  std::optional<Error> problem_;
  bool has_begun_ = false;
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point begun_ = asked_;
};

}  // namespace redraft
