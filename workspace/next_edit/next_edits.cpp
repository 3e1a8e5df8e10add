#include "workspace/next_edit/next_edits.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "support/trace/trace.h"

namespace redraft {
namespace {

constexpr std::size_t kRejected = 64;
// Longer than the time between two keystrokes of a fast typist.
constexpr auto kPause = std::chrono::milliseconds(60);

constexpr const char* kFailed = "the search for the next edit failed";

std::size_t hash_of(const Document& document, const TextEdit& edit) {
  const std::string old_text = document.text().substr(edit.range.begin, edit.range.size());
  return std::hash<std::string>()(document.uri() + '\0' + old_text + '\0' + edit.new_text);
}

}  // namespace

NextEdits::~NextEdits() {
  stop_reading_ahead();
  if (run_) host_.queue().cancel(run_->job);
}

NextEditId NextEdits::ask(NextEditRequest request, OnAnswer on_answer) {
  const NextEditId id = ++last_id_;
  stop_reading_ahead();
  end_run("a newer request took its place");
  if (document_ && !left_.empty()) {
    on_answer({.document = document_,
               .edits = left_,
               .note = left_note_,
               .by_tree = left_by_tree_,
               .carried = true});
    return id;
  }
  if (!request.is_anything_changed()) {
    on_answer({.why_none = "there are no recent changes"});
    return id;
  }
  request.memory = memory_;
  request.is_unwanted = [rejected = rejected_](const Document& document, const TextEdit& edit) {
    return std::ranges::find(rejected, hash_of(document, edit)) != rejected.end();
  };
  run_ = Run{id, 0, request.documents, std::move(on_answer)};
  run_->job = host_.queue().add(
      [this, call = call_, request = std::move(request), id](const DecodeQueue::Control& control) {
        const Span span("next edit", "next_edit", id);
        NextEditPlan plan = plan_next_edit(request, control.stop);
        if (plan.result) {
          call([this, id, result = std::move(*plan.result)] { receive(id, result); });
        } else {
          call(
              [this, id, request, search = std::move(plan.search)] { go_on(id, request, search); });
        }
      },
      Urgency::kWithoutModel, {}, fail(id));
  return id;
}

void NextEdits::go_on(NextEditId id, NextEditRequest request, NextEditSearch search) {
  if (!run_ || run_->id != id) return;
  run_->job = host_.queue().add(
      [this, call = call_, host = &host_, request = std::move(request), search = std::move(search),
       id](const DecodeQueue::Control& control) mutable {
        const Span span("next edit", "next_edit", id);
        request.on_pass = control.give_way;
        const Result<NextEditResult> result = run_on_engine(*host, kFailed, [&](Engine& engine) {
          return run_next_edit(engine, request, search, control.stop);
        });
        call([this, id, result] { receive(id, result); });
      },
      Urgency::kNextEdit, {}, fail(id));
}

DecodeQueue::OnFailure NextEdits::fail(NextEditId id) {
  return [this, call = call_, id](const Error& error) {
    call([this, id, error = error.in(kFailed)] { receive(id, error); });
  };
}

NextEditId NextEdits::decline(const std::string& why, const OnAnswer& on_answer) {
  end_run("a newer request took its place");
  on_answer({.why_none = why});
  return ++last_id_;
}

void NextEdits::cancel(NextEditId id) {
  if (!run_ || run_->id != id) return;
  run_->on_answer = nullptr;
  end_run({});
}

void NextEdits::changed(const std::shared_ptr<const Document>& now,
                        const std::vector<BufferChange>& changes) {
  if (changes.empty()) return;
  end_run_over(now->uri(), "the text was changed meanwhile");
  if (!document_) return;
  const std::size_t before = left_.size();
  if (document_->uri() == now->uri()) {
    for (const BufferChange& change : changes)
      std::erase_if(left_, [&](TextEdit& edit) { return !rebase(change, &edit.range); });
    document_ = now;
  }
  if (left_.size() == before) left_.clear();
}

void NextEdits::read_ahead(MakeRequest make_request) {
  stop_reading_ahead();
  if (!left_.empty()) return;  // these will be proposed
  expected_ = std::move(make_request);
  // The request compares whole documents, so it is made once, not at each keystroke.
  pausing_ = host_.queue().add(
      [this, call = call_](const DecodeQueue::Control&) {
        call([this] {
          if (const MakeRequest make = std::exchange(expected_, nullptr)) read(make());
        });
      },
      Urgency::kWarmUp, DecodeQueue::Clock::now() + kPause);
}

void NextEdits::read(const NextEditRequest& request) {
  if (!request.is_anything_changed()) return;
  NextEditRequest expected = request;
  expected.memory = memory_;
  reading_.start([expected](Engine& engine, const IdleReading::OnChunk& on_chunk,
                            const std::stop_token& stop) {
    return read_next_edit_ahead(engine, expected, on_chunk, stop);
  });
}

void NextEdits::stop_reading_ahead() {
  expected_ = nullptr;
  host_.queue().cancel(pausing_);
  reading_.stop();
}

void NextEdits::forget(const std::string& uri) {
  stop_reading_ahead();
  end_run_over(uri, "the document was closed");
  if (!document_ || document_->uri() != uri) return;
  document_ = nullptr;
  left_.clear();
}

void NextEdits::reject(const Document& document, const TextEdit& edit) {
  rejected_.push_back(hash_of(document, edit));
  if (rejected_.size() > kRejected) rejected_.pop_front();
  std::erase_if(left_, [&](const TextEdit& left) { return rejected(*document_, left); });
}

bool NextEdits::rejected(const Document& document, const TextEdit& edit) const {
  return std::ranges::find(rejected_, hash_of(document, edit)) != rejected_.end();
}

void NextEdits::end_run(const std::string& why) {
  if (!run_) return;
  host_.queue().cancel(run_->job);
  const OnAnswer on_answer = std::move(run_->on_answer);
  run_.reset();
  if (on_answer) on_answer({.why_none = why});
}

void NextEdits::end_run_over(const std::string& uri, const std::string& why) {
  const auto is_it = [&](const auto& document) { return document->uri() == uri; };
  if (run_ && std::ranges::any_of(run_->documents, is_it)) end_run(why);
}

void NextEdits::receive(NextEditId id, const Result<NextEditResult>& result) {
  if (!run_ || run_->id != id) return;
  const OnAnswer on_answer = std::move(run_->on_answer);
  run_.reset();
  if (!result) {
    on_answer({.error = result.error().message()});
    return;
  }
  NextEditAnswer answer{.why_none = result->why_none,
                        .is_unsure = result->is_unsure && result->edits.empty(),
                        .note = result->note,
                        .by_tree = result->by_tree,
                        .statistics = result->statistics};
  for (const TextEdit& edit : result->edits) {
    if (!rejected(*result->document, edit)) answer.edits.push_back(edit);
  }
  if (answer.edits.empty()) {
    if (!result->edits.empty()) answer.why_none = "all next edits were rejected before";
  } else {
    answer.document = document_ = result->document;
    left_ = answer.edits;
    left_note_ = answer.note;
    left_by_tree_ = answer.by_tree;
  }
  on_answer(answer);
}

}  // namespace redraft
