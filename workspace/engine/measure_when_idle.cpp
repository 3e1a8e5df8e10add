#include "workspace/engine/measure_when_idle.h"

#include <chrono>

#include "support/system/crash_notes.h"

namespace redraft {
namespace {

// Right after a request the index or the editor is still at work on what it changed.
constexpr std::chrono::seconds kRest{5};

}  // namespace

void measure_when_idle(EngineHost& host, Engine& used) {
  if (!used.ask_for_cost()) return;
  // The job belongs to no document: if it crashes, none is to blame.
  const AtWork work({.document = 0, .kind = "measuring passes"});
  host.queue().add(
      [&host](const DecodeQueue::Control& control) {
        // A request that runs within it may give up the engine; later ones wait for its end then.
        const auto go_on = [&control, &host] {
          control.give_way();
          return !control.stop.stop_requested() && host.loaded_engine() != nullptr;
        };
        // A failure of the model ends the engine, of which the next request tells.
        static_cast<void>(
            run_on_engine(host, "measuring failed", [&](Engine& engine) -> Result<void> {
              engine.measure_cost_again(go_on);
              return {};
            }));
      },
      Urgency::kWarmUp, DecodeQueue::Clock::now() + kRest);
}

}  // namespace redraft
