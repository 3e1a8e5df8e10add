#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace redraft {

// The processor's name as /proc/cpuinfo gives it. Arm's processors give numbers instead, of which
// different kinds of cores have different ones: "AArch64 processor 0x41/0xd05, 0x41/0xd0b".
std::string cpu_name(const std::filesystem::path& cpuinfo = "/proc/cpuinfo");

struct MachineMemory {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;
};
MachineMemory machine_memory();

}  // namespace redraft
