#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>

#include "decoding/statistics.h"

namespace redraft {

// Statistics as members of a JSON object. `Json` is the caller's type: one that becomes an object
// once a member is assigned to it (`json["passes"] = 3`) and has a static object(). So this folder
// needs no JSON library, and the protocol can spell names in its own way with `spell`.

// One member per origin, by name.
template <typename Json>
Json by_source(const CountsByOrigin& counts) {
  Json json = Json::object();
  for (const NamedDraftOrigin& origin : kDraftOrigins)
    json[origin.name] = counts[static_cast<std::size_t>(origin.origin)];
  return json;
}

// All fields that `document` contains.
template <typename Json, typename Spell = std::identity>
void write_fields(const DecodeStatistics& statistics, ReportedBy document, Json& json,
                  const Spell& spell = {}) {
  for_each_statistic([&](const char* name, auto field, ReportedBy reported) {
    if (document == ReportedBy::kEvery && reported != ReportedBy::kEvery) return;
    const auto& value = statistics.*field;
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) {
      json[spell(name)] = value;
    } else {
      json[spell(name)] = by_source<Json>(value);
    }
  });
}

// The contents of every report of one decode: the fields, and the figures derived from them.
template <typename Json, typename Spell = std::identity>
void write_report(const DecodeStatistics& statistics, Json& json, const Spell& spell = {}) {
  write_fields(statistics, ReportedBy::kEvery, json, spell);
  json[spell("tokens_per_pass")] = statistics.tokens_per_pass();
  json[spell("acceptance_length")] = statistics.acceptance_length();
  json[spell("tokens_per_second")] = statistics.tokens_per_second();
  json[spell("total_tokens_per_second")] = statistics.total_tokens_per_second();
}

}  // namespace redraft
