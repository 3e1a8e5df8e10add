#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace redraft {

// An option of a decoder: `option` for a switch, `option=value` for a number or text.
struct DecoderOption {
  enum class Kind { kSwitch, kInteger, kReal, kText };
  Kind kind = Kind::kSwitch;
  std::string_view name;
  std::string_view help;
  // For numbers: the default (nullopt: none) and the range.
  std::optional<double> preset;
  double least = 0;
  double most = 0;
  std::string_view example = {};  // example of a text

  static DecoderOption toggle(std::string_view name, std::string_view help);
  static DecoderOption integer(std::string_view name, std::optional<int> preset, int least,
                               int most, std::string_view help);
  static DecoderOption real(std::string_view name, double preset, double least, double most,
                            std::string_view help);
  // The decoder checks the text (DecoderDefinition::check). There is no default.
  static DecoderOption text(std::string_view name, std::string_view example, std::string_view help);

  std::string usage() const;  // "gamma=N"
  // For a number: its range as in "1 to 64", and its default as in "7", or an empty string. For a
  // text: "as in" and an example.
  std::string range() const;
  std::string preset_text() const;
};

// The options of one decoder with the given values. Plain data that may be copied; the declarations
// outlive it.
class DecoderOptions {
 public:
  // No options given.
  explicit DecoderOptions(std::span<const DecoderOption> declared);
  // `written`: the parts between colons. The error names what is wrong and what would be valid.
  static Result<DecoderOptions> parse(std::span<const DecoderOption> declared,
                                      std::span<const std::string_view> written);

  // The option must have been declared.
  bool has(std::string_view option) const;                          // whether it was given
  std::optional<int> maybe_integer(std::string_view option) const;  // given, or the default
  int integer(std::string_view option) const;                       // likewise; must have a default
  double real(std::string_view option) const;                       // likewise
  std::optional<std::string> text(std::string_view option) const;   // if it was given

 private:
  std::size_t index_of(std::string_view option) const;
  std::optional<double> value_of(std::string_view option) const;
  Result<void> set(std::string_view part);

  std::span<const DecoderOption> declared_;
  std::vector<std::optional<double>> written_;  // by option; 1 for a switch or text that was given
  std::vector<std::string> texts_;              // by option
};

}  // namespace redraft
