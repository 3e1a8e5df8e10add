#include "decoding/decoder_name.h"

#include <charconv>
#include <optional>
#include <vector>

namespace redraft {
namespace {

constexpr std::string_view kNames = "ar, efficientedit, redraft";
constexpr std::string_view kEfficientEditOptions =
    "reuse-only, gamma=N, key=N, entropy, top-k, direct, k=N, floor, keep-correction";
constexpr int kLargestNumber = 64;

std::vector<std::string_view> split_at_colons(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t colon; (colon = text.find(':')) != std::string_view::npos;) {
    parts.push_back(text.substr(0, colon));
    text.remove_prefix(colon + 1);
  }
  parts.push_back(text);
  return parts;
}

std::optional<int> parse_number(std::string_view digits) {
  int value = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, problem] = std::from_chars(digits.data(), end, value);
  if (problem != std::errc() || rest != end || value < 1 || value > kLargestNumber)
    return std::nullopt;
  return value;
}

// True when `option` is a switch and has been set.
bool set_switch(std::string_view option, DecoderName& name) {
  using Rule = AcceptancePolicy::Rule;
  if (option == "reuse-only") {
    name.reuse_only = true;
  } else if (option == "keep-correction") {
    name.keep_correction = true;
  } else if (option == "entropy") {
    name.generate_policy.rule = Rule::kEntropy;
  } else if (option == "top-k") {
    name.generate_policy.rule = Rule::kTopK;
  } else if (option == "direct") {
    name.generate_policy.rule = Rule::kDirect;
  } else if (option == "floor") {
    name.generate_policy.floor_tau = true;
  } else {
    return false;
  }
  return true;
}

int* number_named(std::string_view option, DecoderName& name) {
  if (option == "gamma") return &name.gamma;
  if (option == "key") return &name.key;
  if (option == "k") return &name.generate_policy.k;
  return nullptr;
}

Result<void> set_option(std::string_view option, DecoderName& name) {
  if (set_switch(option, name)) return {};
  const std::size_t equals = option.find('=');
  int* number = number_named(option.substr(0, equals), name);
  if (!number) {
    return Error("unknown option '" + std::string(option) +
                 "'; efficientedit takes: " + std::string(kEfficientEditOptions));
  }
  const auto value =
      equals == std::string_view::npos ? std::nullopt : parse_number(option.substr(equals + 1));
  if (!value) {
    return Error("option '" + std::string(option) + "' needs a number from 1 to " +
                 std::to_string(kLargestNumber) + ", as in " +
                 std::string(option.substr(0, equals)) + "=7");
  }
  *number = *value;
  return {};
}

}  // namespace

bool DecoderName::needs_draft_model() const { return kind == Kind::kEfficientEdit && !reuse_only; }

Result<DecoderName> parse_decoder_name(std::string_view text) {
  const std::vector<std::string_view> parts = split_at_colons(text);
  DecoderName name;
  name.text = std::string(text);
  if (parts[0] == "ar") {
    name.kind = DecoderName::Kind::kPlain;
  } else if (parts[0] == "efficientedit") {
    name.kind = DecoderName::Kind::kEfficientEdit;
  } else if (parts[0] == "redraft") {
    name.kind = DecoderName::Kind::kRedraft;
  } else {
    return Error("unknown decoder '" + std::string(parts[0]) +
                 "'; there are: " + std::string(kNames));
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (name.kind != DecoderName::Kind::kEfficientEdit) {
      return Error("decoder '" + std::string(text) + "': " + std::string(parts[0]) +
                   " takes no options");
    }
    if (const Result<void> set = set_option(parts[i], name); !set) {
      return set.error().in("decoder '" + std::string(text) + "'");
    }
  }
  return name;
}

}  // namespace redraft
