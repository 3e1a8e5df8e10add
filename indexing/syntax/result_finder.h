#pragma once

#include <string_view>
#include <vector>

#include "indexing/syntax/grammar_table.h"
#include "indexing/syntax/signatures.h"

namespace redraft {

// In the order in which the calls stand. None if the language's functions return one value.
std::vector<ResultMismatch> find_result_mismatches(const Grammar& grammar, std::string_view text,
                                                   const TSNode& root);

}  // namespace redraft
