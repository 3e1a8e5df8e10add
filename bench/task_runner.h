#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/record.h"
#include "bench/replay_model.h"
#include "bench/step.h"
#include "bench/task.h"
#include "decoding/cost_curve.h"
#include "decoding/decoder_name.h"
#include "indexing/store/datastore.h"
#include "support/result.h"
#include "workspace/engine/engine.h"

namespace redraft {

struct RunPlan {
  std::vector<BenchTask> tasks;
  std::vector<DecoderName> decoders;  // the first is plain decoding
  StepOptions step;
  int limit = 0;      // tasks to run, those that are skipped not counted; 0: all
  CostCurve curve;    // prices the passes
  bool warm = false;  // the decoders of a task share its prefill, instead of each paying for it
  std::shared_ptr<const Datastore> common;  // null: none
  // What decoders keep from one request to the next (FastCoder's cache) is forgotten before each;
  // otherwise it grows over the tasks, beginning anew where an interrupted run goes on.
  bool forget = false;
  bool margins = false;
};

// The scripted models of a replay: they belong to the engine.
struct ReplayModels {
  ReplayModel* target = nullptr;  // null: no replay
  ReplayModel* draft = nullptr;
};

struct RunProgress {
  int done = 0;   // decodes, kept ones included
  int total = 0;  // as far as can be told
  double seconds_left = 0;
  const RecordKey& current;
  const DecodeStatistics& statistics;  // of it
};

// All are called on the thread that runs.
struct RunHooks {
  // A step is about to be decoded by all decoders. An error ends the run.
  std::function<Result<void>(const BenchTask&, int turn, const BenchStep&)> on_step;
  // A decode is complete. An error ends the run.
  std::function<Result<void>(const TaskRecord&)> on_record;
  std::function<void(const RunProgress&)> on_progress;
  // Whether the task's tests accept the output's text; nothing where they cannot tell.
  std::function<std::optional<bool>(const BenchTask&, const std::string& text)> judge;
};

struct RunReport {
  std::vector<TaskRecord> records;  // task by task, in the order of the decoders
  std::vector<SkippedTask> skipped;
  bool interrupted = false;
};

// Runs every decoder on every task: task by task all decoders, so that a slow moment of the machine
// touches all alike. Decodes of `done` are taken as they are. An error is that of a hook or of a
// decode; what a task lacks is a reason to skip it. A request to stop ends it within a forward
// pass; the decode under way is dropped.
Result<RunReport> run_tasks(Engine& engine, const RunPlan& plan, const ReplayModels& replay,
                            const std::map<RecordKey, TaskRecord>& done, const RunHooks& hooks,
                            const std::stop_token& stop);

}  // namespace redraft
