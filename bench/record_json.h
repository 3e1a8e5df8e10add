#pragma once

#include <nlohmann/json.hpp>

#include "bench/record.h"

namespace redraft {

// The object that parse_record reads.
nlohmann::ordered_json to_json(const TaskRecord& record);
// Adds a member for each count to an object.
void write_searches(const SearchCounts& searches, nlohmann::ordered_json& json);

}  // namespace redraft
