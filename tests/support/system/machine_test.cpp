#include "support/system/machine.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

namespace redraft {
namespace {

namespace fs = std::filesystem;

std::string name_in(const std::string& text) {
  const fs::path file =
      fs::temp_directory_path() / ("redraft-cpuinfo-" + std::to_string(std::random_device()()));
  std::ofstream(file, std::ios::binary) << text;
  std::string name = cpu_name(file);
  fs::remove(file);
  return name;
}

TEST(Machine, AProcessorIsCalledWhatItSays) {
  EXPECT_EQ(name_in("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n\nprocessor\t: 1\n"
                    "model name\t: Some CPU @ 2 GHz\n"),
            "Some CPU @ 2 GHz");
}

TEST(Machine, ArmsProcessorsAreCalledByTheNumbersOfTheirCores) {
  const auto core = [](const std::string& part) {
    return "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\n"
           "CPU part\t: " +
           part + "\nCPU revision\t: 2\n\n";
  };
  EXPECT_EQ(name_in(core("0xd0c")), "AArch64 processor 0x41/0xd0c");
  EXPECT_EQ(name_in(core("0xd0b") + core("0xd05") + core("0xd05")),
            "AArch64 processor 0x41/0xd05, 0x41/0xd0b");
}

TEST(Machine, AProcessorThatSaysNothingIsUnknown) {
  for (const char* text : {"", "model name\t:\n", "CPU part\t: 0xd0c\n", "flags: fpu\n"})
    EXPECT_EQ(name_in(text), "unknown processor") << text;
  EXPECT_EQ(cpu_name("/no/such/file"), "unknown processor");
}

TEST(Machine, HasMemory) {
  const MachineMemory memory = machine_memory();
  EXPECT_GT(memory.available_bytes, 0U);
  EXPECT_GE(memory.total_bytes, memory.available_bytes);
}

}  // namespace
}  // namespace redraft
