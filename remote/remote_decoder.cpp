#include "remote/remote_decoder.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "decoding/model_failure.h"
#include "remote/begun_answer.h"
#include "remote/event_stream.h"
#include "support/seconds_since.h"

namespace redraft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFirstWait = 500;  // ms
constexpr int kMostWait = 10000;
// An answer of more bytes a token than any text has is no answer.
constexpr std::size_t kMaxTokenBytes = 64;

bool is_worth_another_try(int status) {
  return status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

void wait(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

// Takes the answer as it comes: from bytes to events to text to tokens.
class RemoteDecoder::Answer {
 public:
  Answer(const DecodeRequest& request, const Tokenizer& vocabulary, std::string_view opened,
         const TokenSink& sink)
      : request_(request), vocabulary_(vocabulary), begun_(opened), sink_(sink) {
    result_.statistics.prompt_tokens = static_cast<int>(request.prompt.size());
  }

  bool add(std::string_view bytes) {
    const Result<void> read =
        stream_.add(bytes, [this](std::string_view event) { return on_event(event); });
    if (!read) fail(read.error());
    return !ended_ && !problem_;
  }

  bool has_begun() const { return result_.statistics.passes > 0; }
  bool has_ended() const { return ended_; }
  bool is_complete() const { return is_complete_; }
  const std::optional<Error>& problem() const { return problem_; }

  // The whole answer has come, or as much of it as was wanted.
  DecodeResult result(FinishReason reason) {
    if (reason == FinishReason::kStop || reason == FinishReason::kLength) {
      if (!emit(begun_.end())) reason = FinishReason::kSink;
    }
    DecodeStatistics& statistics = result_.statistics;
    statistics.decode_seconds = has_begun() ? seconds_since(first_) : 0;
    statistics.new_tokens = std::max(statistics.new_tokens, events_);
    statistics.bonus_tokens = statistics.new_tokens;
    result_.finish_reason = reason;
    return std::move(result_);
  }
  FinishReason reason() const { return reason_; }

 private:
  void fail(const Error& error) { problem_ = error; }

  bool on_event(std::string_view event) {
    if (event == "[DONE]") return end(reason_);
    const Result<RemotePiece> piece = read_piece(event);
    if (!piece) {
      fail(piece.error());
      return false;
    }
    DecodeStatistics& statistics = result_.statistics;
    if (!has_begun()) {
      first_ = Clock::now();
      statistics.prefill_seconds = std::chrono::duration<double>(first_ - began_).count();
      statistics.prefilled_tokens = statistics.prompt_tokens - 1;
    }
    statistics.passes += 1;
    statistics.forwards += 1;
    statistics.rows += 1;
    if (piece->prompt_tokens) {
      statistics.prompt_tokens = *piece->prompt_tokens;
      statistics.cached_prompt_tokens =
          std::min(piece->cached_tokens.value_or(0), *piece->prompt_tokens);
      statistics.prefilled_tokens = *piece->prompt_tokens - statistics.cached_prompt_tokens;
    }
    if (piece->new_tokens) statistics.new_tokens = *piece->new_tokens;
    // An event has a token at least, so this ends what a server was not told to, or does not.
    if (!piece->text.empty() && events_++ == request_.max_new_tokens) {
      --events_;
      return end(FinishReason::kLength);
    }
    if (piece->cut) reason_ = FinishReason::kLength;
    is_complete_ = is_complete_ || piece->ended || piece->cut;
    if (!emit(begun_.add(piece->text))) return end(FinishReason::kSink);
    if (request_.on_progress) request_.on_progress(statistics);
    return true;
  }

  bool end(FinishReason reason) {
    reason_ = reason;
    ended_ = true;
    return false;
  }

  // False: no more is wanted.
  bool emit(const std::string& text) {
    for (const TokenId token : vocabulary_.encode(text)) {
      if (request_.on_emitted)
        request_.on_emitted({.token = token,
                             .origin = {},
                             .phase = "remote",
                             .pass = result_.statistics.passes,
                             .rows = 1});
      result_.tokens.push_back(token);
      if (!sink_(token)) return false;
    }
    const auto most = static_cast<std::size_t>(request_.max_new_tokens) * kMaxTokenBytes;
    if (result_.tokens.size() <= most) return true;
    fail(Error("the server does not stop writing"));
    return false;
  }

  const DecodeRequest& request_;
  const Tokenizer& vocabulary_;
  BegunAnswer begun_;
  const TokenSink& sink_;
  EventStream stream_;
  DecodeResult result_;
  int events_ = 0;  // with text
  FinishReason reason_ = FinishReason::kStop;
  bool is_complete_ = false;  // the server has said so; its usage may follow
  bool ended_ = false;
  std::optional<Error> problem_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point first_ = began_;
};

RemoteDecoder::RemoteDecoder(RemoteModelInfo model, std::shared_ptr<const Tokenizer> vocabulary,
                             std::shared_ptr<Exchange> exchange, int patience_ms)
    : model_(std::move(model)),
      vocabulary_(std::move(vocabulary)),
      exchange_(std::move(exchange)),
      patience_ms_(patience_ms) {}

Result<DecodeResult> RemoteDecoder::run(const DecodeRequest& request, const TokenSink& sink,
                                        std::stop_token stop) {
  if (request.prompt.empty()) return Error("the prompt is empty");
  if (!request.sampling.greedy() || request.log_probabilities)
    return Error("a model on a server writes greedily and without log probabilities");
  const RemotePrompt prompt = read_prompt(*vocabulary_, request.prompt);
  const ExchangeRequest asked = completion_request(
      model_, prompt, vocabulary_->decode(request.original), request.max_new_tokens);
  const bool is_begun = model_.begun_turn != BegunTurn::kNotAtAll;
  Answer answer(request, *vocabulary_, is_begun ? std::string_view() : prompt.opened, sink);
  int patience = patience_ms_;
  for (int attempt = 0; !stop.stop_requested(); ++attempt) {
    const auto ended = ask(asked, answer, attempt, patience, stop);
    if (!ended) return ended.error();
    if (*ended) return answer.result(**ended);
  }
  return answer.result(FinishReason::kCancelled);
}

Result<std::optional<FinishReason>> RemoteDecoder::ask(const ExchangeRequest& asked, Answer& answer,
                                                       int attempt, int& patience,
                                                       const std::stop_token& stop) {
  const auto take = [&](std::string_view bytes) { return answer.add(bytes); };
  const Result<ExchangeEnd> end = exchange_->run(asked, take, stop);
  if (answer.problem()) return *answer.problem();
  if (stop.stop_requested()) return std::optional(FinishReason::kCancelled);
  if (!end) {
    if (answer.has_begun())
      return Error("the server broke off its answer: " + end.error().message());
    throw ModelFailure(end.error().message());
  }
  if (answer.has_ended()) return std::optional(answer.reason());
  if (end->status / 100 == 2) {
    // Some end without the last event. But the end of the connection alone may be a fault's.
    if (answer.is_complete()) return std::optional(answer.reason());
    return Error(answer.has_begun() ? "the server broke off its answer"
                                    : "the server's answer is empty");
  }
  const std::string refusal =
      "the server refused (" + std::to_string(end->status) + "): " + reason_of_refusal(*end);
  if (!is_worth_another_try(end->status)) return Error(refusal);
  const int doubled = kFirstWait << std::min(attempt, 8);
  const int wished =
      end->retry_after
          ? static_cast<int>(std::min<std::int64_t>(end->retry_after->count(), 3600) * 1000)
          : std::min(doubled, kMostWait);
  if (wished > patience) return Error(refusal);
  patience -= wished;
  wait(std::chrono::milliseconds(wished), stop);
  return std::optional<FinishReason>();
}

}  // namespace redraft
