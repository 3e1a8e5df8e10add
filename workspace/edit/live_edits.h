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
  std::string uri;  // empty: its document is not the one it was asked for any more
  DecodeQueue::JobId job = 0;
  bool running = true;
  bool stopped = false;       // somebody wants its end
  bool replaced = false;      // by a newer edit: nothing of it counts any more
  std::string cancel_reason;  // why it was stopped, when that was not asked for
  std::vector<LiveHunk> hunks;
  // The lines that the model rewrites, as they stand now, once that is known.
  std::optional<ByteRange> region;
  // Since it started, while it runs: its hunks are against the version of then.
  std::vector<BufferChange> changes;
};

// The edits that run or whose hunks wait for a decision, and how they get along with what is typed
// and with each other. Several are alive in one document, each asked against a version of its own.
//
// An edit whose lines a newer one covers is replaced by it: the same was asked for anew. Where the
// lines of two overlap in part both stay, and a hunk of the newer one drops those of the older one
// that it overlaps: of two answers for one place the last one asked for counts.
//
// One thread; decides, and tells nobody: what follows is returned.
class LiveEdits {
 public:
  static constexpr int kMaxDocumentPart = 16;

  struct News {
    EditId id = 0;
    LiveHunk hunk;  // moved, or dropped
  };
  struct Replaced {
    std::vector<EditId> running;  // to be cancelled
    std::vector<News> dropped;
  };
  struct Received {
    LiveHunk hunk;              // dropped already if its place has changed, or is another edit's
    std::vector<News> dropped;  // what it takes the place of
  };

  // An error when too many edits of the document are alive.
  Result<void> check_room(const std::string& uri) const;
  EditId add(std::string uri);
  LiveEdit* find(EditId id);  // null for an unknown one
  const std::map<EditId, LiveEdit>& all() const { return edits_; }

  // `region` is against the version that the edit was asked for.
  Replaced set_region(EditId id, ByteRange region);
  // Of an edit whose document is still there. `version` is the document's now.
  Received receive(EditId id, Hunk hunk, std::int64_t version);
  std::vector<News> change(const std::string& uri, std::int64_t version,
                           const std::vector<BufferChange>& changes);
  // Takes hunks out of an edit (all if `ids` is null) and returns those that still applied.
  std::vector<TextEdit> take(EditId id, const std::optional<std::vector<int>>& ids);
  // Takes the document away from its edits: their hunks are gone. Returns those that still run.
  std::vector<EditId> forget(const std::string& uri);
  // Forgets edits that have ended and of which nothing waits.
  void tidy();

 private:
  static void replace(EditId id, LiveEdit& edit, Replaced& replaced);
  bool is_overtaken(EditId id, const ByteRange& range) const;
  std::vector<News> overtake(EditId id, const ByteRange& range);

  std::map<EditId, LiveEdit> edits_;
  EditId last_id_ = 0;
};

}  // namespace redraft
