#pragma once

#include <map>
#include <memory>
#include <optional>
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
struct ReplayEngineOptions {
  int target_agreement = 100;  // the percentage of positions that are the script's
  int draft_agreement = 100;
  // The target breaks row invariance: after this byte it predicts kWrongByte where the byte came
  // with a draft, so that whoever drafts it writes something else than plain decoding.
  std::optional<char> unfaithful_after = {};
};
inline constexpr char kWrongByte = '!';
ReplayEngine replay_engine(const ReplayEngineOptions& options = {});

BenchTask edit_task(const std::string& id, const std::string& before, const std::string& after);

// A plan of a replay of `tasks`.
RunPlan replay_plan(std::vector<BenchTask> tasks, const std::vector<std::string>& decoders);

// Runs it from the beginning, without hooks. Throws on an error.
RunReport run_plan(const RunPlan& plan, int agreement = 100);

}  // namespace redraft
