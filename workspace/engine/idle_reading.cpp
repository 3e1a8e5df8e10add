#include "workspace/engine/idle_reading.h"

#include <utility>

#include "support/trace/trace.h"

namespace redraft {

void post_read_ahead_work(Engine& engine, const OwnerPost& call, const OnReadAhead& on_read_ahead) {
  const Engine::ReadAheadWork work = engine.take_read_ahead_work();
  if (work.tokens == 0 || !on_read_ahead) return;
  call([on_read_ahead, work] { on_read_ahead(work); });
}

void IdleReading::start(Read read) {
  stop();
  if (host_.status().state != EngineStatus::State::kReady) return;
  job_ = host_.queue().add(
      [host = &host_, call = call_, on_read_ahead = on_read_ahead_,
       read = std::move(read)](const DecodeQueue::Control& control) {
        const Span span("read ahead");
        const OnChunk on_chunk = [&](int) {
          if (!control.stop.stop_requested()) control.give_way();
        };
        // What is not read here is read by the request, which reports what is wrong.
        static_cast<void>(run_on_engine(*host, "reading ahead failed", [&](Engine& engine) {
          Result<void> done = read(engine, on_chunk, control.stop);
          post_read_ahead_work(engine, call, on_read_ahead);
          return done;
        }));
      },
      Urgency::kWarmUp);
}

}  // namespace redraft
