#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "decoding/model/low_rank_delta.h"
#include "decoding/model/model_files.h"
#include "decoding/model/safetensors.h"
#include "support/json/json_document.h"
#include "support/result.h"

namespace redraft {

// A LoRA as PEFT's save_pretrained() writes it: adapter_config.json and adapter_model.safetensors
// in a folder. Not trusted until parsed: every pair of matrices fits a linear layer of the model
// and the configuration's r, all numbers are finite, and nothing is there that would be left out.
// Options that change what an adapter means (DoRA, trained biases, whole modules, …) are refused by
// name. Errors name the file, the key or tensor, and the reason.
class Adapter {
 public:
  static constexpr const char* kConfigName = "adapter_config.json";
  static constexpr const char* kWeightsName = "adapter_model.safetensors";

  // For a model of that shape; only shapes of its tensors are read.
  static Result<Adapter> open(const std::filesystem::path& folder, const ModelFiles& base);
  static Result<Adapter> parse(const JsonDocument& config, const SafetensorsFile& weights,
                               const ModelFiles& base);

  // Null if the adapter leaves the matrix with that role alone. Lives as long as this object.
  const LowRankDelta* find(std::string_view role) const;
  std::size_t size() const { return deltas_.size(); }

 private:
  std::unordered_map<std::string, LowRankDelta> deltas_;  // by role
};

// Whether `path` is a folder with an adapter's configuration.
bool is_adapter_folder(const std::filesystem::path& path);

// What tells adapters apart, wherever they lie: the SHA-256 of their two files, in lower-case hex.
Result<std::string> adapter_identity(const std::filesystem::path& folder);

// The model with the adapter of `folder` merged into it: its matrices are merged when they are
// packed (PackingJob), so that no second copy of them is in memory.
Result<std::unique_ptr<const ModelFiles>> with_adapter(std::unique_ptr<const ModelFiles> base,
                                                       const std::filesystem::path& folder);

}  // namespace redraft
