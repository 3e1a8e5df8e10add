#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace redraft {

// The processor's name as /proc/cpuinfo gives it. Arm's processors give numbers instead, of which
// different kinds of cores have different ones: "AArch64 processor 0x41/0xd05, 0x41/0xd0b".
std::string cpu_name(const std::filesystem::path& cpuinfo = "/proc/cpuinfo");

// Of the machine, or of the container that limits this process to less. 0: not known.
struct MachineMemory {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;
};
// Below `root` are /proc and /sys.
MachineMemory machine_memory(const std::filesystem::path& root = "/");

}  // namespace redraft
