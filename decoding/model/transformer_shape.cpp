#include "decoding/model/transformer_shape.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "decoding/model/architectures.h"
#include "decoding/model/expert_roles.h"
#include "decoding/model/gguf.h"

namespace redraft {

namespace {

constexpr std::array<std::string_view, 4> kArchitectures = {"llama", "qwen2", "qwen3", "qwen3moe"};
constexpr int kHeadGranularity = 16;  // required by the attention kernels
// Far above any model that fits in memory, far below any product that overflows an int.
constexpr int kMaxLayers = 1024;
constexpr int kMaxHeads = 1024;
constexpr int kMaxHeadDim = 1024;
constexpr int kMaxWidth = 1 << 17;
constexpr int kMaxContext = 1 << 22;
constexpr int kMaxVocabulary = 1 << 24;
constexpr int kMaxExperts = 1024;
constexpr int kMaxExpertsUsed = 64;
// Of all layers: something is kept in memory for each, before its weights are looked at.
constexpr int kMaxExpertsInAll = 1 << 16;

struct FieldLimits {
  std::string_view name;
  int value;
  int least;
  int most;
};

std::optional<ShapeProblem> out_of_range(const TransformerShape& shape) {
  const std::array fields = {
      FieldLimits{"block_count", shape.layers, 1, kMaxLayers},
      FieldLimits{"context_length", shape.context_length, 2, kMaxContext},
      FieldLimits{"embedding_length", shape.hidden, 1, kMaxWidth},
      FieldLimits{shape.experts > 0 ? "expert_feed_forward_length" : "feed_forward_length",
                  shape.feed_forward, 1, kMaxWidth},
      FieldLimits{"attention.head_count", shape.heads, 1, kMaxHeads},
      FieldLimits{"attention.head_count_kv", shape.kv_heads, 1, kMaxHeads},
      FieldLimits{"attention.key_length", shape.head_dim, 1, kMaxHeadDim},
      FieldLimits{"vocab_size", shape.vocabulary, 1, kMaxVocabulary},
      FieldLimits{"expert_count", shape.experts, 0, kMaxExperts},
      FieldLimits{"expert_used_count", shape.experts_used, shape.experts > 0 ? 1 : 0,
                  std::min(shape.experts, kMaxExpertsUsed)},
  };
  for (const FieldLimits& field : fields) {
    if (field.value >= field.least && field.value <= field.most) continue;
    return ShapeProblem{field.name, std::to_string(field.value) + " is outside " +
                                        std::to_string(field.least) + ".." +
                                        std::to_string(field.most)};
  }
  return std::nullopt;
}

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

std::optional<ShapeProblem> scaling_problem(const TransformerShape& shape) {
  const RopeScaling& scaling = shape.rope_scaling;
  using Kind = RopeScaling::Kind;
  if (scaling.kind != Kind::kNone && !is_positive(scaling.factor))
    return ShapeProblem{"rope.scaling.factor", "is not positive"};
  if (scaling.kind == Kind::kLlama3 || scaling.kind == Kind::kYarn) {
    if (scaling.original_context < 1 || scaling.original_context > kMaxContext)
      return ShapeProblem{"rope.scaling.original_context_length", "is no length of a context"};
  }
  if (scaling.kind == Kind::kLlama3 &&
      !(is_positive(scaling.low_frequency) && is_positive(scaling.high_frequency) &&
        scaling.low_frequency < scaling.high_frequency)) {
    return ShapeProblem{"rope.scaling.type",
                        "its high frequency factor is not above its low frequency factor"};
  }
  if (scaling.kind == Kind::kYarn) {
    if (!(is_positive(scaling.slow_turns) && is_positive(scaling.fast_turns) &&
          scaling.slow_turns <= scaling.fast_turns))
      return ShapeProblem{"rope.scaling.yarn_beta_fast", "is not above yarn_beta_slow"};
    if (!is_positive(scaling.attention_factor))
      return ShapeProblem{"rope.scaling.attn_factor", "is not positive"};
  }
  return std::nullopt;
}

}  // namespace

std::span<const std::string_view> supported_architectures() { return kArchitectures; }

std::optional<std::string> refuse_architecture(std::string_view name) {
  if (std::find(kArchitectures.begin(), kArchitectures.end(), name) != kArchitectures.end())
    return std::nullopt;
  return "architecture " + quoted(name) +
         " is not supported; redraft runs llama, qwen2, qwen3 and qwen3moe models";
}

std::optional<ShapeProblem> find_problem(const TransformerShape& shape) {
  if (std::optional<ShapeProblem> problem = out_of_range(shape)) return problem;
  if (shape.layers * shape.experts > kMaxExpertsInAll)
    return ShapeProblem{"expert_count", "the layers have too many together"};
  // A row is in memory once for each of its experts.
  if (shape.experts > 0 && shape.experts_used * shape.feed_forward > kMaxWidth)
    return ShapeProblem{"expert_used_count", "the experts of a row are too wide together"};
  if (shape.heads % shape.kv_heads != 0) {
    return ShapeProblem{"attention.head_count_kv", "key-value heads do not divide the heads"};
  }
  if (shape.head_dim % kHeadGranularity != 0) {
    return ShapeProblem{"attention.head_count", "heads are not a multiple of " +
                                                    std::to_string(kHeadGranularity) + " wide"};
  }
  if (shape.query_width() > kMaxWidth) {
    return ShapeProblem{"attention.key_length", "the heads are too wide together"};
  }
  if (!is_positive(shape.epsilon))
    return ShapeProblem{"attention.layer_norm_rms_epsilon", "is not positive"};
  if (!(is_positive(shape.rope_base) && shape.rope_base > 1))
    return ShapeProblem{"rope.freq_base", "is not above 1"};
  const auto& divisors = shape.rope_divisors;
  const bool fits =
      divisors.empty() || divisors.size() * 2 == static_cast<std::size_t>(shape.head_dim);
  if (!fits || !std::all_of(divisors.begin(), divisors.end(), is_positive))
    return ShapeProblem{"rope_freqs.weight", "is not a positive number for each pair"};
  return scaling_problem(shape);
}

bool has_role(std::string_view role, const TransformerShape& shape) {
  std::string_view name = role;
  for (const std::string_view outer :
       {"token_embd.weight", "output_norm.weight", "output.weight", "rope_freqs.weight"}) {
    if (name == outer) return true;
  }
  constexpr std::string_view kLayer = "blk.";
  if (!name.starts_with(kLayer)) return false;
  name.remove_prefix(kLayer.size());
  int layer = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
  if (error != std::errc() || layer < 0 || layer >= shape.layers) return false;
  name.remove_prefix(static_cast<std::size_t>(end - name.data()));
  for (const std::string_view norm : {".attn_norm.weight", ".ffn_norm.weight"}) {
    if (name == norm) return true;
  }
  for (const std::string_view norm : {".attn_q_norm.weight", ".attn_k_norm.weight"}) {
    if (name == norm) return shape.query_key_norm;
  }
  const auto is_linear = [name](std::string_view linear) {
    if (!name.starts_with(linear)) return false;
    const std::string_view rest = name.substr(linear.size());
    return rest == ".weight" || rest == ".bias";
  };
  for (const std::string_view linear : {".attn_q", ".attn_k", ".attn_v", ".attn_output"}) {
    if (is_linear(linear)) return true;
  }
  for (const std::string_view linear : {".ffn_gate", ".ffn_up", ".ffn_down"}) {
    if (is_linear(linear)) return shape.experts == 0;
  }
  if (name == ".ffn_gate_inp.weight") return shape.experts > 0;
  const std::optional<ExpertPlace> expert = parse_expert_role(role);
  return expert && expert->expert < shape.experts;
}

}  // namespace redraft
