#include "lsp/wire/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace redraft::lsp {
namespace {

// Properties of a text that are checked before it is parsed. The parser checks whether brackets
// match.
struct Extent {
  int depth = 0;           // of the deepest bracket
  std::size_t values = 1;  // the text itself, elements and members
  bool is_within_limits() const { return depth <= kNestingLimit && values <= kValueLimit; }
};

// Stops where a limit is exceeded.
Extent extent_of(std::string_view text) {
  Extent extent;
  int depth = 0;
  bool in_string = false;
  bool opened = false;  // just before: the next token is a value, unless it closes
  for (std::size_t i = 0; i < text.size() && extent.is_within_limits(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    const bool closes = c == ']' || c == '}';
    if (c == ',' || (opened && !closes)) ++extent.values;
    opened = c == '[' || c == '{';
    if (opened) extent.depth = std::max(extent.depth, ++depth);
    if (closes) --depth;
    in_string = c == '"';
  }
  return extent;
}

// The code unit of a "\uXXXX" escape at `at`, if there is one.
std::optional<unsigned> escape_at(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
  unsigned unit = 0;
  const char* end = text.data() + at + 6;
  if (std::from_chars(text.data() + at + 2, end, unit, 16).ptr != end) return std::nullopt;
  return unit;
}

bool is_high(unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; }

std::string without_lone_surrogates(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] != '\\') continue;
    const std::optional<unsigned> unit = escape_at(out, i);
    if (!unit) {
      ++i;  // another escape, whose second character does not start one
    } else if (const std::optional<unsigned> next = escape_at(out, i + 6);
               is_high(*unit) && next && is_low(*next)) {
      i += 11;
    } else {
      if (is_high(*unit) || is_low(*unit)) out.replace(i, 6, "\\uFFFD");
      i += 5;
    }
  }
  return out;
}

// JSON knows no difference between 1 and 1.0, and some clients write all numbers with a fraction.
// Beyond this limit not every integer is a number of the parser, so 1e300 remains what it is.
void make_whole_numbers_integers(Json& all) {
  constexpr double kExact = 9007199254740992;  // 2^53
  std::vector<Json*> left = {&all};
  while (!left.empty()) {
    Json& value = *left.back();
    left.pop_back();
    if (value.is_structured()) {
      for (Json& each : value) left.push_back(&each);
    } else if (value.is_number_float()) {
      const double number = value.get<double>();
      if (std::trunc(number) != number || std::abs(number) > kExact) continue;
      if (number < 0) {
        value = static_cast<std::int64_t>(number);
      } else {
        value = static_cast<std::uint64_t>(number);
      }
    }
  }
}

Json parsed(std::string_view text) {
  Json value = Json::parse(text);
  make_whole_numbers_integers(value);
  return value;
}

}  // namespace

bool has_too_many_values(std::string_view text) {
  const Extent extent = extent_of(text);
  return extent.depth <= kNestingLimit && extent.values > kValueLimit;
}

Result<Json> parse_json(std::string_view text) {
  const Extent extent = extent_of(text);
  if (extent.depth > kNestingLimit)
    return Error("JSON nested deeper than " + std::to_string(kNestingLimit) + " levels");
  if (extent.values > kValueLimit)
    return Error("JSON of more than " + std::to_string(kValueLimit) + " values");
  try {
    return parsed(text);
  } catch (const Json::exception&) {
    // Parsed again below: only a lone surrogate can be repaired.
  }
  try {
    return parsed(without_lone_surrogates(text));
  } catch (const Json::exception& failure) {
    // The rest of nlohmann's message quotes the input, which may be the text of a document.
    const std::string what = reason(failure);
    return Error("malformed JSON: " + what.substr(0, what.find(" - ")));
  }
}

std::string reason(const std::exception& failure) {
  const std::string_view what = failure.what();
  const std::size_t code_end =
      what.starts_with("[json.exception.") ? what.find("] ") : std::string_view::npos;
  return std::string(code_end == std::string_view::npos ? what : what.substr(code_end + 2));
}

std::string to_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace redraft::lsp
