#include "decoding/model/adapter_config.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "decoding/model/stored_tensor.h"

namespace redraft {

namespace {

constexpr std::int64_t kMaxRank = 1 << 16;
constexpr double kMaxAlpha = 1e6;

// What is read, or says how an adapter was trained and not what it means.
constexpr std::array kKnownKeys = {
    // read
    "peft_type", "r", "lora_alpha", "target_modules", "use_rslora", "bias", "init_lora_weights",
    // about the training
    "auto_mapping", "base_model_name_or_path", "exclude_modules", "inference_mode",
    "layers_pattern", "layers_to_transform", "lora_dropout", "megatron_core", "peft_version",
    "qalora_group_size", "revision", "task_type"};
// These begin from other weights than the model's and store the difference to them.
constexpr std::array kOwnStarts = {"pissa", "olora", "loftq", "corda", "lora_ga"};

bool is_known(std::string_view key) {
  return std::find(kKnownKeys.begin(), kKnownKeys.end(), key) != kKnownKeys.end();
}

// Nothing that would change the adapter: the limits of JsonDocument bound the depth.
bool is_off(const JsonValue& value) {
  switch (value.kind()) {
    case JsonValue::Kind::kNull:
      return true;
    case JsonValue::Kind::kBool:
      return !*value.boolean();
    case JsonValue::Kind::kInteger:
    case JsonValue::Kind::kReal:
      return *value.number() == 0;
    case JsonValue::Kind::kText:
      return value.text()->empty();
    case JsonValue::Kind::kArray:
      return value.size() == 0;
    case JsonValue::Kind::kObject:
      return std::all_of(value.begin(), value.end(),
                         [](const JsonValue& each) { return is_off(each); });
  }
  return false;
}

Result<void> refuse_others(const JsonValue& root) {
  for (const JsonValue option : root) {
    if (is_known(option.key()) || is_off(option)) continue;
    return option.error("redraft merges plain LoRA and knows no " + quoted(option.key()) +
                        "; merge the adapter with PEFT (merge_and_unload) and load the result");
  }
  return {};
}

// A member that has one value only, if it is there or has to be.
Result<void> expect_text(const JsonValue& root, std::string_view key, std::string_view wanted,
                         bool required, std::string_view reason) {
  const std::optional<JsonValue> value = root.find(key);
  if (!value && !required) return {};
  const Result<JsonValue> given = root.at(key);
  if (!given) return given.error();
  const Result<std::string_view> text = given->text();
  if (!text) return text.error();
  if (*text != wanted) return given->error(quoted(*text) + std::string(reason));
  return {};
}

Result<void> check_start(const JsonValue& root) {
  const std::optional<JsonValue> value = root.find("init_lora_weights");
  if (!value || value->kind() == JsonValue::Kind::kBool) return {};
  const Result<std::string_view> text = value->text();
  if (!text) return text.error();
  for (const std::string_view start : kOwnStarts) {
    if (text->starts_with(start)) {
      return value->error(quoted(*text) +
                          " is relative to changed weights of the model; convert the adapter with "
                          "PEFT (save_pretrained with path_initial_model_for_weight_conversion)");
    }
  }
  return {};
}

Result<double> read_scale(const JsonValue& root, int rank) {
  const Result<JsonValue> given = root.at("lora_alpha");
  if (!given) return given.error();
  const Result<double> alpha = given->number();
  if (!alpha) return alpha.error();
  if (!(*alpha > 0 && *alpha <= kMaxAlpha)) return given->error("is not between 0 and 1000000");
  bool by_root = false;
  if (const std::optional<JsonValue> rslora = root.find("use_rslora")) {
    const Result<bool> flag = rslora->boolean();
    if (!flag) return flag.error();
    by_root = *flag;
  }
  return *alpha / (by_root ? std::sqrt(static_cast<double>(rank)) : static_cast<double>(rank));
}

Result<std::optional<std::vector<std::string>>> read_targets(const JsonValue& root) {
  std::optional<std::vector<std::string>> targets;
  const Result<JsonValue> given = root.at("target_modules");
  if (!given) return given.error();
  if (given->kind() == JsonValue::Kind::kText) return targets;
  const Result<JsonValue> names = given->array();
  if (!names) return given->error("expected a list of names, or a pattern");
  if (names->size() == 0) return given->error("names no module");
  targets.emplace();
  for (const JsonValue each : *names) {
    const Result<std::string_view> name = each.text();
    if (!name) return name.error();
    if (name->empty()) return each.error("is empty");
    targets->emplace_back(*name);
  }
  return targets;
}

}  // namespace

bool AdapterConfig::names(std::string_view target, std::string_view module) {
  if (!module.ends_with(target)) return false;
  return module.size() == target.size() || module[module.size() - target.size() - 1] == '.';
}

Result<AdapterConfig> read_adapter_config(const JsonValue& root) {
  if (const Result<JsonValue> object = root.object(); !object) return object.error();
  const Result<void> type =
      expect_text(root, "peft_type", "LORA", true, " is no LoRA, which is what redraft merges");
  if (!type) return type.error();
  const Result<void> bias = expect_text(
      root, "bias", "none", false, ": redraft merges no trained biases, so it has to be 'none'");
  if (!bias) return bias.error();
  if (const Result<void> checked = refuse_others(root); !checked) return checked.error();
  if (const Result<void> checked = check_start(root); !checked) return checked.error();
  const Result<JsonValue> rank = root.at("r");
  if (!rank) return rank.error();
  const Result<std::int64_t> number = rank->integer(1, kMaxRank);
  if (!number) return number.error();
  AdapterConfig config{.rank = static_cast<int>(*number), .targets = {}};
  const Result<double> scale = read_scale(root, config.rank);
  if (!scale) return scale.error();
  config.scale = *scale;
  Result<std::optional<std::vector<std::string>>> targets = read_targets(root);
  if (!targets) return targets.error();
  config.targets = *std::move(targets);
  return config;
}

}  // namespace redraft
