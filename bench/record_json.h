#pragma once

#include <nlohmann/json.hpp>

#include "bench/record.h"

namespace redraft {

// The object that parse_record reads.
nlohmann::ordered_json to_json(const TaskRecord& record);

}  // namespace redraft
