#include "support/system/processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/system/descriptors.h"

namespace redraft {
namespace {

TEST(Processes, AZombieRunsNoMore) {
  std::optional<Pipe> pipe = make_pipe();
  ASSERT_TRUE(pipe);
  const pid_t child = ::fork();
  if (child == 0) {
    pipe->write_end = FileHandle();  // else the child would keep its own pipe open
    char byte = 0;
    ::_exit(::read(pipe->read_end.get(), &byte, 1) == 0 ? 0 : 1);
  }
  ASSERT_GT(child, 0);
  EXPECT_TRUE(is_running(child));
  pipe.reset();  // ends the child
  siginfo_t ended = {};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(is_running(child));
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(is_running(child));
}

TEST(Processes, ThisProgramKnowsItsFile) {
  EXPECT_EQ(executable().filename(), "system_test");
  EXPECT_TRUE(std::filesystem::is_regular_file(executable()));
}

}  // namespace
}  // namespace redraft
