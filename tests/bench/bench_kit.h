#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/task_runner.h"

namespace redraft {

// An engine whose target and draft model are scripted, with one token per byte. Four rows cost as
// much as one; each further row costs half of that.
struct ReplayEngine {
  std::unique_ptr<LocalEngine> engine;
  ReplayModels models;
};
struct ReplayEngineOptions {
  int target_agreement = 100;  // percentage of positions that follow the script
  int draft_agreement = 100;
  // The target breaks row invariance: if this byte came with a draft, it predicts kWrongByte after
  // it, so that a decoder that drafts the byte writes something other than plain decoding.
  std::optional<char> unfaithful_after = {};
};
inline constexpr char kWrongByte = '!';
ReplayEngine replay_engine(const ReplayEngineOptions& options = {});

BenchTask edit_task(const std::string& id, const std::string& before, const std::string& after);

// A plan for a replay of `tasks`.
RunPlan replay_plan(std::vector<BenchTask> tasks, const std::vector<std::string>& decoders);

// Runs the plan from the beginning, without hooks. Throws on an error.
RunReport run_plan(const RunPlan& plan, int agreement = 100);

}  // namespace redraft
