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
#include "workspace/engine/local_engine.h"

namespace redraft {

struct RunPlan {
  std::vector<BenchTask> tasks;
  std::vector<DecoderName> decoders;  // the first is plain decoding
  StepOptions step;
  int limit = 0;      // tasks to run, not counting skipped ones; 0: all
  CostCurve curve;    // prices the passes
  bool warm = false;  // the decoders of a task share its prefill; otherwise each pays for it
  std::shared_ptr<const Datastore> common;  // null: none
  // Clears the state that decoders keep between requests (FastCoder's cache) before each decode.
  // Otherwise it grows over the tasks, starting empty where an interrupted run continues.
  bool forget = false;
  bool margins = false;
  // A decoder that cannot run here (for example without layers to skip) is left out and listed with
  // the skipped tasks. Otherwise its error ends the run. Does not apply to plain decoding.
  bool leave_out_failing = false;
};

// The scripted models of a replay, which belong to the engine.
struct ReplayModels {
  ReplayModel* target = nullptr;  // null: no replay
  ReplayModel* draft = nullptr;
};

struct RunProgress {
  int done = 0;   // decodes, including those of an earlier run
  int total = 0;  // as far as known
  double seconds_left = 0;
  const RecordKey& current;
  const DecodeStatistics& statistics;  // of the current decode
};

// All are called on the thread that runs the decodes.
struct RunHooks {
  // Called before all decoders decode a step. An error ends the run.
  std::function<Result<void>(const BenchTask&, int turn, const BenchStep&)> on_step;
  // Called after a decode. An error ends the run.
  std::function<Result<void>(const TaskRecord&)> on_record;
  std::function<void(const RunProgress&)> on_progress;
  // Whether the task's tests accept the output's text; nullopt if unknown.
  std::function<std::optional<bool>(const BenchTask&, const std::string& text)> judge;
};

struct RunReport {
  std::vector<TaskRecord> records;  // task by task, in the order of the decoders
  std::vector<SkippedTask> skipped;
  bool interrupted = false;
};

// Runs every decoder on every task: all decoders on one task after the other, so that a slow moment
// of the machine affects all of them alike. Decodes in `done` are reused. Errors come from a hook
// or from a decode; a task that lacks something is skipped. A stop request ends the run within a
// forward pass and discards the current decode.
Result<RunReport> run_tasks(LocalEngine& engine, const RunPlan& plan, const ReplayModels& replay,
                            const std::map<RecordKey, TaskRecord>& done, const RunHooks& hooks,
                            const std::stop_token& stop);

}  // namespace redraft
