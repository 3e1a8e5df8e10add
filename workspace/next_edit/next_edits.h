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
#include "workspace/next_edit/next_edit.h"

namespace redraft {

using NextEditId = std::int64_t;

// What comes of one request for next edits.
struct NextEditAnswer {
  std::shared_ptr<const Document> document = {};  // that the edits are of; null: there are none
  std::vector<TextEdit> edits = {};               // against it, ascending
  std::string why_none = {};                      // for the user, where there are none
  std::string error = {};                         // why it failed, if it did
  bool carried = false;  // what was left of an earlier answer: the model did not run
  DecodeStatistics statistics = {};
};

// The next edits of one workspace: the newest request wins, and of several that were found together
// those that are left are proposed again after one was taken. Owner's thread.
class NextEdits {
 public:
  using OnAnswer = std::function<void(const NextEditAnswer&)>;

  NextEdits(EngineHost& host, OwnerPost call) : host_(host), call_(std::move(call)) {}
  ~NextEdits();

  // `on_answer` is called once, perhaps before this returns; what was asked before is answered with
  // nothing.
  NextEditId ask(NextEditRequest request, OnAnswer on_answer);
  // The same where nothing is looked for, and `why` says so.
  NextEditId decline(const std::string& why, const OnAnswer& on_answer);
  // The answer is never called; the model stops within one pass.
  void cancel(NextEditId id);
  // A document is now this, by these changes: of what was found the part that they touched is gone,
  // the rest is moved along; all of it is gone if they touched none of it, because the user went on
  // with something else.
  void changed(const std::shared_ptr<const Document>& now,
               const std::vector<BufferChange>& changes);
  void forget(const std::string& uri);
  // The user does not want this change of the document's lines: it is not proposed again.
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
  void receive(NextEditId id, const Result<NextEditResult>& result);
  bool rejected(const Document& document, const TextEdit& edit) const;

  EngineHost& host_;
  OwnerPost call_;
  NextEditId last_id_ = 0;
  std::optional<Run> run_;
  std::shared_ptr<const Document> document_;  // of what is left; null: nothing is
  std::vector<TextEdit> left_;
  std::deque<std::size_t> rejected_;  // hashes, the latest at the end
};

}  // namespace redraft
