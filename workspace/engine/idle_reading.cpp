#include "workspace/engine/idle_reading.h"

#include <utility>

#include "support/trace/trace.h"

namespace redraft {

void IdleReading::start(Read read) {
  stop();
  if (host_.status().state != EngineStatus::State::kReady) return;
  job_ = host_.queue().add(
      [host = &host_, read = std::move(read)](const DecodeQueue::Control& control) {
        const Span span("read ahead");
        const OnChunk on_chunk = [&](int) {
          if (!control.stop.stop_requested()) control.give_way();
        };
        // What is not read here is read by the request, which reports what is wrong.
        static_cast<void>(run_on_engine(*host, "reading ahead failed", [&](Engine& engine) {
          Result<void> done = read(engine, on_chunk, control.stop);
          host->count_read_ahead(engine);
          return done;
        }));
      },
      Urgency::kWarmUp);
}

}  // namespace redraft
