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
// The part of the program that needs libtorch, where it is a library: beside the program where that
// was built, in lib/redraft where it is installed. It need not exist.
std::filesystem::path transformer_library();

}  // namespace redraft::cli
