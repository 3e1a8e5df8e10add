#pragma once

#include <functional>
#include <stop_token>
#include <utility>

#include "support/owner_post.h"
#include "support/result.h"
#include "workspace/engine/engine_host.h"

namespace redraft {

// Receives how much was read ahead for one client, on the owner's thread, whenever that was
// something.
using OnReadAhead = std::function<void(const Engine::ReadAheadWork&)>;

// On the decode thread: posts what the engine has read ahead since the last call.
void post_read_ahead_work(Engine& engine, const OwnerPost& call, const OnReadAhead& on_read_ahead);

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

  IdleReading(EngineHost& host, OwnerPost call, OnReadAhead on_read_ahead)
      : host_(host), call_(std::move(call)), on_read_ahead_(std::move(on_read_ahead)) {}
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
  OwnerPost call_;
  OnReadAhead on_read_ahead_;
  DecodeQueue::JobId job_ = 0;
};

}  // namespace redraft
