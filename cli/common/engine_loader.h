#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/status_line.h"
#include "decoding/decoder_name.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/load_control.h"
#include "decoding/model/model_loader.h"
#include "support/result.h"
#include "workspace/engine/local_engine.h"

namespace redraft::cli {

// The compute threads that the options specify.
std::unique_ptr<ThreadPool> make_pool(const CommonOptions& options);

// The approximate memory of an engine with these models on the CPU.
Result<std::uint64_t> memory_needed(const std::vector<std::string>& models);

// The models that some task uses instead of the target, without duplicates.
std::vector<std::string> own_models(const CommonOptions& options);

// How much memory each of them needs in addition to the target.
Result<std::uint64_t> memory_beside(const std::string& model);
// Loads one of them, on the device of the options.
Result<std::unique_ptr<LocalEngine>> load_own_engine(const CommonOptions& options,
                                                     const std::string& model, ThreadPool& pool,
                                                     const LoadControl& control);

// What to do with a model for which the GPU has too little memory or, with --device auto, which it
// cannot run.
enum class Fallback {
  kNone,  // fail: a measurement must not use another device
  kCpu,   // run it on the CPU, with a notice
};

// Loads only the target, and only on the device of the options.
Result<LoadedModel> load_target(const CommonOptions& options, ThreadPool& pool,
                                const LoadControl& control = {});

// Loads the target, and the draft model if `decoder` needs one. Contexts and caches may be smaller
// than `engine` says if a GPU's memory is short. `pool` must outlive the engine.
Result<std::unique_ptr<LocalEngine>> load_engine(const CommonOptions& options,
                                                 const DecoderName& decoder, ThreadPool& pool,
                                                 const LoadControl& control, Fallback fallback,
                                                 const EngineOptions& engine = {});

// For a command: progress goes to `status`, and `stop` (an InterruptWatch's) cancels. Notices are
// warnings on stderr.
LoadControl shown_on(StatusLine& status, std::stop_token stop);

// Adds `--decoder`; empty if it was not given.
void add_decoder_option(CommandLine subcommand, std::string& decoder);
// The decoder of that name. Without a name, `redraft`, with the draft model if one was given.
Result<DecoderName> choose_decoder(const std::string& name, const CommonOptions& options);

}  // namespace redraft::cli
