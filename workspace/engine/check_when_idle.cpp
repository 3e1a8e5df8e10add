#include "workspace/engine/check_when_idle.h"

#include <chrono>

#include "support/system/crash_notes.h"

namespace redraft {
namespace {

// A model is mostly loaded for a request, or shortly before one.
constexpr std::chrono::seconds kRest{5};

}  // namespace

void check_when_idle(EngineHost& host, Engine& loaded) {
  if (!loaded.ask_for_check()) return;
  // The job belongs to no document: if it crashes, none is to blame.
  const AtWork work({.document = 0, .kind = "checking the model"});
  host.queue().add(
      [&host](const DecodeQueue::Control& control) {
        // A request that runs within it may give up the engine.
        const auto go_on = [&control, &host] {
          control.give_way();
          return !control.stop.stop_requested() && host.loaded_engine() != nullptr;
        };
        // Checking loads no engine. A failure of the model ends the engine; the next request
        // reports it.
        static_cast<void>(
            run_on_loaded_engine(host, "checking failed", [&](Engine* engine) -> Result<void> {
              if (engine == nullptr) return {};
              engine->check_quickly(go_on);
              if (host.loaded_engine() != nullptr) host.report_fault(engine->known_fault());
              return {};
            }));
      },
      Urgency::kWarmUp, DecodeQueue::Clock::now() + kRest);
}

}  // namespace redraft
