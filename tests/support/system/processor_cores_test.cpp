#include "support/system/processor_cores.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace redraft {
namespace {

namespace fs = std::filesystem;

// A machine's files, written as a test describes them.
class ProcessorCoresTest : public testing::Test {
 protected:
  ProcessorCoresTest()
      : root_(fs::temp_directory_path() /
              ("redraft-cores-" + std::to_string(std::random_device()()))) {
    fs::create_directories(root_);
  }
  ~ProcessorCoresTest() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    const fs::path file = root_ / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  static std::string of_cpu(int cpu, const std::string& name) {
    return "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + name;
  }
  void siblings(int cpu, const std::string& list) const {
    write(of_cpu(cpu, "topology/thread_siblings_list"), list + "\n");
  }
  ProcessorCores find(int cpus) const {
    std::vector<int> allowed(static_cast<std::size_t>(cpus));
    std::iota(allowed.begin(), allowed.end(), 0);
    return processor_cores(root_, allowed);
  }

  fs::path root_;
};

TEST_F(ProcessorCoresTest, SiblingsCountOnce) {
  for (int cpu = 0; cpu < 8; ++cpu) {
    const int core = cpu % 4;
    siblings(cpu, std::to_string(core) + "," + std::to_string(core + 4));
  }
  EXPECT_EQ(find(8).cores, 4);
  EXPECT_EQ(find(8).hardware_threads, 8);
  EXPECT_EQ(find(8).threads(), 4);
  EXPECT_EQ(find(8).description(), "4 physical cores, 8 hardware threads");
  // Both threads of one core and one of another are all that this process may use.
  EXPECT_EQ(processor_cores(root_, std::vector<int>{1, 5, 6}).threads(), 2);
  EXPECT_EQ(processor_cores(root_, std::vector<int>{7}).threads(), 1);
}

TEST_F(ProcessorCoresTest, WithoutFilesEachHardwareThreadIsACore) {
  EXPECT_EQ(find(3).threads(), 3);
  EXPECT_EQ(find(0).threads(), 1);
  EXPECT_EQ(find(3).description(), "3 physical cores");
}

TEST_F(ProcessorCoresTest, NonsenseAboutSiblingsCountsForNothing) {
  for (const std::string& text :
       {std::string("x"), std::string("-1"), std::string("0-"), std::string("1-0"),
        std::string("0-4294967296"), std::string("0-2147483647"), std::string("99999999999"),
        std::string("1"), std::string("0,,1"), std::string("0 1"), std::string(),
        std::string("\n0"), std::string("\0", 1), std::string(1 << 20, '0'), std::string("0-63")}) {
    siblings(0, text);
    EXPECT_EQ(find(2).cores, 2) << text.substr(0, 40);
  }
  fs::remove(root_ / of_cpu(0, "topology/thread_siblings_list"));
  fs::create_directories(root_ / of_cpu(0, "topology/thread_siblings_list"));
  EXPECT_EQ(find(2).cores, 2);
}

// 2 fast cores with two threads each, 4 efficiency cores, 2 that are hardly worth the name.
TEST_F(ProcessorCoresTest, CountsTheFastEnoughCoresOfAHybridProcessor) {
  for (const int cpu : {0, 1, 2, 3}) siblings(cpu, cpu < 2 ? "0-1" : "2-3");
  const int ratings[] = {1024, 1024, 1010, 1010, 620, 620, 620, 620, 300, 300};
  for (int cpu = 0; cpu < 10; ++cpu)
    write(of_cpu(cpu, "cpu_capacity"), std::to_string(ratings[cpu]) + "\n");
  const ProcessorCores found = find(10);
  EXPECT_EQ(found.cores, 8);
  EXPECT_EQ(found.efficient, 6);
  EXPECT_EQ(found.too_slow, 2);
  EXPECT_EQ(found.threads(), 6);
  EXPECT_EQ(found.description(), "8 physical cores (6 of them slower), 10 hardware threads");
  // On the slow ones alone they are as good as any.
  EXPECT_EQ(processor_cores(root_, std::vector<int>{8, 9}).threads(), 2);
  EXPECT_EQ(processor_cores(root_, std::vector<int>{8, 9}).efficient, 0);
}

TEST_F(ProcessorCoresTest, EfficiencyCoresAreKnownByNameWhereNothingIsRated) {
  write("sys/devices/cpu_core/cpus", "0-3\n");
  write("sys/devices/cpu_atom/cpus", "4-7\n");
  EXPECT_EQ(find(8).efficient, 4);
  EXPECT_EQ(find(8).threads(), 8);
  write(of_cpu(0, "cpu_capacity"), "1024\n");  // of one alone: that says nothing
  write(of_cpu(1, "cpu_capacity"), "much\n");
  EXPECT_EQ(find(8).efficient, 4);
  EXPECT_EQ(find(8).threads(), 8);
}

TEST_F(ProcessorCoresTest, AContainerOfNProcessorsUsesN) {
  write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(find(8).quota, 2);
  EXPECT_EQ(find(8).threads(), 2);
  EXPECT_EQ(find(1).threads(), 1);
  EXPECT_EQ(find(8).description(), "8 physical cores, a quota of 2");
  write("sys/fs/cgroup/cpu.max", "250000 100000\n");
  EXPECT_EQ(find(8).threads(), 3);
  write("sys/fs/cgroup/cpu.max", "1000 100000\n");
  EXPECT_EQ(find(8).threads(), 1);
  for (const char* none : {"max 100000\n", "max", "", "100000", "0 100000\n", "-5 100000\n",
                           "100000 0\n", "nan 1\n", "inf 1\n", "1e308 1e-308\n", "1 1 1\n"}) {
    write("sys/fs/cgroup/cpu.max", none);
    EXPECT_EQ(find(8).threads(), 8) << none;
  }
}

TEST_F(ProcessorCoresTest, TheLowestQuotaOfAllGroupsAroundCounts) {
  write("proc/self/cgroup", "0::/user.slice/app.scope\n");
  write("sys/fs/cgroup/user.slice/cpu.max", "300000 100000\n");
  write("sys/fs/cgroup/user.slice/app.scope/cpu.max", "500000 100000\n");
  EXPECT_EQ(find(8).threads(), 3);
  write("proc/self/cgroup", "0::/../../etc\n:\nno group\n7:cpu\n");
  EXPECT_EQ(find(8).threads(), 8);
}

TEST_F(ProcessorCoresTest, VersionOneOfCgroupsIsReadToo) {
  write("proc/self/cgroup", "9:memory:/docker/1f\n4:cpuacct,cpu:/docker/1f\n0::/\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(find(8).threads(), 8);
  write("sys/fs/cgroup/cpu/docker/1f/cpu.cfs_quota_us", "400000\n");
  write("sys/fs/cgroup/cpu/docker/1f/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(find(8).threads(), 4);
}

TEST(ProcessorCores, ThisMachineHasAtLeastOne) {
  const ProcessorCores found = processor_cores();
  EXPECT_GE(found.threads(), 1);
  EXPECT_LE(found.threads(), found.hardware_threads);
}

}  // namespace
}  // namespace redraft
