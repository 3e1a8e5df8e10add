// The live edits: those that run, and those that have ended with hunks that wait for the user.
//
// Why all in one place. Three things happen to an edit, at any time and in any order: its model
// writes a hunk, the user types, and the user requests another edit of the same lines. Where a hunk
// is now, which of two hunks yields and when an edit may be forgotten follow from all three
// together. So all of that is decided here, from one record per edit, and everyone else asks: the
// Workspace runs the jobs, and the language server knows only where an edit's outcome goes, and in
// which form.
//
// LiveEdits decides but calls nobody. A step returns its Consequences, and the owner carries them
// out: it stops jobs, reports hunks, and last says which edits are forgotten. So there is no
// callback from within a half-made decision.
//
// An example. Edit 1 has lines 0 to 10 and finds hunks in lines 2 and 8; then edit 2 is requested
// for lines 6 to 20:
//
//   add, set_region   1 is kRunning
//   receive, receive  both hunks wait
//   end, settle       1 is kEnded
//   change            a line is typed above: both hunks move    -> news: 1's two hunks, moved
//   add, set_region   2 shares some lines with 1: both stay (if 2 had all of 1's lines, 1 would
//                     be over now)
//   receive           2 has a hunk for line 8, which wins       -> news: 1's second hunk, dropped
//   take              the user accepts 1's first hunk           -> over: 1, none of its hunks waits
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"
#include "workspace/documents/buffer_change.h"
#include "workspace/edit/edit_result.h"
#include "workspace/engine/decode_queue.h"

namespace redraft {

using EditId = std::int64_t;

// A hunk against the newest version of its document: rebased when the document changed elsewhere,
// dropped when the change touched it.
struct LiveHunk {
  Hunk hunk;                 // its range is against `version`
  std::int64_t version = 0;  // of the document
  bool dropped = false;
  std::string reason;     // why it was dropped
  bool replaced = false;  // others of the same edit take its place
};

struct LiveEdit {
  enum class State {
    // It waits for its turn, or the model writes it.
    //   -> kStopping  the user cancelled it
    //   -> kReplaced  a newer edit has all of its lines
    //   -> kOrphaned  its document was closed, renamed, or replaced
    //   -> kEnded     the model is done with it
    kRunning,
    // It will end soon. Its hunks, also further ones, count as before.
    //   -> kReplaced, kOrphaned, kEnded  as above
    kStopping,
    // None of its hunks counts any more; its end is still to come.
    //   -> kOrphaned  its document went too
    //   -> kOver      it ended
    kReplaced,
    // The same, and its document is gone.
    //   -> kOver      it ended
    kOrphaned,
    // It has ended, and hunks of it wait for the user.
    //   -> kOver      none waits any more: decided, dropped, or replaced with the rest
    kEnded,
    // To be forgotten. There is no way out.
    kOver,
  };

  std::string uri;
  DecodeQueue::JobId job = 0;
  State state = State::kRunning;
  std::string why_stopped;  // the first reason other than the user's cancellation
  std::vector<LiveHunk> hunks;
  int n_dropped = 0;         // hunks
  bool decided = false;      // the user has accepted or rejected a hunk
  bool keeps_first = false;  // and so its hunks were not replaced by a repair's
  // The lines that the model rewrites, where they are now; empty: they are not known yet.
  std::vector<ByteRange> regions;
  // The document's changes since the edit started, while it runs: its hunks are against that
  // version.
  std::vector<BufferChange> changes;

  // Whether its end is still to come.
  bool runs() const { return state != State::kEnded && state != State::kOver; }
  // Whether its hunks count.
  bool counts() const {
    return state == State::kRunning || state == State::kStopping || state == State::kEnded;
  }
};

// The transitions listed above, and no others.
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

// How live edits respond to typing and to each other. Several may be alive in one document, each
// requested for a version of its own.
//
// An edit is replaced by a newer one that covers its lines: the user requested the same again. If
// the lines of two edits overlap in part, both stay, and a hunk of the newer one drops the
// overlapping hunks of the older one: of two answers for one place, the later request wins.
//
// One thread.
class LiveEdits {
 public:
  static constexpr int kMaxDocumentPart = 16;

  // Hunks of one edit that were dropped, or moved: to other bytes, or perhaps to another line and
  // character alone.
  struct News {
    EditId id = 0;
    std::vector<LiveHunk> hunks;
  };
  // What follows from a step, in the order in which the owner has to carry it out.
  struct Consequences {
    std::vector<EditId> to_stop;  // their jobs have to stop; each reports by end()
    std::vector<News> news;       // one per edit, the older edits first
    std::vector<EditId> over;     // forgotten: nothing more is heard of them
  };
  struct Received {
    LiveHunk hunk;      // dropped already if its place changed or has another hunk
    Consequences then;  // for the hunks that it replaces
  };
  struct Taken {
    std::vector<TextEdit> edits;
    Consequences then;
  };

  // An error if too many edits of the document are alive.
  Result<void> check_room(const std::string& uri) const;
  EditId add(std::string uri);
  // Sets the job that runs the edit, which is cancelled to stop it.
  void set_job(EditId id, DecodeQueue::JobId job) { edits_.at(id).job = job; }
  const LiveEdit* find(EditId id) const;  // null for an unknown one
  const std::map<EditId, LiveEdit>& all() const { return edits_; }

  // `regions` are against the version for which the edit was requested.
  Consequences set_regions(EditId id, std::vector<ByteRange> regions);
  Consequences set_region(EditId id, ByteRange region) { return set_regions(id, {region}); }
  // For an edit that runs and is not kOrphaned. `version` is the document's current one.
  Received receive(EditId id, Hunk hunk, std::int64_t version);
  // All hunks of an edit make way for those of its repair, which are to be received then. Nothing:
  // they do not, because the user has decided about one of them.
  std::optional<Consequences> withdraw(EditId id, const std::string& why);
  Consequences change(const std::string& uri, std::int64_t version,
                      const std::vector<BufferChange>& changes);
  // Takes hunks out of an edit (all if `ids` is null) and returns those that still apply.
  Taken take(EditId id, const std::optional<std::vector<int>>& ids);
  // Removes a document: the hunks of its edits are gone, and those that run have to stop.
  Consequences forget(const std::string& uri, const std::string& why);
  // The user cancels the edit. False: it does not run.
  bool stop(EditId id);
  // The edit writes no more: its hunks have their final doubts.
  void settle_doubts(EditId id, const EditResult& result);
  // The edit has ended. It is known until settle(), so that whoever is told of its end can ask
  // about it. False: it does not run.
  bool end(EditId id);
  Consequences settle();

 private:
  static void replace(EditId id, LiveEdit& edit, Consequences& then);
  static void drop(LiveEdit& edit, LiveHunk& live, const std::string& why);
  static void drop_all(EditId id, LiveEdit& edit, const std::string& why, Consequences& then);
  bool is_overtaken(EditId id, const ByteRange& range) const;
  void overtake(EditId id, const ByteRange& range, Consequences& then);
  // Forgets edits that have ended and have no waiting hunks.
  void settle(Consequences& then);

  std::map<EditId, LiveEdit> edits_;
  EditId last_id_ = 0;
};

}  // namespace redraft
