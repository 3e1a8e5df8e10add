#pragma once

#include <nlohmann/json.hpp>

#include "bench/record.h"

namespace redraft {

// What parse_record reads.
nlohmann::ordered_json to_json(const TaskRecord& record);

// Counts by the name of their source, all of them.
nlohmann::ordered_json counts_by_source(const std::array<std::int64_t, kDraftOriginCount>& counts);

}  // namespace redraft
