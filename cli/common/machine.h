#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace redraft::cli {

// The cores that this process may use, within a container's quota. Hardware threads that share a
// core's execution units count once; at least 1.
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
