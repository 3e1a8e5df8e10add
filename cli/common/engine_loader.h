#pragma once

#include <memory>
#include <string>

#include "cli/common/command.h"
#include "cli/common/status_line.h"
#include "decoding/decoder_name.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/load_control.h"
#include "decoding/model/model_loader.h"
#include "support/result.h"
#include "workspace/engine/engine.h"

namespace redraft::cli {

// The compute threads that the options ask for.
std::unique_ptr<ThreadPool> make_pool(const CommonOptions& options);

// What becomes of a model that the GPU has no memory for, or with --device auto cannot run.
enum class Fallback {
  kNone,  // it is an error: who measures wants no other device
  kCpu,   // it runs on the CPU, with a notice
};

// The target alone, on the device of the options and no other.
Result<LoadedModel> load_target(const CommonOptions& options, ThreadPool& pool,
                                const LoadControl& control = {});

// The target, and the draft model if `decoder` needs one; contexts and caches may be smaller than
// `engine` says where a GPU's memory is short. `pool` outlives the engine.
Result<std::unique_ptr<Engine>> load_engine(const CommonOptions& options,
                                            const DecoderName& decoder, ThreadPool& pool,
                                            const LoadControl& control, Fallback fallback,
                                            const EngineOptions& engine = {});

// For a command: `status` says how far it is, and `stop` (an InterruptWatch's) ends it. Notices are
// warnings on stderr.
LoadControl shown_on(StatusLine& status, std::stop_token stop);

// Takes `--decoder`.
void add_decoder_option(CLI::App& subcommand, std::string& decoder);

}  // namespace redraft::cli
