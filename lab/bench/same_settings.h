#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/json/json_document.h"

namespace redraft::cli {

// The first member of `wanted`, or of `stored`, in which the two objects differ; nothing if they do
// not. Members named in `ignored` are not compared. A task file is the same if its hash is,
// whatever it is called.
std::optional<std::string> first_difference(const JsonValue& stored,
                                            const nlohmann::ordered_json& wanted,
                                            const std::vector<std::string>& ignored);

}  // namespace redraft::cli
