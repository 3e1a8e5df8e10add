#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "decoding/decoder.h"
#include "support/result.h"
#include "text/tokenizer.h"

namespace redraft {

// Collects a server's answer: turns its text into tokens of the request and keeps the statistics.
class RemoteAnswer {
 public:
  // Keeps references to all of them.
  RemoteAnswer(const DecodeRequest& request, const Tokenizer& vocabulary, const TokenSink& sink);

  // The server has begun to answer, so it has read the prompt.
  void begin();
  bool has_begun() const { return has_begun_; }

  // Emits text from the server; `origin` is what guessed it. Returns false if no more is wanted or
  // there is a problem.
  bool emit(const std::string& text, std::optional<DraftOrigin> origin = {});
  // Set if the server does not stop writing.
  const std::optional<Error>& problem() const { return problem_; }
  // The whole text that was emitted.
  std::string text() const { return vocabulary_.decode(result_.tokens); }

  // The caller keeps them; emit() counts nothing.
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
