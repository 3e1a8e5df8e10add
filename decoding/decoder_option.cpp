#include "decoding/decoder_option.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstdio>

namespace redraft {
namespace {

std::string to_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

template <typename Number>
std::optional<double> parse_as(std::string_view digits) {
  Number value{};
  const char* end = digits.data() + digits.size();
  const auto [rest, problem] = std::from_chars(digits.data(), end, value);
  if (problem != std::errc() || rest != end) return std::nullopt;
  return static_cast<double>(value);
}

// NaN is out of every range.
std::optional<double> parse_number(std::string_view digits, const DecoderOption& option) {
  const std::optional<double> value = option.kind == DecoderOption::Kind::kInteger
                                          ? parse_as<int>(digits)
                                          : parse_as<double>(digits);
  if (!value || !(*value >= option.least && *value <= option.most)) return std::nullopt;
  return value;
}

std::string list_of(std::span<const DecoderOption> options) {
  std::string list;
  for (const DecoderOption& option : options) list += (list.empty() ? "" : ", ") + option.usage();
  return list;
}

}  // namespace

DecoderOption DecoderOption::toggle(std::string_view name, std::string_view help) {
  return {.kind = Kind::kSwitch, .name = name, .help = help, .preset = {}};
}

DecoderOption DecoderOption::integer(std::string_view name, std::optional<int> preset, int least,
                                     int most, std::string_view help) {
  return {.kind = Kind::kInteger,
          .name = name,
          .help = help,
          .preset = preset ? std::optional<double>(*preset) : std::nullopt,
          .least = static_cast<double>(least),
          .most = static_cast<double>(most)};
}

DecoderOption DecoderOption::real(std::string_view name, double preset, double least, double most,
                                  std::string_view help) {
  return {.kind = Kind::kReal,
          .name = name,
          .help = help,
          .preset = preset,
          .least = least,
          .most = most};
}

DecoderOption DecoderOption::text(std::string_view name, std::string_view example,
                                  std::string_view help) {
  return {.kind = Kind::kText, .name = name, .help = help, .preset = {}, .example = example};
}

std::string DecoderOption::usage() const {
  switch (kind) {
    case Kind::kSwitch:
      break;
    case Kind::kInteger:
      return std::string(name) + "=N";
    case Kind::kReal:
      return std::string(name) + "=X";
    case Kind::kText:
      return std::string(name) + "=TEXT";
  }
  return std::string(name);
}

std::string DecoderOption::range() const {
  if (kind == Kind::kText) return "as in " + std::string(example);
  return to_text(least) + " to " + to_text(most);
}

std::string DecoderOption::preset_text() const { return preset ? to_text(*preset) : ""; }

DecoderOptions::DecoderOptions(std::span<const DecoderOption> declared)
    : declared_(declared), written_(declared.size()), texts_(declared.size()) {}

Result<DecoderOptions> DecoderOptions::parse(std::span<const DecoderOption> declared,
                                             std::span<const std::string_view> written) {
  DecoderOptions options(declared);
  for (const std::string_view part : written) {
    if (const Result<void> set = options.set(part); !set) return set.error();
  }
  return options;
}

Result<void> DecoderOptions::set(std::string_view part) {
  const std::size_t equals = std::min(part.find('='), part.size());
  const std::string name(part.substr(0, equals));
  const std::size_t index = index_of(name);
  if (index == declared_.size()) {
    return Error("unknown option '" + std::string(part) + "'; there " +
                 (declared_.empty() ? "are none" : "are: " + list_of(declared_)));
  }
  if (written_[index]) return Error("option '" + name + "' is written twice");
  const DecoderOption& option = declared_[index];
  if (option.kind == DecoderOption::Kind::kSwitch) {
    if (equals < part.size()) return Error("option '" + name + "' takes no value");
    written_[index] = 1;
    return {};
  }
  if (option.kind == DecoderOption::Kind::kText) {
    texts_[index] = part.substr(std::min(equals + 1, part.size()));
    if (texts_[index].empty())
      return Error("option '" + name + "' needs a text, " + option.range());
    written_[index] = 1;
    return {};
  }
  if (equals < part.size()) written_[index] = parse_number(part.substr(equals + 1), option);
  if (written_[index]) return {};
  return Error("option '" + std::string(part) + "' needs a number from " + option.range() +
               ", as in " + name + "=" + to_text(option.preset.value_or(option.most)));
}

std::size_t DecoderOptions::index_of(std::string_view option) const {
  const auto found = std::find_if(declared_.begin(), declared_.end(),
                                  [&](const DecoderOption& each) { return each.name == option; });
  return static_cast<std::size_t>(found - declared_.begin());
}

std::optional<double> DecoderOptions::value_of(std::string_view option) const {
  const std::size_t index = index_of(option);
  assert(index < declared_.size());
  return written_[index] ? written_[index] : declared_[index].preset;
}

bool DecoderOptions::has(std::string_view option) const {
  const std::size_t index = index_of(option);
  assert(index < declared_.size());
  return written_[index].has_value();
}

std::optional<int> DecoderOptions::maybe_integer(std::string_view option) const {
  const std::optional<double> value = value_of(option);
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

int DecoderOptions::integer(std::string_view option) const {
  return static_cast<int>(real(option));
}

std::optional<std::string> DecoderOptions::text(std::string_view option) const {
  if (!has(option)) return std::nullopt;
  return texts_[index_of(option)];
}

double DecoderOptions::real(std::string_view option) const {
  const std::optional<double> value = value_of(option);
  assert(value);
  return *value;
}

}  // namespace redraft
