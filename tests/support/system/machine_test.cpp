#include "support/system/machine.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "tests/kit/temp_folder.h"

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

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// A machine of 64 GiB, half of them free.
class MachineMemoryTest : public testing::Test {
 protected:
  MachineMemoryTest() {
    root_.write("proc/meminfo",
                "MemTotal:       67108864 kB\nMemFree: 5 kB\nMemAvailable:   33554432 kB\n");
  }

  // Writes a limit, what is used, and how much of that are cached files.
  void limit(const std::string& group, std::uint64_t max, std::uint64_t used, std::uint64_t files) {
    root_.write(group + "/memory.max", std::to_string(max * kMiB) + "\n");
    root_.write(group + "/memory.current", std::to_string(used * kMiB) + "\n");
    root_.write(group + "/memory.stat",
                "anon 5\ninactive_file " + std::to_string(files * kMiB) + "\n");
  }
  MachineMemory found() const { return machine_memory(root_.path()); }

  TempFolder root_;
};

TEST_F(MachineMemoryTest, IsThatOfTheMachineWithoutALimit) {
  EXPECT_EQ(found().total_bytes, 64 * 1024 * kMiB);
  EXPECT_EQ(found().available_bytes, 32 * 1024 * kMiB);
  for (const char* none : {"max\n", "", "-1\n", "9223372036854771712\n", "much\n"}) {
    root_.write("sys/fs/cgroup/memory.max", none);
    root_.write("sys/fs/cgroup/memory.current", "1048576\n");
    EXPECT_EQ(found().available_bytes, 32 * 1024 * kMiB) << none;
  }
}

TEST_F(MachineMemoryTest, AContainerLeavesWhatItDoesNotHold) {
  limit("sys/fs/cgroup", 2048, 1500, 1000);
  EXPECT_EQ(found().total_bytes, 2048 * kMiB);
  EXPECT_EQ(found().available_bytes, 1548 * kMiB);
  limit("sys/fs/cgroup", 2048, 3000, 0);
  EXPECT_EQ(found().available_bytes, 0U);
}

TEST_F(MachineMemoryTest, TheTightestGroupAroundCounts) {
  root_.write("proc/self/cgroup", "0::/user.slice/app.scope\n");
  limit("sys/fs/cgroup/user.slice", 1024, 300, 0);
  limit("sys/fs/cgroup/user.slice/app.scope", 4096, 100, 0);
  EXPECT_EQ(found().available_bytes, 724 * kMiB);
}

TEST_F(MachineMemoryTest, VersionOneOfCgroupsIsReadToo) {
  root_.write("proc/self/cgroup", "9:memory:/docker/1f\n");
  const std::string group = "sys/fs/cgroup/memory/docker/1f/";
  root_.write(group + "memory.limit_in_bytes", std::to_string(512 * kMiB));
  root_.write(group + "memory.usage_in_bytes", std::to_string(200 * kMiB));
  root_.write(group + "memory.stat",
              "inactive_file 1\ntotal_inactive_file " + std::to_string(50 * kMiB));
  EXPECT_EQ(found().available_bytes, 362 * kMiB);
}

}  // namespace
}  // namespace redraft
