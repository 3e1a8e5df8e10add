// The shape of a transformer from GGUF metadata.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "decoding/model/expert_roles.h"
#include "decoding/model/expert_stacks.h"
#include "decoding/model/gguf.h"
#include "decoding/model/transformer_shape.h"

namespace redraft {

namespace {

// Reads "<architecture>.<name>" keys; keeps the first error.
class ShapeReader {
 public:
  ShapeReader(const GgufFile& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}

  bool has(std::string_view name) const { return file_.has(key(name)); }
  int integer(std::string_view name) {
    Result<std::int64_t> value =
        file_.integer(key(name), std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
    if (!value) fail(value.error());
    return value ? static_cast<int>(*value) : 0;
  }
  int integer_or(std::string_view name, int otherwise) {
    return has(name) ? integer(name) : otherwise;
  }
  double number(std::string_view name) {
    Result<double> value = file_.number(key(name));
    if (!value) fail(value.error());
    return value ? *value : 0;
  }
  double number_or(std::string_view name, double otherwise) {
    return has(name) ? number(name) : otherwise;
  }
  std::string text_or(std::string_view name, std::string_view otherwise) {
    if (!has(name)) return std::string(otherwise);
    Result<std::string_view> value = file_.text(key(name));
    if (!value) fail(value.error());
    return value ? std::string(*value) : std::string();
  }
  void refuse(std::string_view name, std::string_view reason) {
    fail(file_.key_error(key(name), reason));
  }
  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }
  std::string key(std::string_view name) const { return prefix_ + std::string(name); }
  const std::optional<Error>& error() const { return error_; }

 private:
  const GgufFile& file_;
  std::string prefix_;
  std::optional<Error> error_;
};

// What no architecture may have.
constexpr RefusedKey kNotComputed[] = {
    {"attention.clamp_kqv", "clamped attention", 0},
    {"attention.max_alibi_bias", "a bias by distance", 0},
    {"attention.output_scale", "scaled attention outputs", 1},
    {"attn_logit_softcapping", "capped scores", 0},
    {"pooling_type", "pooled embeddings", 0},
    {"rope.scaling.alpha", "rope scaling by alpha", 0},
    {"rope.scaling.yarn_ext_factor", "YaRN with another extrapolation", 1},
};

void refuse_keys(const GgufFile& file, ShapeReader& reader, std::span<const RefusedKey> keys) {
  for (const RefusedKey& key : keys) {
    if (!reader.has(key.name)) continue;
    const Result<double> value = file.number(reader.key(key.name));
    if (value && *value == key.neutral) continue;
    reader.refuse(key.name,
                  "asks for " + std::string(key.what) + ", which redraft does not compute");
  }
}

// What Qwen's hybrids may have: MTP blocks, and rotation by sections, which are all the same for
// text.
constexpr RefusedKey kOnlyWithDeltaNets[] = {
    {"nextn_predict_layers", "layers that predict further tokens", 0},
    {"rope.dimension_sections", "rotation by sections", std::numeric_limits<double>::quiet_NaN()},
};

constexpr std::string_view kWindow = "attention.sliding_window";
constexpr RefusedKey kOnlyWithScales[] = {
    {"attention.scale", "a scale of scores of its own", 0},
    {"embedding_scale", "scaled embeddings", 1},
    {"residual_scale", "scaled residuals", 1},
    {"logit_scale", "scaled logits", 1},
};
constexpr RefusedKey kOnlyByLayer[] = {
    {"attention.shared_kv_layers", "keys shared by layers", 0},
    {"embedding_length_per_layer_input", "embeddings for each layer", 0},
};
constexpr RefusedKey kOnlyWithCap[] = {{"final_logit_softcapping", "capped logits", 0}};
constexpr RefusedKey kOnlyWithTemperature[] = {
    {"attention.temperature_scale", "a temperature of scores", 0},
    {"rope.scaling.yarn_log_multiplier", "YaRN with a log multiplier", 0},
};

void refuse_what_is_not_computed(const GgufFile& file, ShapeReader& reader,
                                 const TransformerShape& shape) {
  refuse_keys(file, reader, kNotComputed);
  if (!shape.architecture->has_scales) refuse_keys(file, reader, kOnlyWithScales);
  if (!shape.architecture->query_temperature) refuse_keys(file, reader, kOnlyWithTemperature);
  if (!shape.architecture->caps_logits) refuse_keys(file, reader, kOnlyWithCap);
  if (!shape.architecture->may_differ_by_layer) refuse_keys(file, reader, kOnlyByLayer);
  if (!shape.architecture->has_delta_nets()) refuse_keys(file, reader, kOnlyWithDeltaNets);
  const int window = reader.integer_or(kWindow, 0);
  if (shape.architecture->unwindowed_every == 0 && window != 0 && window < shape.context_length)
    reader.refuse(kWindow, "asks for a sliding window, which redraft does not compute");
  if (reader.has("attention.causal")) {
    const Result<bool> causal = file.boolean(reader.key("attention.causal"));
    if (!causal || !*causal)
      reader.refuse("attention.causal", "attention that sees the future cannot generate");
  }
}

RopeScaling read_scaling(ShapeReader& reader, const Architecture& architecture,
                         int context_length) {
  RopeScaling scaling;
  const std::string type = reader.text_or("rope.scaling.type", "linear");
  scaling.factor =
      reader.number_or("rope.scaling.factor", reader.number_or("rope.scale_linear", 1));
  if (scaling.factor == 0) scaling.factor = 1;  // how some tools write "none"
  scaling.original_context =
      reader.integer_or("rope.scaling.original_context_length", context_length);
  if (type == "none" || type.empty()) return {};
  if (type == "linear") {
    if (scaling.factor != 1) scaling.kind = RopeScaling::Kind::kLinear;
    return scaling;
  }
  if (type != "yarn") {
    reader.refuse("rope.scaling.type",
                  quoted(std::string_view(type)) +
                      " is not supported; redraft computes none, linear and yarn, and "
                      "llama3 from a file's rope_freqs.weight");
    return {};
  }
  scaling.kind = RopeScaling::Kind::kYarn;
  scaling.round_dimensions = architecture.rounds_yarn;
  scaling.fast_turns = reader.number_or("rope.scaling.yarn_beta_fast", scaling.fast_turns);
  scaling.slow_turns = reader.number_or("rope.scaling.yarn_beta_slow", scaling.slow_turns);
  const double log_multiplier = reader.number_or("rope.scaling.yarn_log_multiplier", 0);
  scaling.attention_factor = yarn_attention_factor(scaling.factor, 1, log_multiplier) *
                             reader.number_or("rope.scaling.attn_factor", 1) *
                             reader.number_or("rope.scaling.yarn_attn_factor", 1);
  return scaling;
}

constexpr int kMaxListed = 1 << 10;  // layers that lists are read for

// The width inside dense blocks: a number, or a list with one for each layer.
void read_dense_width(const GgufFile& file, ShapeReader& reader, TransformerShape& shape) {
  constexpr std::string_view kWidth = "feed_forward_length";
  const auto list = file.integers(reader.key(kWidth));
  if (!list || !shape.architecture->may_differ_by_layer) {
    shape.feed_forward = reader.integer(kWidth);
    return;
  }
  const auto layers = static_cast<std::size_t>(std::clamp(shape.layers, 0, kMaxListed));
  if (list->size() < layers || layers == 0)
    return reader.refuse(kWidth, "does not name every layer");
  shape.feed_forward_widths.assign(list->begin(),
                                   list->begin() + static_cast<std::ptrdiff_t>(layers));
  shape.feed_forward = std::ranges::max(shape.feed_forward_widths);
}

// The width inside a feed-forward block, and how many there are.
void read_feed_forward(const GgufFile& file, ShapeReader& reader, TransformerShape& shape) {
  if (!shape.architecture->is_mixture) {
    refuse_keys(file, reader, shape.architecture->refused_keys);
    read_dense_width(file, reader, shape);
    if (!shape.architecture->may_have_experts) return;
    shape.experts = reader.integer_or("expert_count", 0);
    if (shape.experts == 0) return;
    shape.experts_used = reader.integer("expert_used_count");
    if (!shape.feed_forward_widths.empty())
      reader.refuse("feed_forward_length", "differs from layer to layer beside experts");
    shape.dense_feed_forward = shape.feed_forward;
    shape.feed_forward = reader.integer("expert_feed_forward_length");
    return;
  }
  shape.experts = reader.integer("expert_count");
  shape.experts_used = reader.integer("expert_used_count");
  shape.feed_forward = reader.integer("expert_feed_forward_length");
  if (shape.experts == 0) reader.refuse("expert_count", "a mixture has at least one");
  if (shape.architecture->shared_expert)
    shape.shared_feed_forward = reader.integer("expert_shared_feed_forward_length");
  refuse_keys(file, reader, shape.architecture->refused_keys);
  if (reader.has("expert_weights_norm")) {
    const Result<bool> norm = file.boolean(reader.key("expert_weights_norm"));
    if (!norm || !*norm)
      reader.refuse("expert_weights_norm", "redraft computes shares that add up to 1");
  }
}

void read_head_dim(ShapeReader& reader, TransformerShape& shape) {
  const int even = shape.heads > 0 ? shape.hidden / shape.heads : 0;
  shape.head_dim = reader.integer_or("attention.key_length", even);
  if (!reader.has("attention.key_length") && even * shape.heads != shape.hidden)
    reader.refuse("attention.head_count", "heads do not divide the embedding length");
  if (reader.integer_or("attention.value_length", shape.head_dim) != shape.head_dim)
    reader.refuse("attention.value_length", "values of another width than keys are not supported");
  shape.rotated = reader.integer_or("rope.dimension_count", shape.head_dim);
  if (shape.rotated != shape.head_dim && !shape.architecture->has_delta_nets())
    reader.refuse("rope.dimension_count", "rotation of a part of a head is not supported");
}

void read_divisors(const GgufFile& file, ShapeReader& reader, TransformerShape& shape) {
  constexpr std::string_view kName = "rope_freqs.weight";
  const StoredTensor* tensor = file.find_tensor(kName);
  if (!tensor || shape.rotated <= 0) return;
  if (tensor->shape != std::vector<std::int64_t>{shape.rotated / 2}) {
    return reader.fail(file.tensor_error(kName, "does not have a number for each pair of a head"));
  }
  shape.rope_divisors.resize(static_cast<std::size_t>(shape.rotated / 2));
  dequantize_row(tensor->format, tensor->data.data(), shape.rotated / 2,
                 shape.rope_divisors.data());
}

// That each layer has its stacks of experts, as wide and high as the shape says.
std::optional<Error> check_stacks(const GgufFile& file, const TransformerShape& shape) {
  const auto problem = ExpertStacks::find_problem(
      shape, [&file](std::string_view name) { return file.find_tensor(name); });
  if (!problem) return std::nullopt;
  return file.tensor_error(problem->name, problem->reason);
}

// Whether the tensor is of a vision part, which is not loaded, or of an MTP block, whose tensors
// the weight plan finds: what else a file has of it is without effect on the output.
bool is_unread(std::string_view name, const TransformerShape& shape) {
  constexpr std::string_view kLayer = "blk.";
  if (!name.starts_with(kLayer))
    return shape.architecture->has_delta_nets() &&
           (name.starts_with("v.") || name.starts_with("mtp."));
  int block = -1;
  const char* const end = name.data() + name.size();
  const auto [after, error] = std::from_chars(name.data() + kLayer.size(), end, block);
  return error == std::errc() && after != end && *after == '.' && block >= shape.layers &&
         block < shape.layers + shape.mtp_blocks;
}

std::optional<Error> refuse_unknown_tensors(const GgufFile& file, const TransformerShape& shape) {
  for (const StoredTensor& tensor : file.tensors()) {
    if (is_unread(tensor.name, shape)) continue;
    // An expert's matrix is in a stack, never by itself.
    const std::optional<int> layer = parse_stacked_experts_name(tensor.name);
    const bool has_part =
        layer ? shape.experts > 0 && *layer < shape.layers : has_role(tensor.name, shape);
    if (has_part && !parse_expert_role(tensor.name)) continue;
    return file.tensor_error(tensor.name, "has no part in a " +
                                              std::string(shape.architecture->name) +
                                              " model as redraft computes it");
  }
  return std::nullopt;
}

constexpr std::string_view kKeyHeads = "attention.head_count_kv";

// From a list of the key-value heads of each layer: those without any are recurrent. False: there
// is no such list.
bool read_layers_by_heads(const GgufFile& file, ShapeReader& reader, TransformerShape& shape) {
  const auto heads = file.integers(reader.key(kKeyHeads));
  if (!heads) return false;
  const auto layers = static_cast<std::size_t>(std::clamp(shape.layers, 0, kMaxListed));
  if (heads->size() < layers) {
    reader.refuse(kKeyHeads, "does not name every layer");
    return true;
  }
  for (std::size_t i = 0; i < layers; ++i) shape.recurrent.push_back((*heads)[i] == 0);
  return true;
}

// Reads which layers have attention: from a list, which may include MTP blocks, or from an
// interval. Ollama lists heads.
void read_recurrent_layers(const GgufFile& file, ShapeReader& reader, TransformerShape& shape) {
  constexpr std::string_view kList = "attention.recurrent_layers";
  const auto layers = static_cast<std::size_t>(std::clamp(shape.layers, 0, kMaxListed));
  if (reader.has(kList)) {
    const Result<std::vector<bool>> list = file.booleans(reader.key(kList));
    if (!list) return reader.fail(list.error());
    if (list->size() < layers) return reader.refuse(kList, "does not name every layer");
    shape.recurrent.assign(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(layers));
    return;
  }
  if (read_layers_by_heads(file, reader, shape)) return;
  const int every = reader.integer_or("full_attention_interval", 4);
  if (every < 1) return reader.refuse("full_attention_interval", "is not positive");
  for (std::size_t i = 0; i < layers; ++i)
    shape.recurrent.push_back((i + 1) % static_cast<std::size_t>(every) != 0);
}

// A number, or a list with one for each layer: in some files of hybrids 0 for recurrent layers.
void read_key_heads(const GgufFile& file, ShapeReader& reader, TransformerShape& shape) {
  const auto list = file.integers(reader.key(kKeyHeads));
  if (!list) {
    shape.kv_heads = reader.integer_or(kKeyHeads, shape.heads);
    return;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const int heads = (*list)[i];
    if (heads == 0 && !shape.architecture->is_hybrid())
      return reader.refuse(kKeyHeads, "leaves a layer without attention");
    int& those = shape.has_window(static_cast<int>(i)) ? shape.window_kv_heads : shape.kv_heads;
    if (heads == 0 || heads == those) continue;
    if (those != 0) return reader.refuse(kKeyHeads, "differs from layer to layer");
    those = heads;
  }
}

// Which layers have a sliding window: from a list, or from an interval at which there is none.
void read_windowed_layers(const GgufFile& file, ShapeReader& reader, TransformerShape& shape) {
  constexpr std::string_view kList = "attention.sliding_window_pattern";
  const auto layers = static_cast<std::size_t>(std::clamp(shape.layers, 0, kMaxListed));
  int every = shape.architecture->unwindowed_every;
  if (reader.has(kList)) {
    if (const Result<std::vector<bool>> list = file.booleans(reader.key(kList)); list) {
      if (list->size() < layers) return reader.refuse(kList, "does not name every layer");
      shape.windowed.assign(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(layers));
      return;
    }
    every = reader.integer(kList);
    if (every < 1) return reader.refuse(kList, "is not positive");
  }
  for (std::size_t i = 0; i < layers; ++i)
    shape.windowed.push_back((i + 1) % static_cast<std::size_t>(every) != 0);
}

void read_windows(const GgufFile& file, ShapeReader& reader, TransformerShape& shape) {
  if (shape.architecture->unwindowed_every == 0 || reader.integer_or(kWindow, 0) == 0) return;
  shape.window = reader.integer(kWindow);
  read_windowed_layers(file, reader, shape);
}

// How layers with a window rotate and how wide their heads are, after that of the other layers.
void read_window_heads(ShapeReader& reader, TransformerShape& shape) {
  if (shape.windowed.empty()) return;
  shape.window_rope_base = reader.number_or("rope.freq_base_swa", shape.rope_base);
  if (shape.architecture->scales_window_rope) shape.window_rope_scaling = shape.rope_scaling;
  const int head_dim = reader.integer_or("attention.key_length_swa", shape.head_dim);
  if (head_dim != shape.head_dim) shape.window_head_dim = head_dim;
  if (reader.integer_or("attention.value_length_swa", head_dim) != head_dim)
    reader.refuse("attention.value_length_swa",
                  "values of another width than keys are not supported");
  if (reader.integer_or("rope.dimension_count_swa", head_dim) != head_dim)
    reader.refuse("rope.dimension_count_swa", "rotation of a part of a head is not supported");
}

void read_delta_nets(const GgufFile& file, ShapeReader& reader, TransformerShape& shape) {
  shape.mtp_blocks = reader.integer_or("nextn_predict_layers", 0);
  if (shape.mtp_blocks < 0 || shape.mtp_blocks >= shape.layers)
    return reader.refuse("nextn_predict_layers", "leaves no layer");
  shape.layers -= shape.mtp_blocks;
  read_recurrent_layers(file, reader, shape);
  kernels::DeltaShape& delta = shape.delta;
  delta.key_heads = reader.integer("ssm.group_count");
  delta.value_heads = reader.integer("ssm.time_step_rank");
  delta.key_dim = reader.integer("ssm.state_size");
  delta.taps = reader.integer("ssm.conv_kernel");
  delta.neighbours_share = !shape.architecture->tiles_value_heads;
  if (constexpr std::string_view kTiled = "ssm.v_head_reordered"; reader.has(kTiled)) {  // Ollama
    const Result<bool> tiled = file.boolean(reader.key(kTiled));
    if (!tiled) return reader.fail(tiled.error());
    delta.neighbours_share = !*tiled;
  }
  const int inner = reader.integer("ssm.inner_size");
  delta.value_dim = delta.value_heads > 0 ? inner / delta.value_heads : 0;
  if (delta.value_dim * delta.value_heads != inner)
    reader.refuse("ssm.inner_size", "the value heads do not divide it");
}

void read_recurrence(const GgufFile& file, ShapeReader& reader, TransformerShape& shape) {
  if (shape.architecture->has_delta_nets()) return read_delta_nets(file, reader, shape);
  if (!shape.architecture->is_hybrid()) return;
  if (!read_layers_by_heads(file, reader, shape))
    reader.refuse(kKeyHeads, "is not a list with a number for each layer");
  shape.short_taps = reader.integer("shortconv.l_cache");
}

// The scales that files of Granite have. 0 is how llama.cpp's tools write "none".
void read_scales(const GgufFile& file, ShapeReader& reader, TransformerShape& shape) {
  shape.attention_scale = shape.architecture->attention_scale;
  if (shape.architecture->scales_embeddings)
    shape.embedding_scale = std::sqrt(std::max(shape.hidden, 0));
  if (shape.architecture->caps_logits)
    shape.logit_cap = reader.number_or("final_logit_softcapping", 0);
  if (!shape.architecture->has_scales) return;
  const auto scale = [&reader](std::string_view name) {
    const double given = reader.number_or(name, 1);
    return given == 0 ? 1 : given;
  };
  shape.embedding_scale = scale("embedding_scale");
  shape.residual_scale = scale("residual_scale");
  shape.attention_scale = reader.number_or("attention.scale", 0);
  shape.logit_divisor = reader.number("logit_scale");
  constexpr std::string_view kRotates = "rope.scaling.finetuned";
  if (!reader.has(kRotates)) return;
  const Result<bool> rotates = file.boolean(reader.key(kRotates));
  if (!rotates) return reader.fail(rotates.error());
  if (!*rotates) leave_unrotated(shape, 1);
}

void read_differences(ShapeReader& reader, TransformerShape& shape) {
  if (!shape.architecture->may_differ_by_layer) return;
  shape.layer_input = reader.integer_or("embedding_length_per_layer_input", 0);
  constexpr std::string_view kShared = "attention.shared_kv_layers";
  const int sharing = reader.integer_or(kShared, 0);
  if (sharing == 0) return;
  if (sharing < 0 || sharing >= shape.layers)
    return reader.refuse(kShared, "leaves no layer with keys of its own");
  shape.sharing_from = shape.layers - sharing;
}

void read_temperature(ShapeReader& reader, TransformerShape& shape) {
  if (!shape.architecture->query_temperature) return;
  shape.temperature_scale = reader.number_or("attention.temperature_scale", 0);
  shape.temperature_span =
      reader.integer_or("rope.scaling.original_context_length", shape.context_length);
}

}  // namespace

Result<TransformerShape> read_shape(const GgufFile& file) {
  const Result<std::string_view> name = file.text("general.architecture");
  if (!name) return name.error();
  const Architecture* const architecture = find_architecture(*name);
  if (!architecture) return Error(file.name() + ": " + unsupported_architecture(*name));
  TransformerShape shape{.architecture = architecture};
  ShapeReader reader(file, std::string(architecture->name) + ".");
  shape.layers = reader.integer("block_count");
  shape.context_length = reader.integer("context_length");
  shape.hidden = reader.integer("embedding_length");
  read_feed_forward(file, reader, shape);
  read_recurrence(file, reader, shape);
  read_windows(file, reader, shape);
  shape.heads = reader.integer("attention.head_count");
  read_key_heads(file, reader, shape);
  shape.epsilon = reader.number("attention.layer_norm_rms_epsilon");
  shape.rope_base = reader.number_or("rope.freq_base", 10000);
  if (reader.error()) return *reader.error();
  read_head_dim(reader, shape);
  shape.rope_scaling = read_scaling(reader, *architecture, shape.context_length);
  read_divisors(file, reader, shape);
  read_window_heads(reader, shape);
  read_scales(file, reader, shape);
  read_temperature(reader, shape);
  read_differences(reader, shape);
  if (architecture->unrotated_every > 0) leave_unrotated(shape, architecture->unrotated_every);
  refuse_what_is_not_computed(file, reader, shape);
  if (reader.error()) return *reader.error();
  shape.paired_rows = architecture->pairs_neighbours;
  const StoredTensor* embedding = file.find_tensor("token_embd.weight");
  if (!embedding) return file.tensor_error("token_embd.weight", "missing");
  shape.vocabulary =
      static_cast<int>(std::min<std::int64_t>(embedding->rows(), std::numeric_limits<int>::max()));
  if (const auto problem = find_problem(shape)) {
    if (problem->field == "rope_freqs.weight" || problem->field == "vocab_size") {
      return file.tensor_error(
          problem->field == "vocab_size" ? "token_embd.weight" : problem->field, problem->reason);
    }
    return file.key_error(reader.key(problem->field), problem->reason);
  }
  if (auto unknown = refuse_unknown_tensors(file, shape)) return *unknown;
  if (auto wrong = check_stacks(file, shape)) return *wrong;
  return shape;
}

}  // namespace redraft
