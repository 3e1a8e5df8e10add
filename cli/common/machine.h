#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace redraft::cli {

// Cores this process may use, counting those that share one core's execution units once and heeding
// a container's quota; at least 1.
int physical_cores();

std::string cpu_name();

struct Memory {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;
};
Memory memory();

// This program's own file.
std::filesystem::path executable();

}  // namespace redraft::cli
