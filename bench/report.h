#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bench/record.h"
#include "bench/task.h"

namespace redraft {

// The output of `redraft bench --out`: {settings, tasks, skipped, summary}. `tasks` has one object
// per decode, with its speed-up over plain decoding. `summary` has one per decoder, which for
// dialogues contains its `turns`, and where tasks have a category or a repository its `categories`
// (of each turn).
nlohmann::ordered_json bench_report(const nlohmann::ordered_json& settings,
                                    std::span<const TaskRecord> records,
                                    std::span<const SkippedTask> skipped);

}  // namespace redraft
