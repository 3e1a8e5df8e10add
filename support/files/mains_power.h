#pragma once

#include <filesystem>

namespace redraft {

// Whether the machine does not run on its battery. True where that cannot be told, as on a machine
// without one. `supplies` has a folder for each source of power (Linux's sysfs).
bool on_mains_power(const std::filesystem::path& supplies = "/sys/class/power_supply");

}  // namespace redraft
