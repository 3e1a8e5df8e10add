#pragma once

#include <functional>
#include <stop_token>

#include "support/result.h"
#include "workspace/engine/engine_host.h"

namespace redraft {

// Reads what will probably be requested, while nothing else runs. What is read stays in the cache;
// the request reads the rest. One thing at a time, the newest. Owner's thread.
//
// A cache that is being filled serves nobody else: a request that may find it must stop() the
// reading first.
class IdleReading {
 public:
  using OnChunk = std::function<void(int known)>;
  // Reads on the decode thread, with Engine::read_ahead(): more urgent jobs run within `on_chunk`.
  using Read =
      std::function<Result<void>(Engine&, const OnChunk& on_chunk, const std::stop_token& stop)>;

  explicit IdleReading(EngineHost& host) : host_(host) {}
  ~IdleReading() { stop(); }
  IdleReading(const IdleReading&) = delete;
  IdleReading& operator=(const IdleReading&) = delete;

  // Instead of what was being read. Nothing is read before the model is loaded, and none is loaded
  // for it.
  void start(Read read);
  // Reading ends within a chunk.
  void stop() { host_.queue().cancel(job_); }

 private:
  EngineHost& host_;
  DecodeQueue::JobId job_ = 0;
};

}  // namespace redraft
