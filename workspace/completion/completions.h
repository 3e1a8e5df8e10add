// Which requests for a completion the model runs for, and which it need not.
//
// Why. An editor asks at every keystroke and cancels what it asked before, while a model on a
// laptop takes longer to read than many people to type: to run anew for each request would show
// nothing to those who type fast. But most keystrokes are no news. Whoever types what was suggested
// should see the rest of it, at once and without the model; and a run that is writing just what is
// being typed is to be waited for. So there is at most one run, and what it is for may move: a
// newer request joins it as long as nothing speaks against that.
//
// An example: the text is "x = ", and "price" is typed, a key every 80 ms.
//
//   p   starts a run; the model begins to read
//   r   joins it: it is still reading, and "r" may be what it will write. The request before is
//       answered with nothing (superseded). Then the run writes "rice * count"
//   i   joins it; it ends, and the answer is what is left: "ce * count"
//   c   is answered from memory, carried forward: "e * count"
//   u   nothing that was suggested goes on so: a new run, after the delay
//
// A run whose request was cancelled goes on for 100 ms, since the next request mostly comes within
// them. Answers are remembered for a while, so that a letter that is deleted brings back the longer
// rest.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/owner_post.h"
#include "workspace/completion/completion_session.h"
#include "workspace/engine/engine_host.h"

namespace redraft {

using CompletionId = std::int64_t;

// What comes of one request for a completion.
struct CompletionAnswer {
  std::vector<std::string> texts = {};  // to be inserted at the place, the best first; may be empty
  std::string why_none = {};            // for the user, where there is none
  std::string error = {};               // why it failed, if it did
  // The answer is what was left of an earlier one: the model did not run for it.
  bool carried = false;
  // Nobody waits for it any more: a newer request took its place.
  bool superseded = false;
  std::optional<DecodeStatistics> statistics = {};  // of the run that wrote the first text
};

// What is left, where the user is now, of `text` that was suggested at `offset` of `then`; none if
// something else was done since. What was typed of it is no longer part of it; what was deleted of
// the word before its place is, while who deletes more is not offered the same again. A bracket or
// quote that an editor closed by itself behind the place does not count as a change.
std::optional<std::string> carried_forward(const Document& then, std::size_t offset,
                                           const std::string& text, const Document& now,
                                           std::size_t now_offset);

// The completions of one workspace: the newest request wins, what was suggested goes on being
// suggested while the user types it, and the model runs for the rest. Owner's thread.
class Completions {
 public:
  using OnAnswer = std::function<void(const CompletionAnswer&)>;

  Completions(EngineHost& host, OwnerPost call) : host_(host), call_(std::move(call)) {}
  ~Completions();

  // `on_answer` is called once, perhaps before this returns. The model begins after `delay` at the
  // earliest; what was asked before is answered with nothing.
  CompletionId ask(CompletionRequest request, std::chrono::milliseconds delay, OnAnswer on_answer);
  // The same where nothing is suggested, and `why` says so.
  CompletionId decline(const std::string& why, const OnAnswer& on_answer);
  // The answer is never called; the model stops within one pass unless the next request goes on
  // from here.
  void cancel(CompletionId id);
  // All that is known about a document is forgotten; what waits for it is answered with nothing.
  void forget(const std::string& uri);

 private:
  // What the decode thread and the owner's tell each other of a run.
  struct RunWatch {
    std::atomic<bool> begun = false;  // its delay is over, and it was its turn
    // When its client lost interest, in ticks of the queue's clock; 0: it has not.
    std::atomic<DecodeQueue::Clock::rep> abandoned = 0;
  };
  class RunStop;
  // A run of the model that somebody waits for, or did until a moment ago.
  struct Run {
    CompletionId id = 0;  // of the request that began it
    CompletionRequest request;
    DecodeQueue::JobId job = 0;
    std::string so_far;
    CompletionId waiting = 0;  // 0: nobody
    OnAnswer on_answer;
    // Of the request that waits now, as the user typed on since the run began.
    std::shared_ptr<const Document> document;
    std::size_t offset = 0;
    std::shared_ptr<RunWatch> watch;

    bool moved() const { return document != request.document || offset != request.offset; }
    // Nothing that it wrote so far speaks against its being what is wanted at this place.
    bool may_do_for(const Document& now, std::size_t now_offset) const;
  };
  struct Suggested {
    std::shared_ptr<const Document> document;
    std::size_t offset;
    int blocks;
    std::vector<std::string> texts;
  };

  bool answer_from_memory(const CompletionRequest& request, const OnAnswer& on_answer);
  bool join_run(const CompletionRequest& request, CompletionId id, OnAnswer& on_answer);
  void start(CompletionRequest request, std::chrono::milliseconds delay, CompletionId id,
             OnAnswer on_answer);
  // Asks anew for the place where the user is by now.
  void start_again(Run run);
  void end_run(const CompletionAnswer& answer);
  void receive_text(CompletionId run, std::string text);
  void receive_result(CompletionId run, const Result<CompletionResult>& result);
  static CompletionAnswer answer_of(const Run& run, const CompletionResult& result);

  EngineHost& host_;
  OwnerPost call_;
  CompletionId last_id_ = 0;
  std::optional<Run> run_;
  std::deque<Suggested> suggested_;  // the newest first
  std::shared_ptr<SteadySnippets> snippets_ = std::make_shared<SteadySnippets>();
};

}  // namespace redraft
