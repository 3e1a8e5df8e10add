// Decides for which completion requests the model runs.
//
// Why. An editor sends a request at every keystroke and cancels the previous one, while prefill on
// a laptop takes longer than the time between two keystrokes. With a new run for each request, a
// user who types fast would see nothing. But most keystrokes bring no new information. A user who
// types the suggested text should see the rest of it at once, without the model. If a run is
// writing exactly what the user is typing, it is best to wait for it. So there is at most one run,
// and it may serve another request: a newer request joins the run as long as the text so far agrees
// with what was typed.
//
// An example: the text is "x = ", and the user types "price", one key every 80 ms.
//
//   p   starts a run; prefill begins
//   r   joins it: prefill continues, and the model may yet write "r". The previous request gets no
//       text (superseded). Then the run writes "rice * count"
//   i   joins it; the run ends, and the answer is the rest: "ce * count"
//   c   is answered from memory, carried forward: "e * count"
//   u   does not continue any suggestion: a new run, after the delay
//
// After a jump of the cursor, nothing of the prompt is known, and most of it is before the cursor.
// So a client may announce that it will soon request completions there: the prompt is then read at
// the lowest priority, until the first request.
//
// A run whose request was cancelled continues for 100 ms, because the next request usually comes
// within that time. Answers are remembered for a while, so that deleting a letter brings back the
// longer rest.
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
#include "workspace/engine/idle_reading.h"

namespace redraft {

using CompletionId = std::int64_t;

// The answer to one completion request.
struct CompletionAnswer {
  // To be inserted at the cursor, the best first; may be empty.
  std::vector<std::string> texts = {};
  // Why there is no text, for the user.
  std::string why_none = {};
  bool is_unsure = false;  // CompletionResult::is_unsure
  std::string error = {};  // why it failed, if it did
  // The answer is the rest of an earlier one: the model did not run for it.
  bool carried = false;
  // A newer request replaced it, so nobody waits for this answer.
  bool superseded = false;
  std::optional<DecodeStatistics> statistics = {};  // of the run that wrote the first text
};

// The rest, at the user's current position, of `text` that was suggested at `offset` of `then`;
// nullopt if there was any other change since. Typed characters are removed from the front of the
// text. Deleted characters of the word before `offset` are put back; after larger deletions there
// is no rest. A closing bracket or quote that an editor inserted automatically does not count as a
// change.
std::optional<std::string> carried_forward(const Document& then, std::size_t offset,
                                           const std::string& text, const Document& now,
                                           std::size_t now_offset);

// The completions of one workspace: the newest request wins, a suggestion continues while the user
// types it, and otherwise the model runs. Owner's thread.
class Completions {
 public:
  using OnAnswer = std::function<void(const CompletionAnswer&)>;

  Completions(EngineHost& host, OwnerPost call, OnReadAhead on_read_ahead)
      : host_(host), call_(std::move(call)), reading_(host, call_, std::move(on_read_ahead)) {}
  ~Completions();

  // `on_answer` is called once, perhaps before this returns. The model starts after `delay` at the
  // earliest. The previous request is answered with nothing.
  CompletionId ask(CompletionRequest request, std::chrono::milliseconds delay, OnAnswer on_answer);
  // Announces that such a request will come soon: reads its prompt while there is nothing else to
  // do.
  void read_ahead(CompletionRequest request);
  void stop_reading_ahead() { reading_.stop(); }
  // Answers with nothing, because of `why`.
  CompletionId decline(const std::string& why, const OnAnswer& on_answer);
  // `on_answer` is no longer called. The model stops within one pass unless the next request joins
  // the run.
  void cancel(CompletionId id);
  // Forgets everything about a document; its pending request is answered with nothing.
  void forget(const std::string& uri);

 private:
  // State of a run that the decode thread and the owner's thread share.
  struct RunWatch {
    std::atomic<bool> begun = false;  // its delay is over, and the decode thread has started it
    // When its request was cancelled, in ticks of the queue's clock; 0: it was not.
    std::atomic<DecodeQueue::Clock::rep> abandoned = 0;
  };
  class RunStop;
  // A run of the model for which a request waits, or did until a moment ago.
  struct Run {
    CompletionId id = 0;  // of the request that started it
    CompletionRequest request;
    DecodeQueue::JobId job = 0;
    std::string so_far;
    CompletionId waiting = 0;  // 0: no request
    OnAnswer on_answer;
    // The document of the request that waits now; the user may have typed since the run started.
    std::shared_ptr<const Document> document;
    std::size_t offset = 0;
    std::shared_ptr<RunWatch> watch;

    bool moved() const { return document != request.document || offset != request.offset; }
    // Whether the text so far agrees with what has been typed since the run started.
    bool may_do_for(const Document& now, std::size_t now_offset) const;
  };
  struct Suggested {
    std::shared_ptr<const Document> document;
    std::size_t offset;
    int blocks;
    double min_probability;  // where the gate ended the texts
    std::vector<std::string> texts;
  };

  bool answer_from_memory(const CompletionRequest& request, const OnAnswer& on_answer);
  bool join_run(const CompletionRequest& request, CompletionId id, OnAnswer& on_answer);
  void start(CompletionRequest request, std::chrono::milliseconds delay, CompletionId id,
             OnAnswer on_answer);
  // Starts a new run at the user's current position.
  void start_again(Run run);
  void end_run(const CompletionAnswer& answer);
  void receive_text(CompletionId run, std::string text);
  void receive_result(CompletionId run, const Result<CompletionResult>& result);
  static CompletionAnswer answer_of(const Run& run, const CompletionResult& result);

  EngineHost& host_;
  OwnerPost call_;
  CompletionId last_id_ = 0;
  std::optional<Run> run_;
  std::deque<Suggested> suggested_;                    // the newest first
  std::shared_ptr<const SnippetPlace> snippet_place_;  // of the last request
  std::shared_ptr<SteadySnippets> snippets_ = std::make_shared<SteadySnippets>();
  IdleReading reading_;
};

}  // namespace redraft
