#include "decoding/model/huggingface_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "decoding/model/stored_tensor.h"

namespace redraft {

namespace {

// Typed members of one object; keeps the first error.
class ConfigReader {
 public:
  ConfigReader(const JsonValue& object, std::optional<Error>& error)
      : object_(object), error_(error) {}

  int integer(std::string_view key) { return as_integer(object_.at(key)); }
  int integer_or(std::string_view key, int otherwise) {
    const std::optional<JsonValue> value = object_.find(key);
    return value ? as_integer(*value) : otherwise;
  }
  double number(std::string_view key) { return as_number(object_.at(key)); }
  double number_or(std::string_view key, double otherwise) {
    const std::optional<JsonValue> value = object_.find(key);
    return value ? as_number(*value) : otherwise;
  }
  bool flag_or(std::string_view key, bool otherwise) {
    const std::optional<JsonValue> value = object_.find(key);
    return value ? taken(value->boolean(), otherwise) : otherwise;
  }
  std::string text_or(std::string_view key, std::string_view otherwise) {
    const std::optional<JsonValue> value = object_.find(key);
    return std::string(value ? taken(value->text(), otherwise) : otherwise);
  }
  bool has(std::string_view key) const { return object_.find(key).has_value(); }
  void refuse(std::string_view key, const std::string& reason) {
    const std::optional<JsonValue> value = object_.find(key);
    fail(value ? value->error(reason) : object_.error(std::string(key) + ": " + reason));
  }
  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }

 private:
  template <typename T>
  T taken(Result<T> result, T otherwise) {
    if (result) return *result;
    fail(result.error());
    return otherwise;
  }
  int as_integer(const Result<JsonValue>& value) {
    if (!value) return fail(value.error()), 0;
    using Limits = std::numeric_limits<int>;
    return static_cast<int>(
        taken<std::int64_t>(value->integer(Limits::min(), Limits::max()), Limits::min()));
  }
  double as_number(const Result<JsonValue>& value) {
    if (!value) return fail(value.error()), 0;
    return taken<double>(value->number(), 0);
  }

  JsonValue object_;
  std::optional<Error>& error_;
};

// This file format's names for the fields that find_problem() reports.
constexpr std::pair<std::string_view, std::string_view> kKeys[] = {
    {"block_count", "num_hidden_layers"},
    {"context_length", "max_position_embeddings"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"expert_feed_forward_length", "moe_intermediate_size"},
    {"expert_count", "num_experts"},
    {"expert_used_count", "num_experts_per_tok"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads"},
    {"attention.key_length", "head_dim"},
    {"rope.freq_base", "rope_theta"},
    {"rope.dimension_count", "partial_rotary_factor"},
    {"expert_shared_feed_forward_length", "shared_expert_intermediate_size"},
    {"full_attention_interval", "layer_types"},
    {"ssm.group_count", "linear_num_key_heads"},
    {"ssm.time_step_rank", "linear_num_value_heads"},
    {"ssm.state_size", "linear_key_head_dim"},
    {"ssm.inner_size", "linear_value_head_dim"},
    {"ssm.conv_kernel", "linear_conv_kernel_dim"},
    {"shortconv.l_cache", "conv_L_cache"},
    {"embedding_scale", "embedding_multiplier"},
    {"residual_scale", "residual_multiplier"},
    {"attention.scale", "attention_multiplier"},
    {"logit_scale", "logits_scaling"},
    {"attention.temperature_scale", "rope_parameters"},
};

std::string key_of(std::string_view field, const Architecture& architecture) {
  if (field == "attention.layer_norm_rms_epsilon") return std::string(architecture.epsilon_key);
  for (const auto& [theirs, ours] : kKeys) {
    if (theirs == field) return std::string(ours);
  }
  return std::string(field.starts_with("rope.scaling") ? "rope_scaling" : field);
}

void refuse_what_is_not_computed(ConfigReader& reader, const TransformerShape& shape) {
  const std::string activation(shape.architecture->activation);
  if (reader.text_or("hidden_act", activation) != activation)
    reader.refuse("hidden_act", "redraft computes " + activation);
  if (reader.has("quantization_config"))
    reader.refuse("quantization_config", "redraft reads quantised weights as GGUF only");
  // Files of Mistral 3 have no switch for the window.
  const bool has_switch = !shape.architecture->query_temperature;
  if (reader.flag_or("use_sliding_window", !has_switch) &&
      reader.integer_or("sliding_window", shape.context_length) < shape.context_length) {
    reader.refuse(has_switch ? "use_sliding_window" : "sliding_window",
                  "redraft computes no sliding window");
  }
  if (shape.rotated != shape.head_dim && !shape.architecture->has_delta_nets())
    reader.refuse("partial_rotary_factor", "rotation of a part of a head is not supported");
}

constexpr int kMaxListed = 1 << 10;  // layers that lists are read for

// Older files of LFM2 list the layers with attention. Without a list, all have it.
void read_attention_indices(const JsonValue& config, ConfigReader& reader,
                            TransformerShape& shape) {
  const std::optional<JsonValue> list = config.find("full_attn_idxs");
  if (!list) return;
  if (const Result<JsonValue> array = list->array(); !array) return reader.fail(array.error());
  shape.recurrent.assign(static_cast<std::size_t>(std::clamp(shape.layers, 0, kMaxListed)), true);
  for (const JsonValue each : *list) {
    const Result<std::int64_t> layer = each.integer(0, std::ssize(shape.recurrent) - 1);
    if (!layer) return reader.fail(layer.error());
    shape.recurrent[static_cast<std::size_t>(*layer)] = false;
  }
}

// Which layers have attention and which a recurrent state, where config.json does not list types.
void read_interval(const JsonValue& config, ConfigReader& reader, TransformerShape& shape) {
  if (!shape.architecture->is_hybrid()) return;
  if (!shape.architecture->has_delta_nets()) return read_attention_indices(config, reader, shape);
  const int every = reader.integer_or("full_attention_interval", 4);
  if (every < 1) return reader.refuse("full_attention_interval", "is not positive");
  for (int i = 0; i < std::min(shape.layers, kMaxListed); ++i)
    shape.recurrent.push_back((i + 1) % every != 0);
}

void read_layer_types(const JsonValue& config, ConfigReader& reader, TransformerShape& shape) {
  const bool hybrid = shape.architecture->is_hybrid();
  const bool delta = shape.architecture->has_delta_nets();
  const std::optional<JsonValue> types = config.find("layer_types");
  if (!types) return read_interval(config, reader, shape);
  for (const JsonValue type : *types) {
    const Result<std::string_view> name = type.text();
    const bool recurrent = hybrid && name && *name == (delta ? "linear_attention" : "conv");
    if (!recurrent && (!name || *name != "full_attention")) {
      return reader.fail(
          type.error(delta    ? "redraft computes full and linear attention only"
                     : hybrid ? "redraft computes full attention and convolutions (\"conv\") only"
                              : "redraft computes full attention only"));
    }
    if (hybrid) shape.recurrent.push_back(recurrent);
  }
  if (hybrid && std::ssize(shape.recurrent) != shape.layers)
    reader.refuse("layer_types", "does not name every layer");
}

void read_recurrence(ConfigReader& reader, TransformerShape& shape) {
  if (!shape.architecture->is_hybrid()) return;
  if (!shape.architecture->has_delta_nets()) {
    shape.short_taps = reader.integer_or("conv_L_cache", 3);
    if (reader.flag_or("conv_bias", false))
      reader.refuse("conv_bias", "redraft computes convolutions without biases");
    return;
  }
  shape.stored_as_trained = true;
  shape.delta = {.key_heads = reader.integer("linear_num_key_heads"),
                 .value_heads = reader.integer("linear_num_value_heads"),
                 .key_dim = reader.integer("linear_key_head_dim"),
                 .value_dim = reader.integer("linear_value_head_dim"),
                 .taps = reader.integer("linear_conv_kernel_dim"),
                 .neighbours_share = true};
}

// LFM2 gives the width that a block without a gate would have, from which that of the gated one
// follows.
int read_adjusted_width(const JsonValue& config, ConfigReader& reader) {
  constexpr std::string_view kOlder = "block_ff_dim";
  const int given = reader.integer(reader.has(kOlder) ? kOlder : "intermediate_size");
  if (!reader.flag_or("block_auto_adjust_ff_dim", true)) return given;
  double width = std::trunc(2.0 * given / 3);
  constexpr std::string_view kFactor = "block_ffn_dim_multiplier";
  // null is no factor, and then no rounding either; a missing key is 1.
  const Result<JsonValue> factor = config.at(kFactor);
  if (!factor || !factor->is_null()) {
    const int multiple = reader.integer_or("block_multiple_of", 256);
    if (multiple < 1) return reader.refuse("block_multiple_of", "is not positive"), 0;
    width = std::trunc(reader.number_or(kFactor, 1) * width);
    width = multiple * std::ceil(width / multiple);
  }
  if (width >= 1 && width <= std::numeric_limits<int>::max()) return static_cast<int>(width);
  return reader.refuse(kFactor, "makes blocks of no width or of too large a one"), 0;
}

// The width inside a feed-forward block, and how many there are.
void read_feed_forward(const JsonValue& config, ConfigReader& reader, TransformerShape& shape) {
  if (!shape.architecture->is_mixture) {
    shape.feed_forward = shape.architecture->recurrence == Recurrence::kShortConvolution
                             ? read_adjusted_width(config, reader)
                             : reader.integer("intermediate_size");
    return;
  }
  shape.experts = reader.integer("num_experts");
  shape.experts_used = reader.integer("num_experts_per_tok");
  shape.feed_forward = reader.integer("moe_intermediate_size");
  if (shape.experts == 0) reader.refuse("num_experts", "a mixture has at least one");
  if (shape.architecture->shared_expert)
    shape.shared_feed_forward = reader.integer("shared_expert_intermediate_size");
  // What transformers takes if the key is missing is false; newer mixtures have no such choice.
  if (!reader.flag_or("norm_topk_prob", shape.architecture->shared_expert))
    reader.refuse("norm_topk_prob", "redraft computes shares that add up to 1 (true)");
  constexpr const char* kDenseLayers = "redraft computes no layers without experts";
  if (reader.integer_or("decoder_sparse_step", 1) != 1)
    reader.refuse("decoder_sparse_step", kDenseLayers);
  if (const std::optional<JsonValue> layers = config.find("mlp_only_layers")) {
    const Result<JsonValue> all = layers->array();
    if (!all || all->size() > 0) reader.refuse("mlp_only_layers", kDenseLayers);
  }
}

double attention_factor(ConfigReader& scaling, double factor) {
  if (scaling.has("attention_factor")) return scaling.number("attention_factor");
  if (scaling.has("mscale") && scaling.has("mscale_all_dim")) {
    return yarn_attention_factor(factor, scaling.number("mscale"),
                                 scaling.number("mscale_all_dim"));
  }
  return yarn_attention_factor(factor);
}

// Which layers do not rotate: those with 0 in a list, which may be longer, or the last of every
// few.
void read_unrotated(const JsonValue& config, ConfigReader& reader, TransformerShape& shape) {
  if (shape.architecture->unrotated_every == 0) return;
  constexpr std::string_view kList = "no_rope_layers";
  const std::optional<JsonValue> list = config.find(kList);
  if (!list) {
    constexpr std::string_view kInterval = "no_rope_layer_interval";
    const int every = reader.integer_or(kInterval, shape.architecture->unrotated_every);
    if (every < 1) return reader.refuse(kInterval, "is not positive");
    return leave_unrotated(shape, every);
  }
  if (const Result<JsonValue> array = list->array(); !array) return reader.fail(array.error());
  for (const JsonValue each : *list) {
    const Result<std::int64_t> rotates = each.integer(0, 1);
    if (!rotates) return reader.fail(rotates.error());
    if (std::ssize(shape.unrotated) < shape.layers) shape.unrotated.push_back(*rotates == 0);
  }
  if (std::ssize(shape.unrotated) < shape.layers) reader.refuse(kList, "does not name every layer");
}

void read_scales(ConfigReader& reader, TransformerShape& shape) {
  if (!shape.architecture->has_scales) return;
  shape.embedding_scale = reader.number_or("embedding_multiplier", 1);
  shape.residual_scale = reader.number_or("residual_multiplier", 1);
  shape.logit_divisor = reader.number_or("logits_scaling", 1);
  constexpr std::string_view kScores = "attention_multiplier";
  shape.attention_scale = reader.number_or(kScores, 1);
  if (shape.attention_scale == 0) reader.refuse(kScores, "is not positive");
}

// Newer files keep everything about rotation in "rope_parameters".
void read_rope(const JsonValue& config, ConfigReader& reader, std::optional<Error>& error,
               TransformerShape& shape) {
  using Kind = RopeScaling::Kind;
  const std::optional<JsonValue> parameters = config.find("rope_parameters");
  const std::optional<JsonValue> given = parameters ? parameters : config.find("rope_scaling");
  shape.rope_base = reader.number_or("rope_theta", shape.architecture->rope_base);
  const double part = reader.number_or("partial_rotary_factor", 1);
  const auto rotate = [&shape](double share) {
    shape.rotated = share > 0 && share <= 1 ? static_cast<int>(shape.head_dim * share) : 0;
  };
  rotate(part);
  if (!given && shape.architecture->query_temperature)
    return reader.refuse("rope_parameters", "missing");
  if (!given) return;
  if (const Result<JsonValue> object = given->object(); !object) return reader.fail(object.error());
  ConfigReader rope(*given, error);
  rotate(rope.number_or("partial_rotary_factor", part));
  shape.rope_base = rope.number_or("rope_theta", shape.rope_base);
  if (shape.architecture->query_temperature) {
    shape.temperature_scale = rope.number_or("llama_4_scaling_beta", 0);
    shape.temperature_span = rope.integer_or("original_max_position_embeddings", 0);
  }
  const std::string type = rope.text_or("rope_type", rope.text_or("type", "default"));
  if (type == "default") return;
  RopeScaling& scaling = shape.rope_scaling;
  scaling.factor = rope.number("factor");
  scaling.original_context =
      rope.integer_or("original_max_position_embeddings", shape.context_length);
  if (type == "linear") {
    scaling.kind = Kind::kLinear;
  } else if (type == "llama3") {
    scaling.kind = Kind::kLlama3;
    scaling.low_frequency = rope.number("low_freq_factor");
    scaling.high_frequency = rope.number("high_freq_factor");
  } else if (type == "yarn") {
    scaling.kind = Kind::kYarn;
    scaling.slow_turns = rope.number_or("beta_slow", scaling.slow_turns);
    scaling.fast_turns = rope.number_or("beta_fast", scaling.fast_turns);
    scaling.round_dimensions = rope.flag_or("truncate", true);
    scaling.attention_factor = attention_factor(rope, scaling.factor);
  } else {
    rope.refuse(
        rope.has("rope_type") ? "rope_type" : "type",
        redraft::quoted(type) + " is not supported; redraft computes linear, llama3 and yarn");
  }
}

void read_head_dim(ConfigReader& reader, TransformerShape& shape) {
  if (reader.has("head_dim")) {
    shape.head_dim = reader.integer("head_dim");
  } else if (shape.heads > 0) {
    shape.head_dim = shape.hidden / shape.heads;
    if (shape.head_dim * shape.heads != shape.hidden)
      reader.refuse("num_attention_heads", "heads do not divide hidden_size");
  }
}

Result<const Architecture*> read_architecture(const JsonValue& config) {
  const Result<JsonValue> type = config.at("model_type");
  if (!type) return type.error();
  const Result<std::string_view> name = type->text();
  if (!name) return name.error();
  const Architecture* const found = find_huggingface_architecture(*name);
  if (!found) return type->error(unsupported_architecture(*name));
  return found;
}

}  // namespace

Result<TransformerShape> read_shape(const JsonValue& config) {
  const Result<const Architecture*> architecture = read_architecture(config);
  if (!architecture) return architecture.error();
  TransformerShape shape{.architecture = *architecture};
  std::optional<Error> error;
  ConfigReader reader(config, error);
  shape.layers = reader.integer("num_hidden_layers");
  shape.context_length = reader.integer("max_position_embeddings");
  shape.hidden = reader.integer("hidden_size");
  read_feed_forward(config, reader, shape);
  shape.heads = reader.integer("num_attention_heads");
  shape.kv_heads = reader.integer_or("num_key_value_heads", shape.heads);
  shape.vocabulary = reader.integer("vocab_size");
  shape.epsilon = reader.number(shape.architecture->epsilon_key);
  if (error) return *error;
  read_head_dim(reader, shape);
  read_rope(config, reader, error, shape);
  read_unrotated(config, reader, shape);
  read_scales(reader, shape);
  read_layer_types(config, reader, shape);
  read_recurrence(reader, shape);
  refuse_what_is_not_computed(reader, shape);
  if (error) return *error;
  if (const std::optional<ShapeProblem> problem = find_problem(shape)) {
    reader.refuse(key_of(problem->field, *shape.architecture), problem->reason);
    return *error;
  }
  return shape;
}

}  // namespace redraft
