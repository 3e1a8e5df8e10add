#include "decoding/model/transformer_shape.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "decoding/model/expert_roles.h"
#include "decoding/model/gguf.h"

namespace redraft {

namespace {

constexpr int kHeadGranularity = 16;  // required by the attention kernels
// Far above any model that fits in memory, far below any product that overflows an int.
constexpr int kMaxLayers = 1024;
constexpr int kMaxHeads = 1024;
constexpr int kMaxHeadDim = 1024;
constexpr int kMaxWidth = 1 << 17;
constexpr int kMaxContext = 1 << 22;
constexpr int kMaxVocabulary = 1 << 24;
constexpr int kMaxLayerInputs = 1 << 20;  // of all layers together
constexpr int kMaxExperts = 1024;
constexpr int kMaxExpertsUsed = 64;
// Of all layers: something is kept in memory for each, before its weights are looked at.
constexpr int kMaxExpertsInAll = 1 << 16;

// Of a sequence: a gibibyte, ten times the state of the largest known hybrid.
constexpr std::size_t kMaxStateFloats = std::size_t{1} << 28;

struct FieldLimits {
  std::string_view name;
  int value;
  int least;
  int most;
};

std::optional<ShapeProblem> out_of_range(std::span<const FieldLimits> fields) {
  for (const FieldLimits& field : fields) {
    if (field.value >= field.least && field.value <= field.most) continue;
    return ShapeProblem{field.name, std::to_string(field.value) + " is outside " +
                                        std::to_string(field.least) + ".." +
                                        std::to_string(field.most)};
  }
  return std::nullopt;
}

std::optional<ShapeProblem> out_of_range(const TransformerShape& shape) {
  const std::array fields = {
      FieldLimits{"block_count", shape.layers, 1, kMaxLayers},
      FieldLimits{"context_length", shape.context_length, 2, kMaxContext},
      FieldLimits{"embedding_length", shape.hidden, 1, kMaxWidth},
      FieldLimits{shape.experts > 0 ? "expert_feed_forward_length" : "feed_forward_length",
                  shape.feed_forward, 1, kMaxWidth},
      FieldLimits{"attention.head_count", shape.heads, 1, kMaxHeads},
      FieldLimits{"vocab_size", shape.vocabulary, 1, kMaxVocabulary},
      FieldLimits{"expert_count", shape.experts, 0, kMaxExperts},
      FieldLimits{"expert_used_count", shape.experts_used, shape.experts > 0 ? 1 : 0,
                  std::min(shape.experts, kMaxExpertsUsed)},
  };
  return out_of_range(fields);
}

constexpr int kMaxTaps = 16;  // of a convolution over time

bool is_state_too_large(const TransformerShape& shape, std::size_t layer_floats) {
  return static_cast<std::size_t>(shape.layers - shape.attention_layers()) * layer_floats >
         kMaxStateFloats;
}

std::optional<ShapeProblem> delta_problem(const TransformerShape& shape) {
  const kernels::DeltaShape& delta = shape.delta;
  const std::array fields = {
      FieldLimits{"ssm.group_count", delta.key_heads, 1, kMaxHeads},
      FieldLimits{"ssm.time_step_rank", delta.value_heads, 1, kMaxHeads},
      FieldLimits{"ssm.state_size", delta.key_dim, 1, kMaxHeadDim},
      FieldLimits{"ssm.inner_size", delta.value_dim, 1, kMaxHeadDim},
      FieldLimits{"ssm.conv_kernel", delta.taps, 2, kMaxTaps},
      FieldLimits{"expert_shared_feed_forward_length", shape.shared_feed_forward,
                  shape.architecture->shared_expert ? 1 : 0, kMaxWidth},
  };
  if (std::optional<ShapeProblem> problem = out_of_range(fields)) return problem;
  if (delta.value_heads % delta.key_heads != 0)
    return ShapeProblem{"ssm.time_step_rank", "key heads do not divide the value heads"};
  if (delta.key_dim % kHeadGranularity != 0 || delta.value_dim % kHeadGranularity != 0) {
    return ShapeProblem{"ssm.state_size", "heads are not a multiple of " +
                                              std::to_string(kHeadGranularity) + " wide"};
  }
  if (delta.channels() > 2 * kMaxWidth)
    return ShapeProblem{"ssm.inner_size", "the heads are too wide together"};
  if (is_state_too_large(shape, delta.state_floats() + delta.convolution().column_floats()))
    return ShapeProblem{"ssm.state_size", "the states of all layers are too large together"};
  return std::nullopt;
}

std::optional<ShapeProblem> short_convolution_problem(const TransformerShape& shape) {
  const std::array fields = {FieldLimits{"shortconv.l_cache", shape.short_taps, 2, kMaxTaps}};
  if (std::optional<ShapeProblem> problem = out_of_range(fields)) return problem;
  if (is_state_too_large(shape, shape.convolution().column_floats()))
    return ShapeProblem{"shortconv.l_cache", "the states of all layers are too large together"};
  return std::nullopt;
}

// Checks the layers with a recurrent state.
std::optional<ShapeProblem> recurrence_problem(const TransformerShape& shape) {
  if (shape.attention_layers() == 0)
    return ShapeProblem{"full_attention_interval", "leaves no layer with attention"};
  switch (shape.architecture->recurrence) {
    case Recurrence::kNone:
      return std::nullopt;
    case Recurrence::kGatedDeltaNet:
      return delta_problem(shape);
    case Recurrence::kShortConvolution:
      return short_convolution_problem(shape);
  }
  return std::nullopt;
}

bool is_positive(double value);

std::optional<ShapeProblem> heads_problem(const TransformerShape& shape, bool has_window) {
  const AttentionHeads all = shape.attention_heads(has_window);
  const std::array fields = {
      FieldLimits{"attention.head_count_kv", all.kv_heads, 1, kMaxHeads},
      FieldLimits{has_window ? "attention.key_length_swa" : "attention.key_length", all.head_dim, 1,
                  kMaxHeadDim},
  };
  if (std::optional<ShapeProblem> problem = out_of_range(fields)) return problem;
  if (all.heads % all.kv_heads != 0)
    return ShapeProblem{"attention.head_count_kv", "key-value heads do not divide the heads"};
  if (all.head_dim % kHeadGranularity != 0) {
    return ShapeProblem{"attention.head_count", "heads are not a multiple of " +
                                                    std::to_string(kHeadGranularity) + " wide"};
  }
  if (all.query_width() > kMaxWidth)
    return ShapeProblem{"attention.key_length", "the heads are too wide together"};
  return std::nullopt;
}

std::optional<ShapeProblem> window_problem(const TransformerShape& shape) {
  if (shape.windowed.empty()) return std::nullopt;
  constexpr std::string_view kList = "attention.sliding_window_pattern";
  if (std::ssize(shape.windowed) != shape.layers)
    return ShapeProblem{kList, "does not name every layer"};
  if (shape.window < 1 || shape.window > kMaxContext)
    return ShapeProblem{"attention.sliding_window", "is no number of tokens"};
  if (std::ranges::count(shape.windowed, false) == 0)
    return ShapeProblem{kList, "leaves no layer that sees all tokens"};
  if (!(is_positive(shape.window_rope_base) && shape.window_rope_base > 1))
    return ShapeProblem{"rope.freq_base_swa", "is not above 1"};
  return heads_problem(shape, true);
}

// Checks what differs from layer to layer.
std::optional<ShapeProblem> layers_problem(const TransformerShape& shape) {
  for (const int width : shape.feed_forward_widths) {
    if (width < 1 || width > shape.feed_forward)
      return ShapeProblem{"feed_forward_length", "is no width in one of the layers"};
  }
  constexpr std::string_view kInput = "embedding_length_per_layer_input";
  if (shape.layer_input < 0 || shape.layer_input > kMaxWidth)
    return ShapeProblem{kInput, "is no width"};
  if (std::int64_t{shape.layers} * shape.layer_input > kMaxLayerInputs)
    return ShapeProblem{kInput, "the inputs of all layers are too wide together"};
  constexpr std::string_view kShared = "attention.shared_kv_layers";
  if (shape.sharing_from < 0 || shape.sharing_from > shape.layers)
    return ShapeProblem{kShared, "leaves no layer with keys of its own"};
  for (int i = shape.sharing_from; i > 0 && i < shape.layers; ++i) {
    if (shape.source_of_keys(i) < 0)
      return ShapeProblem{kShared, "leaves a layer without keys that it could share"};
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

std::optional<ShapeProblem> scales_problem(const TransformerShape& shape) {
  const std::pair<std::string_view, double> factors[] = {
      {"embedding_scale", shape.embedding_scale},
      {"residual_scale", shape.residual_scale},
      {"attention.scale", shape.attention_scale == 0 ? 1 : shape.attention_scale},
      {"logit_scale", shape.logit_divisor},
  };
  for (const auto& [field, factor] : factors) {
    if (!(std::isnormal(static_cast<float>(factor)) && factor > 0))
      return ShapeProblem{field, "is not positive"};
  }
  if (!(std::isfinite(static_cast<float>(shape.logit_cap)) && shape.logit_cap >= 0))
    return ShapeProblem{"final_logit_softcapping", "is negative or no number"};
  constexpr std::string_view kTemperature = "attention.temperature_scale";
  if (!(std::isfinite(static_cast<float>(shape.temperature_scale)) && shape.temperature_scale >= 0))
    return ShapeProblem{kTemperature, "is negative or no number"};
  if (shape.temperature_scale > 0 && shape.temperature_span < 1)
    return ShapeProblem{kTemperature, "needs the length of the original context"};
  return std::nullopt;
}

}  // namespace

void leave_unrotated(TransformerShape& shape, int every) {
  const int layers = std::min(shape.layers, kMaxLayers);
  for (int i = 0; i < layers; ++i) shape.unrotated.push_back((i + 1) % every == 0);
}

int TransformerShape::source_of_keys(int layer) const {
  for (int i = sharing_from - 1; i >= 0; --i) {
    if (!is_recurrent(i) && has_window(i) == has_window(layer)) return i;
  }
  return -1;
}

std::optional<ShapeProblem> find_problem(const TransformerShape& shape) {
  if (std::optional<ShapeProblem> problem = out_of_range(shape)) return problem;
  if (shape.layers * shape.experts > kMaxExpertsInAll)
    return ShapeProblem{"expert_count", "the layers have too many together"};
  // A row is in memory once for each of its experts.
  if (shape.experts > 0 && shape.experts_used * shape.feed_forward > kMaxWidth)
    return ShapeProblem{"expert_used_count", "the experts of a row are too wide together"};
  if (shape.dense_feed_forward < 0 || shape.dense_feed_forward > kMaxWidth)
    return ShapeProblem{"feed_forward_length", "is too wide"};
  if (std::optional<ShapeProblem> problem = heads_problem(shape, false)) return problem;
  if (!is_positive(shape.epsilon))
    return ShapeProblem{"attention.layer_norm_rms_epsilon", "is not positive"};
  if (!(is_positive(shape.rope_base) && shape.rope_base > 1))
    return ShapeProblem{"rope.freq_base", "is not above 1"};
  if (shape.rotated < 2 || shape.rotated > shape.head_dim || shape.rotated % 2 != 0)
    return ShapeProblem{"rope.dimension_count", "is not an even part of a head"};
  if (std::optional<ShapeProblem> problem = recurrence_problem(shape)) return problem;
  if (std::optional<ShapeProblem> problem = window_problem(shape)) return problem;
  if (std::optional<ShapeProblem> problem = layers_problem(shape)) return problem;
  if (std::optional<ShapeProblem> problem = scales_problem(shape)) return problem;
  const auto& divisors = shape.rope_divisors;
  const bool fits =
      divisors.empty() || divisors.size() * 2 == static_cast<std::size_t>(shape.rotated);
  if (!fits || !std::all_of(divisors.begin(), divisors.end(), is_positive))
    return ShapeProblem{"rope_freqs.weight", "is not a positive number for each pair"};
  return scaling_problem(shape);
}

bool has_role(std::string_view role, const TransformerShape& shape) {
  const auto has = [&shape](auto&& is_place, std::string_view name) {
    return std::ranges::any_of(shape.architecture->tensors, [&](const TensorName& each) {
      if (!is_place(each.place) || !name.starts_with(each.role)) return false;
      const std::string_view kind = name.substr(each.role.size());
      if (each.is_complete) return kind.empty();
      return kind == ".weight" || (kind == ".bias" && each.may_have_bias);
    });
  };
  if (const std::optional<ExpertPlace> expert = parse_expert_role(role))
    return shape.experts > 0 && expert->layer < shape.layers && expert->expert < shape.experts;
  constexpr std::string_view kLayer = "blk.";
  if (!role.starts_with(kLayer))
    return has(
        [&](TensorPlace place) {
          return place == TensorPlace::kModel ||
                 (place == TensorPlace::kInputOfLayers && shape.layer_input > 0);
        },
        role);
  role.remove_prefix(kLayer.size());
  int layer = -1;
  const auto [end, error] = std::from_chars(role.data(), role.data() + role.size(), layer);
  if (error != std::errc() || layer < 0 || layer >= shape.layers) return false;
  role.remove_prefix(static_cast<std::size_t>(end - role.data()));
  const TensorPlace mixer =
      shape.is_recurrent(layer) ? TensorPlace::kRecurrent : TensorPlace::kAttention;
  const auto is_in_layer = [&](TensorPlace place) {
    return place == TensorPlace::kLayer || place == mixer ||
           (place == TensorPlace::kMixture && shape.experts > 0) ||
           (place == TensorPlace::kInputOfLayer && shape.layer_input > 0);
  };
  return role.starts_with('.') && has(is_in_layer, role.substr(1));
}

}  // namespace redraft
