#include "workspace/engine/check_when_idle.h"

#include <chrono>

namespace redraft {
namespace {

// A model is mostly loaded for a request, or shortly before one.
constexpr std::chrono::seconds kRest{5};

}  // namespace

void check_when_idle(EngineHost& host, Engine& loaded) {
  if (!loaded.ask_for_check()) return;
  host.queue().add(
      [&host](const DecodeQueue::Control& control) {
        const auto go_on = [&control] {
          control.give_way();
          return !control.stop.stop_requested();
        };
        // Checking loads no engine. A failure of the model ends the engine; the next request
        // reports it.
        static_cast<void>(
            run_on_loaded_engine(host, "checking failed", [&](Engine* engine) -> Result<void> {
              if (engine == nullptr) return {};
              engine->check_quickly(go_on);
              host.report_fault(engine->known_fault());
              return {};
            }));
      },
      Urgency::kWarmUp, DecodeQueue::Clock::now() + kRest);
}

}  // namespace redraft
