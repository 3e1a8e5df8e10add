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
        // What was read is in the loaded engine. Saving loads no engine, not even another one if
        // the model's files have changed. A failure of the model ends the engine; the next request
        // reports it.
        static_cast<void>(
            run_on_loaded_engine(host, "saving failed", [&](Engine* engine) -> Result<void> {
              if (engine == nullptr) return {};
              for (const std::vector<TokenId>& prompt : prompts)
                engine->save(prompt, source, go_on);
              return {};
            }));
      },
      Urgency::kWarmUp);
}

}  // namespace redraft
