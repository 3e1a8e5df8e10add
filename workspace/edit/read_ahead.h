// Reads a prompt while the user still types the instruction
//
// Reading is most of what a person waits for, and nearly all of it is known before the instruction
// is: the lines to edit and the file around them. So a client announces a place when it opens its
// input box, and the model reads at the lowest urgency until the request comes. Its prompt then
// finds all but the instruction in the cache.
//
// An example. The input box opens with the cursor in a method of 30 lines:
//
//   owner's thread   announce: the region is looked for; reading begins
//   decode thread    region found: the client highlights it
//                    reads the 700 tokens that precede the instruction
//                    between two chunks: a completion for a keystroke elsewhere
//   owner's thread   the edit is requested: reading stops within a chunk
//   decode thread    the edit: what was read is in the cache, the instruction is not
//
// A request runs between two passes of whatever is less urgent. But a cache that is being filled
// serves nobody else, so an edit must not run between two chunks: it stops the reading first.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "support/owner_post.h"
#include "workspace/edit/edit_request.h"
#include "workspace/engine/engine_host.h"
#include "workspace/engine/idle_reading.h"

namespace redraft {

// The read-ahead of one workspace: at most one place at a time, the newest. Owner's thread.
class ReadAhead {
 public:
  struct Observer {
    bool reads = true;  // otherwise only the region is looked for
    // The lines that an edit at that place would change. At most once, before all of on_read.
    std::function<void(ByteRange region)> on_region = {};
    // What part is read, 0..1.
    std::function<void(double fraction)> on_read = {};
    // Once, the last call: all is read (then `why` is empty), reading was stopped, or it failed.
    std::function<void(const std::string& why)> on_end = {};
  };

  ReadAhead(EngineHost& host, OwnerPost call, OnReadAhead on_read_ahead)
      : host_(host), call_(std::move(call)), on_read_ahead_(std::move(on_read_ahead)) {}
  ~ReadAhead() { host_.queue().cancel(job_); }  // calls nobody

  // An edit of this kind, at this place, will be requested; its instruction does not count. Reading
  // another place ends.
  void announce(EditRequest request, Observer observer);
  // Reading ends within a chunk; what is read stays in the cache.
  void stop();
  // Forgets everything about a document.
  void forget(const std::string& uri);

 private:
  void receive_region(std::int64_t id, const Result<ByteRange>& region);
  void read(std::int64_t id);
  void receive_fraction(std::int64_t id, double fraction);
  void end(const std::string& why);

  EngineHost& host_;
  OwnerPost call_;
  OnReadAhead on_read_ahead_;
  std::int64_t last_id_ = 0;
  std::int64_t reading_ = 0;  // 0: nothing
  EditRequest request_;       // for what is read
  Observer observer_;
  DecodeQueue::JobId job_ = 0;
};

}  // namespace redraft
