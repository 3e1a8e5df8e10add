#pragma once

#include <array>
#include <string_view>

namespace redraft {

// A permanent division of the tasks: settings chosen on one half are reported on the other, which
// had no part in the choice.
enum class Half { kDev, kTest };
inline constexpr std::array kHalves = {Half::kDev, Half::kTest};

const char* to_string(Half half);  // "dev", "test"

// Uses a hash (FNV-1a) of the task's id: the same in every run, file and measure.
Half half_of(std::string_view task_id);

}  // namespace redraft
