#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/common/cost_cache.h"
#include "decoding/model/model_store.h"
#include "decoding/model/model_summary.h"
#include "support/system/machine.h"

namespace redraft::cli {

// The source of a model's speed estimate.
enum class SpeedBasis : std::uint8_t {
  kNone,         // nothing was measured on this machine
  kMeasured,     // passes of this model
  kOtherModel,   // passes of another model, by the bytes that a pass reads
  kMemoryLimit,  // the memory's bandwidth, by those bytes; an upper limit
};

// How long a pass over one row takes, about.
struct SpeedEstimate {
  double seconds_per_pass = 0;  // 0: unknown
  SpeedBasis basis = SpeedBasis::kNone;

  double tokens_per_second() const { return seconds_per_pass > 0 ? 1 / seconds_per_pass : 0; }
  // At least a few tokens a second, or unknown.
  bool is_fluent() const;
};
// "about 21 tokens/s without drafts"
std::string speed_text(const SpeedEstimate& speed);

// A model that is known or in the store, and its performance on this machine's CPU.
struct ModelOverview {
  std::string name;                   // as for --target
  const KnownModel* known = nullptr;  // null for another file or folder
  bool present = false;
  std::filesystem::path file;
  std::uint64_t bytes = 0;          // on disk
  ModelSummary summary = {};        // of a model that is present
  std::uint64_t memory_needed = 0;  // bytes, about: weights, caches and the program
  SpeedEstimate speed = {};
  std::string why_no_completions = {};  // and what to set; empty: it fills in, or is absent

  bool runs() const { return summary.why_not.empty(); }
  // The bytes of weights that a pass reads; for an absent model all of its bytes.
  std::uint64_t pass_bytes() const { return present ? summary.pass_bytes : bytes; }
};

// The properties of a machine that decide what fits and how fast it is.
struct Machine {
  MachineMemory memory;
  int threads = 1;
  std::string kernels;        // kernels_on()
  double bandwidth_gbps = 0;  // 0: not measured
};
// This machine, with the default number of threads; its bandwidth is not measured.
Machine this_machine();

// First the models that redraft knows, in its order, then the other GGUF files and folders in the
// store by name. Reads headers and the stored costs of passes; loads and measures nothing.
std::vector<ModelOverview> overview_of_models(const Machine& machine);
// One file or folder, with the costs of the others.
ModelOverview overview_of(const std::filesystem::path& file, const Machine& machine);

// Why the model in these files cannot write completions, and what to set; empty if it can. Reads
// its vocabulary.
std::string why_no_completions(const std::filesystem::path& file);

// The speed of a model whose pass reads so many bytes: by the measured model that is most similar
// in this, otherwise by the memory's bandwidth. Pure.
SpeedEstimate estimated_speed(std::uint64_t pass_bytes, const std::vector<ModelOverview>& models,
                              const Machine& machine);
// Fills in the speeds that were not measured.
void estimate_speeds(std::vector<ModelOverview>& models, const Machine& machine);

// "qwen2, 1.5 B parameters, Q4_K_M; needs 2.0 GiB of 14.1 GiB free; about 21 tokens/s here"
std::string description(const ModelOverview& model, const Machine& machine);
nlohmann::ordered_json to_json(const ModelOverview& model, const Machine& machine);

// One line: the largest model in the store that fits and writes at least a few tokens a second, or
// what to fetch. Pure.
std::string recommendation(const std::vector<ModelOverview>& models, const Machine& machine);

}  // namespace redraft::cli
