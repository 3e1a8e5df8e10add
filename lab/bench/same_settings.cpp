#include "lab/bench/same_settings.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace redraft::cli {
namespace {

using Json = nlohmann::ordered_json;

bool same(const JsonValue& stored, const Json& wanted);

bool same_object(const JsonValue& stored, const Json& wanted) {
  const bool is_file = wanted.contains("sha256");
  if (!is_file && stored.size() != wanted.size()) return false;
  for (const auto& [key, value] : wanted.items()) {
    if (is_file && key != "sha256") continue;
    const std::optional<JsonValue> own = stored.find(key);
    if (!own || !same(*own, value)) return false;
  }
  return true;
}

bool same_list(const JsonValue& stored, const Json& wanted) {
  if (stored.size() != wanted.size()) return false;
  std::size_t at = 0;
  for (const JsonValue each : stored) {
    if (!same(each, wanted[at++])) return false;
  }
  return true;
}

bool same(const JsonValue& stored, const Json& wanted) {
  switch (stored.kind()) {
    case JsonValue::Kind::kNull:
      return wanted.is_null();
    case JsonValue::Kind::kBool:
      return wanted.is_boolean() && *stored.boolean() == wanted.get<bool>();
    case JsonValue::Kind::kInteger: {
      constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
      constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
      const Result<std::int64_t> number = stored.integer(kLeast, kMost);
      return number && wanted.is_number_integer() && *number == wanted.get<std::int64_t>();
    }
    case JsonValue::Kind::kReal:
      return wanted.is_number_float() && *stored.number() == wanted.get<double>();
    case JsonValue::Kind::kText:
      return wanted.is_string() && *stored.text() == wanted.get_ref<const std::string&>();
    case JsonValue::Kind::kArray:
      return wanted.is_array() && same_list(stored, wanted);
    case JsonValue::Kind::kObject:
      break;
  }
  return wanted.is_object() && same_object(stored, wanted);
}

}  // namespace

std::optional<std::string> first_difference(const JsonValue& stored, const Json& wanted,
                                            const std::vector<std::string>& ignored) {
  const auto counts = [&](const std::string& key) {
    return std::ranges::find(ignored, key) == ignored.end();
  };
  for (const auto& [key, value] : wanted.items()) {
    if (!counts(key)) continue;
    const std::optional<JsonValue> own = stored.find(key);
    if (!own || !same(*own, value)) return key;
  }
  for (const JsonValue each : stored) {
    const std::string key(each.key());
    if (counts(key) && !wanted.contains(key)) return key;
  }
  return std::nullopt;
}

}  // namespace redraft::cli
