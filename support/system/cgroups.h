#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace redraft {

// Calls `look(folder, unified)` for each of Linux's control groups that limit this process by
// `controller` ("cpu", "memory"): its own and the enclosing ones, of version 2 (`unified`) and 1.
// `root` contains proc/self/cgroup, with lines such as "0::/user.slice" (version 2) and
// "4:cpu,cpuacct:/docker/1f" (version 1), and sys/fs/cgroup.
void for_each_cgroup(const std::filesystem::path& root, std::string_view controller,
                     const std::function<void(const std::filesystem::path&, bool)>& look);

// The beginning of one of the kernel's files, at most a few kilobytes; empty if it cannot be read.
std::string first_line(const std::filesystem::path& file);

}  // namespace redraft
