#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/common/command_line.h"
#include "decoding/decoder_name.h"
#include "lab/bench/bench_tasks.h"
#include "support/result.h"

namespace redraft::cli {

// Adds the options of the bench of `options.kind`.
void add_options(CommandLine bench, TaskBenchOptions& options);

// The options that decide results, in a fixed order; `decoders` are those that run. Fails if a task
// file or another named file cannot be read.
Result<nlohmann::ordered_json> option_settings(const TaskBenchOptions& options,
                                               const std::vector<DecoderName>& decoders);

}  // namespace redraft::cli
