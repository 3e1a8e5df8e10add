#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace redraft {

// The processor's name as /proc/cpuinfo gives it. Arm processors have numbers instead, which differ
// between kinds of cores: "AArch64 processor 0x41/0xd05, 0x41/0xd0b".
std::string cpu_name(const std::filesystem::path& cpuinfo = "/proc/cpuinfo");

// The memory of the machine, or of the container if that limits this process to less. 0: unknown.
struct MachineMemory {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;
};
// `root` contains /proc and /sys.
MachineMemory machine_memory(const std::filesystem::path& root = "/");

}  // namespace redraft
