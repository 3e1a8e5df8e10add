#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/pass_at_1.h"
#include "bench/task.h"
#include "bench/task_runner.h"
#include "cli/common/status_line.h"
#include "decoding/decoder_name.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/load_control.h"
#include "indexing/store/datastore.h"
#include "lab/bench/bench_tasks.h"
#include "support/result.h"
#include "text/tokenizer.h"
#include "workspace/engine/local_engine.h"

namespace redraft::cli {

// The decoders to run, plain decoding first and none twice, and those that cannot run here.
struct DecoderChoice {
  std::vector<DecoderName> run;
  std::vector<SkippedTask> left_out;  // by name
};
Result<DecoderChoice> choose_decoders(const TaskBenchOptions& options);

// All task files, one after the other. An id in two files is an error.
Result<TaskFile> read_all_tasks(const TaskBenchOptions& options);

// The engine that runs the decodes. Members are destroyed in the right order: the pool outlives the
// engine.
struct BenchEngine {
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<LocalEngine> engine;
  ReplayModels replay;
};
Result<BenchEngine> load_bench_engine(const TaskBenchOptions& options,
                                      const std::vector<DecoderName>& decoders,
                                      const LoadControl& control);

// Code of other projects (FastCoder's Dc): of files of JSON lines, or of folders, which are indexed
// as `redraft index --dependencies` does; null without either.
Result<std::shared_ptr<const Datastore>> load_common_code(const TaskBenchOptions& options,
                                                          const Tokenizer& tokenizer,
                                                          StatusLine& status,
                                                          const std::stop_token& stop);

// The tokens that plain decoding wrote in the run whose --out is `file`.
Result<RecordedOutputs> read_outputs(const std::filesystem::path& file);

// ROWS:COST,… with costs in passes of one row, which is taken to last 50 ms.
Result<CostCurve> parse_curve(const std::string& text);

// Runs the tests of tasks with --python, or the first Python that can be run so.
Result<TestRunner> make_test_runner(const std::string& python);

// Everything that decides what is measured: two runs of the same settings can be joined.
Result<nlohmann::ordered_json> settings_of(const TaskBenchOptions& options,
                                           const std::vector<DecoderName>& decoders);

}  // namespace redraft::cli
