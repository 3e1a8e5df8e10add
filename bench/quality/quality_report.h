#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "bench/quality/figures.h"
#include "bench/quality/quality_record.h"

namespace redraft {

// A table in Markdown for each measure, with a line for each set of tasks and each half that was
// run. Below its title are the number of tasks, and from the settings the model, the command and
// the instruction set.
std::string quality_report(const nlohmann::ordered_json& settings,
                           std::span<const QualityRecord* const> records);

// A figure for readers: a share as a percentage, a mean as a number.
std::string text_of(FigureKind kind, double value);
// "[18, 45]", as text_of(); empty without one. With `is_difference` its ends have signs.
std::string text_of(FigureKind kind, const std::optional<Interval>& interval,
                    bool is_difference = false);

// A member of the settings as text; empty: it is missing or not a text.
std::string setting(const nlohmann::ordered_json& settings, const char* key);

}  // namespace redraft
