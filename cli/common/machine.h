#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace redraft::cli {

std::string cpu_name();

struct Memory {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;
};
Memory memory();

// This program's own file.
std::filesystem::path executable();

}  // namespace redraft::cli
