#include "support/system/processes.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>

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

// What namespaces() says in a child that has left one, if it may.
std::optional<std::string> namespaces_after_leaving(int kind) {
  std::optional<Pipe> pipe = make_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string text = ::unshare(kind) == 0 ? namespaces() : "";
    const ssize_t written = ::write(pipe->write_end.get(), text.data(), text.size());
    ::_exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  pipe->write_end = FileHandle();
  std::array<char, 512> text;
  const ssize_t count = ::read(pipe->read_end.get(), text.data(), text.size());
  ::waitpid(child, nullptr, 0);
  if (count <= 0) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(count));
}

TEST(Processes, NamespacesDifferWithMountsOrUsers) {
  EXPECT_EQ(namespaces(), namespaces());
  EXPECT_EQ(namespaces_after_leaving(0), namespaces()) << "a child is where its parent is";
  const auto with_other_users = namespaces_after_leaving(CLONE_NEWUSER);
  const auto with_other_mounts = namespaces_after_leaving(CLONE_NEWUSER | CLONE_NEWNS);
  if (!with_other_users || !with_other_mounts)
    GTEST_SKIP() << "this system lets users make no namespaces";
  EXPECT_NE(*with_other_users, namespaces());
  EXPECT_NE(*with_other_mounts, namespaces());
  EXPECT_NE(with_other_mounts->substr(0, 16), with_other_users->substr(0, 16)) << "mnt:[…";
}

}  // namespace
}  // namespace redraft
