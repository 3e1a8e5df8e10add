// Edits that are alive: asked for and still running, or ended with hunks that wait for the user.
//
// Why there is one place for them. Three things happen to an edit, at any time and in any order:
// its model writes a hunk, its user types, and somebody asks for another edit of the same lines.
// Where a hunk stands now, which of two hunks yields and when an edit may be forgotten follow from
// all three together. So they are decided here, from one record for each edit, and everybody else
// asks: the Workspace runs the jobs, and the language server knows only to whom an edit's outcome
// goes, and in which form.
//
// LiveEdits decides and tells nobody. A step returns what follows from it (Consequences), and the
// owner carries that out: it stops jobs, tells of hunks, and says last which edits are forgotten.
// So nothing is called back from within a half-made decision.
//
// An example. Edit 1 is asked for lines 0 to 10, and finds hunks in lines 2 and 8; then edit 2 is
// asked for lines 6 to 20:
//
//   add, set_region   1 is kRunning
//   receive, receive  both hunks wait
//   end, settle       1 is kEnded
//   change            a line is typed above: both hunks move    -> news: 1's two hunks, moved
//   add, set_region   2 shares some lines with 1: both stay (had it had all of them, 1 would be
//                     over now)
//   receive           2 has a hunk for line 8: it counts        -> news: 1's second hunk, dropped
//   take              the user accepts 1's first hunk           -> over: 1, nothing of it waits
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"
#include "workspace/documents/buffer_change.h"
#include "workspace/edit/edit_session.h"
#include "workspace/engine/decode_queue.h"

namespace redraft {

using EditId = std::int64_t;

// A hunk as it stands against the newest version of its document: rebased when the buffer changed
// elsewhere, dropped when the change touched it.
struct LiveHunk {
  Hunk hunk;                 // range against `version`
  std::int64_t version = 0;  // of the document
  bool dropped = false;
  std::string reason;  // why it was dropped
};

struct LiveEdit {
  enum class State {
    // It waits for its turn, or the model writes it.
    //   -> kStopping  the user wants its end
    //   -> kReplaced  all of its lines were asked for anew
    //   -> kOrphaned  its document was closed, renamed, or is another text now
    //   -> kEnded     the model is done with it
    kRunning,
    // It will end soon. What it wrote, and still writes, counts as before.
    //   -> kReplaced, kOrphaned, kEnded  as above
    kStopping,
    // Nothing of it counts any more; its end is still to come.
    //   -> kOrphaned  its document went too
    //   -> kOver      its end came
    kReplaced,
    // The same, and there is no document that it is about.
    //   -> kOver      its end came
    kOrphaned,
    // Its end came, and hunks of it wait for the user.
    //   -> kOver      none waits any more: decided, dropped, or replaced with the rest
    kEnded,
    // To be forgotten. Nothing leads out of it.
    kOver,
  };

  std::string uri;
  DecodeQueue::JobId job = 0;
  State state = State::kRunning;
  std::string why_stopped;  // the first reason that was not the user's wish
  std::vector<LiveHunk> hunks;
  int n_dropped = 0;  // hunks
  // The lines that the model rewrites, as they stand now, once that is known.
  std::optional<ByteRange> region;
  // Since it started, while it runs: its hunks are against the version of then.
  std::vector<BufferChange> changes;

  // Its end is still to come.
  bool runs() const { return state != State::kEnded && state != State::kOver; }
  // What it wrote and writes counts.
  bool counts() const {
    return state == State::kRunning || state == State::kStopping || state == State::kEnded;
  }
};

// The arrows above, and nothing else.
constexpr bool may_follow(LiveEdit::State before, LiveEdit::State after) {
  using enum LiveEdit::State;
  switch (before) {
    case kRunning:
      return after == kStopping || after == kReplaced || after == kOrphaned || after == kEnded;
    case kStopping:
      return after == kReplaced || after == kOrphaned || after == kEnded;
    case kReplaced:
      return after == kOrphaned || after == kOver;
    case kOrphaned:
    case kEnded:
      return after == kOver;
    case kOver:
      return false;
  }
  return false;
}

// How edits that are alive get along with what is typed and with each other. Several are alive in
// one document, each asked against a version of its own.
//
// An edit whose lines a newer one covers is replaced by it: the same was asked for anew. Where the
// lines of two overlap in part both stay, and a hunk of the newer one drops those of the older one
// that it overlaps: of two answers for one place the last one asked for counts.
//
// One thread.
class LiveEdits {
 public:
  static constexpr int kMaxDocumentPart = 16;

  // Hunks of one edit that were moved or dropped.
  struct News {
    EditId id = 0;
    std::vector<LiveHunk> hunks;
  };
  // What follows from a step, in the order in which it is to be carried out.
  struct Consequences {
    std::vector<EditId> to_stop;  // their jobs are to end; each says so by end()
    std::vector<News> news;       // one for an edit, the older edits first
    std::vector<EditId> over;     // forgotten: nothing more is heard of them
  };
  struct Received {
    LiveHunk hunk;      // dropped already if its place has changed, or is another edit's
    Consequences then;  // of what it takes the place of
  };
  struct Taken {
    std::vector<TextEdit> edits;
    Consequences then;
  };

  // An error when too many edits of the document are alive.
  Result<void> check_room(const std::string& uri) const;
  EditId add(std::string uri);
  // What runs it, and is to end when it is to stop.
  void set_job(EditId id, DecodeQueue::JobId job) { edits_.at(id).job = job; }
  const LiveEdit* find(EditId id) const;  // null for an unknown one
  const std::map<EditId, LiveEdit>& all() const { return edits_; }

  // `region` is against the version that the edit was asked for.
  Consequences set_region(EditId id, ByteRange region);
  // Of an edit that runs and is not kOrphaned. `version` is the document's now.
  Received receive(EditId id, Hunk hunk, std::int64_t version);
  Consequences change(const std::string& uri, std::int64_t version,
                      const std::vector<BufferChange>& changes);
  // Takes hunks out of an edit (all if `ids` is null) and returns those that still applied.
  Taken take(EditId id, const std::optional<std::vector<int>>& ids);
  // Takes the document away from its edits: their hunks are gone, those that run are to stop.
  Consequences forget(const std::string& uri, const std::string& why);
  // The user wants its end. False: it does not run.
  bool stop(EditId id);
  // It has come to its end, and is known until settle(): whoever hears of the end may ask about it.
  // False: it does not run.
  bool end(EditId id);
  Consequences settle();

 private:
  static void replace(EditId id, LiveEdit& edit, Consequences& then);
  static void drop(LiveEdit& edit, LiveHunk& live, const std::string& why);
  static void drop_all(EditId id, LiveEdit& edit, const std::string& why, Consequences& then);
  bool is_overtaken(EditId id, const ByteRange& range) const;
  void overtake(EditId id, const ByteRange& range, Consequences& then);
  // Forgets edits that have ended and of which nothing waits.
  void settle(Consequences& then);

  std::map<EditId, LiveEdit> edits_;
  EditId last_id_ = 0;
};

}  // namespace redraft
