#pragma once

#include <filesystem>

namespace redraft {

// Whether the machine runs on mains power. True if that is unknown, as on a machine without a
// battery. `supplies` has a folder for each source of power (Linux's sysfs).
bool on_mains_power(const std::filesystem::path& supplies = "/sys/class/power_supply");

}  // namespace redraft
