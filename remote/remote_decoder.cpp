#include "remote/remote_decoder.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "decoding/model_failure.h"
#include "remote/begun_answer.h"
#include "remote/event_stream.h"

namespace redraft {

// Processes an answer as it arrives: from bytes to events to text.
class RemoteDecoder::Stream {
 public:
  // `max_tokens` is the total limit. `seconds` is a monotonic clock, and outlives this object.
  Stream(RemoteAnswer& answer, std::string_view opened, int max_tokens,
         const std::function<double()>& seconds)
      : answer_(answer),
        begun_(opened),
        max_tokens_(max_tokens),
        seconds_(seconds),
        last_event_(seconds()),
        before_(answer.statistics()) {}

  bool add(std::string_view bytes) {
    const Result<void> read = stream_.add(bytes, [this](std::string_view event) {
      last_event_ = seconds_();
      return on_event(event);
    });
    if (!read) problem_ = read.error();
    // The connection's own limits do not see whether what comes is more than comments.
    if (!problem_ && seconds_() - last_event_ > (has_begun() ? kToGoOn : kToBegin))
      problem_ = Error("the server sends no text, only signs of life");
    return !ended_ && !problem_;
  }

  bool has_begun() const { return answer_.statistics().passes > before_.passes; }
  bool has_ended() const { return ended_; }
  bool is_complete() const { return is_complete_; }
  const std::optional<Error>& problem() const { return problem_; }

  // The answer is complete, or as much of it as was wanted.
  FinishReason finish() {
    const bool is_whole = reason_ == FinishReason::kStop || reason_ == FinishReason::kLength;
    return is_whole && !answer_.emit(begun_.end()) ? FinishReason::kSink : reason_;
  }

 private:
  // Seconds; as for the connection (http_fetch.cpp).
  static constexpr double kToBegin = 600, kToGoOn = 120;

  bool on_event(std::string_view event) {
    if (event == "[DONE]") return end(reason_);
    const Result<RemotePiece> piece = read_piece(event);
    if (!piece) {
      problem_ = piece.error();
      return false;
    }
    answer_.begin();
    // Each event has at least one token, so this stops a server that ignores the limit or did not
    // get one.
    const bool is_too_much = !piece->text.empty() && events_ == max_tokens_;
    if (!piece->text.empty() && !is_too_much) ++events_;
    count(*piece);
    if (is_too_much) return end(FinishReason::kLength);
    if (piece->cut) reason_ = FinishReason::kLength;
    is_complete_ = is_complete_ || piece->ended || piece->cut;
    if (!answer_.emit(begun_.add(piece->text))) {
      problem_ = answer_.problem();
      return end(FinishReason::kSink);
    }
    answer_.report_progress();
    return true;
  }

  void count(const RemotePiece& piece) {
    DecodeStatistics& statistics = answer_.statistics();
    ++statistics.passes;
    ++statistics.forwards;
    ++statistics.rows;
    if (piece.prompt_tokens && before_.new_tokens == 0) {
      statistics.prompt_tokens = *piece.prompt_tokens;
      statistics.cached_prompt_tokens =
          std::min(piece.cached_tokens.value_or(0), *piece.prompt_tokens);
      statistics.prefilled_tokens = *piece.prompt_tokens - statistics.cached_prompt_tokens;
    }
    told_ = piece.new_tokens.value_or(told_);
    const int tokens = std::max(told_, events_);
    statistics.new_tokens = before_.new_tokens + tokens;
    statistics.bonus_tokens = before_.bonus_tokens + tokens;
  }

  bool end(FinishReason reason) {
    reason_ = reason;
    ended_ = true;
    return false;
  }

  RemoteAnswer& answer_;
  BegunAnswer begun_;
  const int max_tokens_;
  const std::function<double()>& seconds_;
  double last_event_;
  const DecodeStatistics before_;
  EventStream stream_;
  int events_ = 0;  // with text
  int told_ = 0;    // tokens, as the server counts them
  FinishReason reason_ = FinishReason::kStop;
  bool is_complete_ = false;  // the server has said so; its usage may follow
  bool ended_ = false;
  std::optional<Error> problem_;
};

RemoteDecoder::RemoteDecoder(RemoteModelInfo model, std::shared_ptr<const Tokenizer> vocabulary,
                             std::shared_ptr<Exchange> exchange, int patience_ms,
                             std::function<double()> seconds)
    : model_(std::move(model)),
      vocabulary_(std::move(vocabulary)),
      exchange_(std::move(exchange)),
      patience_ms_(patience_ms),
      seconds_(std::move(seconds)) {}

double RemoteDecoder::steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Result<DecodeResult> RemoteDecoder::run(const DecodeRequest& request, const TokenSink& sink,
                                        std::stop_token stop) {
  if (request.prompt.empty()) return Error("the prompt is empty");
  if (!request.sampling.greedy() || request.log_probabilities)
    return Error("a remote model only decodes greedily and does not report log probabilities");
  RemotePrompt prompt = read_prompt(*vocabulary_, request.prompt);
  const std::string original = vocabulary_->decode(request.original);
  RemoteAnswer answer(request, *vocabulary_, sink);
  Patience patience(patience_ms_);
  if (VerifyRounds::fits(model_, prompt, original, rounds_)) {
    VerifyRounds rounds({model_, *exchange_, rounds_, patience, seconds_}, answer,
                        request.max_new_tokens, stop);
    const Result<std::optional<FinishReason>> end = rounds.write(prompt, original);
    if (!end) return end.error();
    if (*end) return answer.finish(**end);
    prompt.opened += answer.text();
  }
  const int left = request.max_new_tokens - answer.statistics().new_tokens;
  const Result<FinishReason> end = stream(prompt, original, left, answer, patience, stop);
  if (!end) return end.error();
  return answer.finish(*end);
}

Result<FinishReason> RemoteDecoder::stream(const RemotePrompt& prompt, const std::string& original,
                                           int max_tokens, RemoteAnswer& answer, Patience& patience,
                                           const std::stop_token& stop) {
  const ExchangeRequest asked = completion_request(model_, prompt, original, max_tokens);
  const bool is_begun = model_.begun_turn != BegunTurn::kNotAtAll;
  Stream stream(answer, is_begun ? std::string_view() : prompt.opened, max_tokens, seconds_);
  while (!stop.stop_requested()) {
    const auto ended = ask(asked, stream, answer, patience, stop);
    if (!ended) return ended.error();
    if (*ended) return **ended;
  }
  return FinishReason::kCancelled;
}

Result<std::optional<FinishReason>> RemoteDecoder::ask(const ExchangeRequest& asked, Stream& stream,
                                                       RemoteAnswer& answer, Patience& patience,
                                                       const std::stop_token& stop) {
  const auto take = [&](std::string_view bytes) { return stream.add(bytes); };
  const Result<ExchangeEnd> end = exchange_->run(asked, take, stop);
  if (stream.problem()) return *stream.problem();
  if (stop.stop_requested()) return std::optional(FinishReason::kCancelled);
  if (!end) {
    if (answer.has_begun())
      return Error("the server broke off its answer: " + end.error().message());
    throw ModelFailure(end.error().message());
  }
  if (stream.has_ended()) return std::optional(stream.finish());
  if (end->status / 100 == 2) {
    // Some servers end without the last event. But a closed connection alone may be a fault.
    if (stream.is_complete()) return std::optional(stream.finish());
    return Error(stream.has_begun() ? "the server broke off its answer"
                                    : "the server's answer is empty");
  }
  if (patience.wait_after(*end, stop)) return std::optional<FinishReason>();
  return Error("the server refused (" + std::to_string(end->status) +
               "): " + reason_of_refusal(*end));
}

}  // namespace redraft
