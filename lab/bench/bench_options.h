#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/common/command_line.h"
#include "decoding/decoder_name.h"
#include "lab/bench/bench_tasks.h"
#include "support/result.h"

namespace redraft::cli {

// Those of the bench of `options.kind`.
void add_options(CommandLine bench, TaskBenchOptions& options);

// What of them decides results, in a fixed order; `decoders` are those that run. Errors: a task
// file or another file that is named cannot be read.
Result<nlohmann::ordered_json> option_settings(const TaskBenchOptions& options,
                                               const std::vector<DecoderName>& decoders);

}  // namespace redraft::cli
