#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/model/transformer_shape.h"

namespace redraft {

// The linear layers of a transformer's layer, in the order in which a pass reads them.
enum class LinearRole { kQuery, kKey, kValue, kOutput, kGate, kUp, kDown };
inline constexpr int kLinearRoles = 7;

// The name in Hugging Face's files and in PEFT: "q_proj".
std::string_view to_string(LinearRole role);
std::optional<LinearRole> linear_role(std::string_view name);

// Low-rank adaptation (Hu et al. 2021): two trained matrices beside a frozen matrix W [out, in], so
// that y = W x + (alpha / rank) B A dropout(x), with A [rank, in] and B [out, rank].
struct LoraOptions {
  int rank = 16;         // EfficientEdit, section V
  double alpha = 32;     // as is the dropout: the value in the authors' script
  double dropout = 0.1;  // [0, 1): the share of x that A does not see
  // Not empty. Neither the paper nor the script names them, so all: QLoRA found that to matter
  // most.
  std::vector<LinearRole> adapted = {LinearRole::kQuery,  LinearRole::kKey,  LinearRole::kValue,
                                     LinearRole::kOutput, LinearRole::kGate, LinearRole::kUp,
                                     LinearRole::kDown};

  double scale() const { return alpha / rank; }
};

// A and B of one adapted matrix, and their positions among all trained parameters.
struct LoraPair {
  int layer;
  LinearRole role;
  std::int64_t in;
  std::int64_t out;
  std::size_t a;  // index of A's first number; B follows A
  std::size_t b;
  std::string name;  // "model.layers.3.self_attn.q_proj"
};

// All trained parameters in one array: layer by layer, A before B, rows of A and B one after the
// other. Immutable.
class LoraLayout {
 public:
  LoraLayout(const TransformerShape& shape, const LoraOptions& options);

  const LoraOptions& options() const { return options_; }
  const std::vector<LoraPair>& pairs() const { return pairs_; }
  // Null if that matrix is not adapted.
  const LoraPair* find(int layer, LinearRole role) const;
  // The number of parameters.
  std::size_t size() const { return size_; }

  // Fills in the initial values: A uniform in ±1/sqrt(in), as in PEFT, and B zero, so that the
  // model's output does not change. `parameters` has size() numbers.
  void fill_initial(std::span<float> parameters, std::uint64_t seed) const;

 private:
  LoraOptions options_;
  std::vector<LoraPair> pairs_;
  std::size_t size_ = 0;
};

}  // namespace redraft
