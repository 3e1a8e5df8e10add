#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/task_runner.h"

namespace redraft {

// An engine whose target and draft are scripted, on one token a byte. Four rows cost what one does,
// each further one half of that.
struct ReplayEngine {
  std::unique_ptr<Engine> engine;
  ReplayModels models;
};
ReplayEngine replay_engine(int agreement = 100);

BenchTask edit_task(const std::string& id, const std::string& before, const std::string& after);

// A plan of a replay of `tasks`.
RunPlan replay_plan(std::vector<BenchTask> tasks, const std::vector<std::string>& decoders);

// Runs it from the beginning, without hooks. Throws on an error.
RunReport run_plan(const RunPlan& plan, int agreement = 100);

}  // namespace redraft
