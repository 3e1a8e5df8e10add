#include "workspace/engine/save_when_idle.h"

#include <utility>

namespace redraft {

void save_when_idle(EngineHost& host, std::vector<std::vector<TokenId>> prompts,
                    const std::string& source) {
  if (prompts.empty() || source.empty()) return;
  host.queue().add(
      [&host, prompts = std::move(prompts), source](const DecodeQueue::Control& control) {
        const auto go_on = [&control] {
          control.give_way();
          return !control.stop.stop_requested();
        };
        // What was read is in the engine that is there: none is loaded for it, nor another one if
        // the model's files have changed.
        const EngineHost::Use use(host);
        if (host.loaded_engine() == nullptr) return;
        // A failure of the model ends the engine, of which the next request tells.
        static_cast<void>(run_on_engine(host, "saving failed", [&](Engine& engine) -> Result<void> {
          for (const std::vector<TokenId>& prompt : prompts) engine.save(prompt, source, go_on);
          return {};
        }));
      },
      Urgency::kWarmUp);
}

}  // namespace redraft
