#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "workspace/apply/change_mismatch.h"

namespace redraft::cli {

// On stderr: why parts of a change have no place, the closest lines and what is different there.
void print_mismatches(const std::vector<Mismatch>& mismatches);

// The same as a list of objects with "part", "kind", "reason", "regions" (from 1, the last line is
// part of them) and "lines".
nlohmann::ordered_json to_json(const std::vector<Mismatch>& mismatches);

// On stdout: {"placed": false, "mismatches": [...]}.
void print_unplaced_json(const std::vector<Mismatch>& mismatches);

}  // namespace redraft::cli
