// Decides when the model has to search for next edits, and which edits are proposed again.
//
// Why it remembers. To find next edits the model reads several regions of a document, and one
// change often needs several others: a renamed parameter and all its uses. The user accepts those
// one at a time, and each accepted one arrives as an ordinary change of the document. So the rest
// of an answer is kept, moved along with the text, and proposed again without running the model.
// When the user changes anything else, the rest is dropped, because something else may follow from
// that.
//
// An example: the user renamed `count` to `total` in line 3.
//
//   ask       the model runs and finds edits A (line 7) and B (line 9)
//   changed   the editor applied A, so it is removed from the rest; B moves along
//   ask       B, carried: the model does not run
//   reject    the user does not want B; nothing is left
//   ask       the model runs and finds B again, which is left out
//
// Most of a request's time is spent reading, and most of its prompt is known while the user still
// types: the changes before this one, and this one's old lines. So whenever the user pauses, the
// text that a request would now read is read at the lowest priority. The next keystroke ends that,
// and only the text that it changed is read again.
//
// Results of the syntax tree need no model, so they do not wait for one to be loaded.
//
// A rejected edit is recognised by its document, old text and new text, so it is not proposed again
// after changes in other places.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/owner_post.h"
#include "workspace/documents/buffer_change.h"
#include "workspace/engine/engine_host.h"
#include "workspace/engine/idle_reading.h"
#include "workspace/next_edit/next_edit.h"

namespace redraft {

using NextEditId = std::int64_t;

// The answer to one request for next edits.
struct NextEditAnswer {
  std::shared_ptr<const Document> document = {};  // the document of the edits; null: there are none
  std::vector<TextEdit> edits = {};               // relative to the document, ascending
  std::string why_none = {};                      // why there are no edits, for the user
  // There are none because their probability was below NextEditRequest::min_probability.
  bool is_unsure = false;
  std::string error = {};  // the reason of a failure; empty: none
  std::string note = {};   // NextEditResult::note
  bool by_tree = false;    // NextEditResult::by_tree
  // The rest of an earlier answer, with that one's note: the model did not run.
  bool carried = false;
  DecodeStatistics statistics = {};
};

// The next edits of one workspace. The newest request wins. Owner's thread.
class NextEdits {
 public:
  using OnAnswer = std::function<void(const NextEditAnswer&)>;
  // Makes the request for the current state.
  using MakeRequest = std::function<NextEditRequest()>;

  NextEdits(EngineHost& host, OwnerPost call, OnReadAhead on_read_ahead)
      : host_(host), call_(std::move(call)), reading_(host, call_, std::move(on_read_ahead)) {}
  ~NextEdits();

  // `on_answer` is called once, perhaps before this returns. The previous request is answered with
  // nothing.
  NextEditId ask(NextEditRequest request, OnAnswer on_answer);
  // Answers with nothing, because of `why`.
  NextEditId decline(const std::string& why, const OnAnswer& on_answer);
  // `on_answer` is no longer called; the model stops within one pass.
  void cancel(NextEditId id);
  // A document has changed to `now` by these `changes`. Proposals that they touched are dropped,
  // and the others move along. If they touched none, all are dropped, because the user went on with
  // something else.
  void changed(const std::shared_ptr<const Document>& now,
               const std::vector<BufferChange>& changes);
  // Call it after changed() if a request is expected once the user has finished the change.
  // `make_request` is called after a short pause, if nothing else happens meanwhile.
  void read_ahead(MakeRequest make_request);
  void stop_reading_ahead();
  void forget(const std::string& uri);
  // The user rejects this change of the document's lines: it is not proposed again.
  void reject(const Document& document, const TextEdit& edit);

 private:
  struct Run {
    NextEditId id;
    DecodeQueue::JobId job;
    std::vector<std::shared_ptr<const Document>> documents;
    OnAnswer on_answer;
  };

  void end_run(const std::string& why);
  void end_run_over(const std::string& uri, const std::string& why);
  // Continues with the model.
  void go_on(NextEditId id, NextEditRequest request, NextEditSearch search);
  void receive(NextEditId id, const Result<NextEditResult>& result);
  // Answers the request if its job throws.
  DecodeQueue::OnFailure fail(NextEditId id);
  void read(const NextEditRequest& request);
  bool rejected(const Document& document, const TextEdit& edit) const;

  EngineHost& host_;
  OwnerPost call_;
  NextEditId last_id_ = 0;
  std::optional<Run> run_;
  std::shared_ptr<const Document> document_;  // of the rest; null: there is none
  std::vector<TextEdit> left_;
  std::string left_note_;  // of the answer that these were a part of
  bool left_by_tree_ = false;
  std::deque<std::size_t> rejected_;  // hashes, the latest at the end
  std::shared_ptr<NextEditMemory> memory_ = std::make_shared<NextEditMemory>();
  IdleReading reading_;
  MakeRequest expected_;            // null: no request is expected
  DecodeQueue::JobId pausing_ = 0;  // waits for a pause
};

}  // namespace redraft
