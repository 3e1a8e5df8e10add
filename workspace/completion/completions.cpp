#include "workspace/completion/completions.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "support/trace/trace.h"
#include "workspace/completion/completion_shape.h"
#include "workspace/engine/measure_when_idle.h"

namespace redraft {
namespace {

using Clock = DecodeQueue::Clock;

// The number of remembered answers.
constexpr std::size_t kSuggested = 8;
// How long a run continues without a waiting request: the next keystroke's request often joins it.
// VS Code cancels at the keystroke and sends the next request some 50 ms later.
constexpr auto kGrace = std::chrono::milliseconds(100);
// An editor automatically inserts at most this many closing brackets and quotes.
constexpr std::size_t kMaxClosed = 4;

constexpr const char* kFailed = "the completion failed";

CompletionAnswer superseded() {
  return {.why_none = "a newer request took its place", .superseded = true};
}

bool is_part_of_word(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80; });
}

// The length of what `now` has before `then`, if it consists only of closing brackets and quotes.
std::optional<std::size_t> closed_before(std::string_view now, std::string_view then) {
  if (now.size() < then.size() || now.size() - then.size() > kMaxClosed || !now.ends_with(then))
    return std::nullopt;
  const std::string_view more = now.substr(0, now.size() - then.size());
  if (more.find_first_not_of(")]}>\"'`") != std::string_view::npos) return std::nullopt;
  return more.size();
}

// The text typed at `offset` of `then`, up to `now_offset`; nullopt if there was another change.
std::optional<std::string_view> typed_since(const Document& then, std::size_t offset,
                                            const Document& now, std::size_t now_offset) {
  if (then.uri() != now.uri() || now_offset < offset) return std::nullopt;
  const std::string_view before = std::string_view(then.text()).substr(0, offset);
  const std::string_view now_before = std::string_view(now.text()).substr(0, now_offset);
  if (!now_before.starts_with(before) ||
      !closed_before(std::string_view(now.text()).substr(now_offset),
                     std::string_view(then.text()).substr(offset)))
    return std::nullopt;
  return now_before.substr(offset);
}

Result<CompletionResult> run_unless_stopped(EngineHost& host, const CompletionRequest& request,
                                            const std::stop_token& stop) {
  if (stop.stop_requested())
    return CompletionResult{.texts = {}, .finish_reason = FinishReason::kCancelled};
  return run_on_engine(host, kFailed, [&](Engine& engine) {
    Result<CompletionResult> completed = run_completion(engine, request, stop);
    measure_when_idle(host, engine);
    return completed;
  });
}

}  // namespace

// The stop token of one run: stopped by the queue, or when no request has waited for a while.
class Completions::RunStop {
 public:
  RunStop(const std::stop_token& queue, std::shared_ptr<RunWatch> watch)
      : watch_(std::move(watch)), link_(queue, [this] { own_.request_stop(); }) {}

  std::stop_token token() const { return own_.get_token(); }
  void begin() {
    watch_->begun.store(true);
    if (watch_->abandoned.load() != 0) own_.request_stop();
  }
  void look() {
    const Clock::rep since = watch_->abandoned.load();
    if (since != 0 && Clock::now().time_since_epoch() - Clock::duration(since) > kGrace)
      own_.request_stop();
  }

 private:
  std::shared_ptr<RunWatch> watch_;
  std::stop_source own_;
  std::stop_callback<std::function<void()>> link_;
};

std::optional<std::string> carried_forward(const Document& then, std::size_t offset,
                                           const std::string& text, const Document& now,
                                           std::size_t now_offset) {
  if (then.uri() != now.uri()) return std::nullopt;
  const std::string_view behind = std::string_view(then.text()).substr(offset);
  const std::string_view now_behind = std::string_view(now.text()).substr(now_offset);
  const std::optional<std::size_t> closed = closed_before(now_behind, behind);
  if (!closed) return std::nullopt;
  std::string rest;
  if (now_offset >= offset) {
    const auto typed = typed_since(then, offset, now, now_offset);
    if (!typed || !text.starts_with(*typed)) return std::nullopt;
    rest = text.substr(typed->size());
  } else {
    const std::string_view before = std::string_view(then.text()).substr(0, offset);
    const std::string_view now_before = std::string_view(now.text()).substr(0, now_offset);
    const std::string_view deleted = before.substr(now_offset);
    if (!before.starts_with(now_before) || !is_part_of_word(deleted)) return std::nullopt;
    rest = std::string(deleted) + text;
  }
  if (*closed > 0) {
    const std::string_view before = std::string_view(now.text()).substr(0, now_offset);
    rest = trimmed_completion(rest, {before, now_behind});
  }
  if (rest.empty()) return std::nullopt;
  return rest;
}

Completions::~Completions() {
  if (run_) host_.queue().cancel(run_->job);
}

CompletionId Completions::ask(CompletionRequest request, std::chrono::milliseconds delay,
                              OnAnswer on_answer) {
  const CompletionId id = ++last_id_;
  reading_.stop();
  snippet_place_ = steady_place(snippet_place_, request.place());
  if (join_run(request, id, on_answer)) return id;
  end_run(superseded());
  if (answer_from_memory(request, on_answer)) return id;
  start(std::move(request), delay, id, std::move(on_answer));
  return id;
}

void Completions::read_ahead(CompletionRequest request) {
  snippet_place_ = steady_place(snippet_place_, request.place());
  if (run_) return;  // it reads the same text, or text that the user has already left
  request.snippet_place = snippet_place_;
  request.snippets = snippets_;
  reading_.start([request = std::move(request)](Engine& engine,
                                                const IdleReading::OnChunk& on_chunk,
                                                const std::stop_token& stop) {
    return read_completion_ahead(engine, request, on_chunk, stop);
  });
}

CompletionId Completions::decline(const std::string& why, const OnAnswer& on_answer) {
  end_run(superseded());
  on_answer({.why_none = why});
  return ++last_id_;
}

bool Completions::answer_from_memory(const CompletionRequest& request, const OnAnswer& on_answer) {
  for (const Suggested& suggested : suggested_) {
    if (request.blocks > suggested.blocks || request.min_probability < suggested.min_probability)
      continue;
    CompletionAnswer answer{.carried = true};
    for (const std::string& text : suggested.texts) {
      std::optional<std::string> rest = carried_forward(*suggested.document, suggested.offset, text,
                                                        *request.document, request.offset);
      if (rest) answer.texts.push_back(std::move(*rest));
    }
    // A user who requests alternatives has seen the one text there is.
    if (answer.texts.empty() || std::ssize(answer.texts) < request.alternatives) continue;
    if (request.alternatives == 1) answer.texts.resize(1);
    on_answer(answer);
    return true;
  }
  return false;
}

// The current run is writing what the user has typed since, or is still in prefill, most of which a
// new run would have to repeat. So it serves the new request too. If every keystroke cancelled it,
// a user who types faster than the model reads would never see a completion.
bool Completions::join_run(const CompletionRequest& request, CompletionId id, OnAnswer& on_answer) {
  if (!run_) return false;
  const CompletionRequest& began = run_->request;
  if (request.alternatives > began.alternatives || request.blocks > began.blocks ||
      request.min_probability < began.min_probability)
    return false;
  const bool same_place = began.document == request.document && began.offset == request.offset;
  if (!same_place &&
      (!run_->watch->begun.load() || !run_->may_do_for(*request.document, request.offset)))
    return false;
  if (const OnAnswer earlier = std::exchange(run_->on_answer, std::move(on_answer)))
    earlier(superseded());
  run_->waiting = id;
  run_->document = request.document;
  run_->offset = request.offset;
  run_->watch->abandoned.store(0);
  return true;
}

void Completions::start(CompletionRequest request, std::chrono::milliseconds delay, CompletionId id,
                        OnAnswer on_answer) {
  request.snippet_place = snippet_place_;
  request.snippets = snippets_;
  run_ = Run();
  run_->id = run_->waiting = id;
  run_->on_answer = std::move(on_answer);
  run_->document = request.document;
  run_->offset = request.offset;
  run_->watch = std::make_shared<RunWatch>();
  run_->request = request;
  run_->job = host_.queue().add(
      [this, call = call_, host = &host_, watch = run_->watch, request = std::move(request),
       id](const DecodeQueue::Control& control) mutable {
        const Span span("completion", "completion", id);
        RunStop stop(control.stop, watch);
        stop.begin();
        request.on_text = [&](std::string_view text) {
          stop.look();
          call([this, id, text = std::string(text)] { receive_text(id, text); });
        };
        const Result<CompletionResult> result = run_unless_stopped(*host, request, stop.token());
        call([this, id, result] { receive_result(id, result); });
      },
      Urgency::kCompletion, Clock::now() + delay,
      [this, call = call_, id](const Error& error) {
        call([this, id, error = error.in(kFailed)] { receive_result(id, error); });
      });
}

void Completions::receive_text(CompletionId run, std::string text) {
  if (!run_ || run_->id != run) return;
  run_->so_far = std::move(text);
  if (!run_->on_answer || run_->may_do_for(*run_->document, run_->offset)) return;
  host_.queue().cancel(run_->job);
  start_again(*std::exchange(run_, std::nullopt));
}

bool Completions::Run::may_do_for(const Document& now, std::size_t now_offset) const {
  const auto typed = typed_since(*request.document, request.offset, now, now_offset);
  return typed && (so_far.starts_with(*typed) || typed->starts_with(so_far));
}

void Completions::start_again(Run run) {
  run.request.document = std::move(run.document);
  run.request.offset = run.offset;
  start(std::move(run.request), {}, run.waiting, std::move(run.on_answer));
}

void Completions::receive_result(CompletionId run, const Result<CompletionResult>& result) {
  if (!run_ || run_->id != run) return;
  Run ended = std::move(*run_);
  run_.reset();
  if (!result) {
    if (ended.on_answer) ended.on_answer({.error = result.error().message()});
    return;
  }
  if (result->finish_reason == FinishReason::kCancelled) {
    // The run was stopped just before a request joined it.
    if (ended.on_answer) start_again(std::move(ended));
    return;
  }
  if (!result->texts.empty()) {
    suggested_.push_front({ended.request.document, ended.request.offset, ended.request.blocks,
                           ended.request.min_probability, result->texts});
    if (suggested_.size() > kSuggested) suggested_.pop_back();
  }
  if (!ended.on_answer) return;
  const CompletionAnswer answer = answer_of(ended, *result);
  if (answer.texts.empty() && ended.moved()) {
    start_again(std::move(ended));
  } else {
    ended.on_answer(answer);
  }
}

CompletionAnswer Completions::answer_of(const Run& run, const CompletionResult& result) {
  CompletionAnswer answer{
      .why_none = result.why_none, .is_unsure = result.is_unsure, .statistics = result.statistics};
  for (const std::string& text : result.texts) {
    std::optional<std::string> rest =
        carried_forward(*run.request.document, run.request.offset, text, *run.document, run.offset);
    if (rest) answer.texts.push_back(std::move(*rest));
  }
  return answer;
}

void Completions::cancel(CompletionId id) {
  if (!run_ || run_->waiting != id) return;
  run_->waiting = 0;
  run_->on_answer = nullptr;
  run_->watch->abandoned.store(Clock::now().time_since_epoch().count());
}

void Completions::forget(const std::string& uri) {
  reading_.stop();
  std::erase_if(suggested_,
                [&](const Suggested& suggested) { return suggested.document->uri() == uri; });
  if (run_ && run_->request.document->uri() == uri)
    end_run({.why_none = "the document was closed"});
  if (snippet_place_ && snippet_place_->document->uri() == uri) snippet_place_ = nullptr;
}

void Completions::end_run(const CompletionAnswer& answer) {
  if (!run_) return;
  host_.queue().cancel(run_->job);
  const OnAnswer on_answer = std::move(run_->on_answer);
  run_.reset();
  if (on_answer) on_answer(answer);
}

}  // namespace redraft
