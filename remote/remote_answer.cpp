#include "remote/remote_answer.h"

#include <utility>

#include "support/seconds_since.h"

namespace redraft {
namespace {

// No text has more bytes per token; a server that exceeds this does not stop.
constexpr std::size_t kMaxTokenBytes = 64;

}  // namespace

RemoteAnswer::RemoteAnswer(const DecodeRequest& request, const Tokenizer& vocabulary,
                           const TokenSink& sink)
    : request_(request), vocabulary_(vocabulary), sink_(sink) {
  result_.statistics.prompt_tokens = static_cast<int>(request.prompt.size());
}

void RemoteAnswer::begin() {
  if (has_begun_) return;
  has_begun_ = true;
  begun_ = std::chrono::steady_clock::now();
  DecodeStatistics& statistics = result_.statistics;
  statistics.prefill_seconds = std::chrono::duration<double>(begun_ - asked_).count();
  statistics.prefilled_tokens = statistics.prompt_tokens - 1;
}

bool RemoteAnswer::emit(const std::string& text, std::optional<DraftOrigin> origin) {
  for (const TokenId token : vocabulary_.encode(text)) {
    if (request_.on_emitted)
      request_.on_emitted({.token = token,
                           .origin = origin,
                           .phase = "remote",
                           .pass = result_.statistics.passes,
                           .rows = 1});
    result_.tokens.push_back(token);
    if (!sink_(token)) return false;
  }
  const auto most = static_cast<std::size_t>(request_.max_new_tokens) * kMaxTokenBytes;
  if (result_.tokens.size() <= most) return true;
  problem_ = Error("the server does not stop writing");
  return false;
}

void RemoteAnswer::report_progress() const {
  if (request_.on_progress) request_.on_progress(result_.statistics);
}

DecodeResult RemoteAnswer::finish(FinishReason reason) {
  result_.statistics.decode_seconds = has_begun_ ? seconds_since(begun_) : 0;
  result_.finish_reason = reason;
  return std::move(result_);
}

}  // namespace redraft
