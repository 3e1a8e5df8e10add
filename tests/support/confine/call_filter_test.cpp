// Each case installs a filter in a child and asks there.
#include "support/confine/call_filter.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <functional>
#include <latch>
#include <thread>

namespace redraft {
namespace {

// The exit code of a child that does this; it ends with 0 if nothing is amiss.
int in_a_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// The error of a call that exists everywhere and does nothing.
int error_of_dup3(unsigned long from, unsigned long to, unsigned long flags) {
  errno = 0;
  ::syscall(SYS_dup3, from, to, flags);
  return errno;
}

class CallFilterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!CallFilter::is_available()) GTEST_SKIP() << "this kernel cannot filter system calls";
  }
};

TEST_F(CallFilterTest, RefusesCallsByNumber) {
  CallFilter filter;
  filter.refuse(SYS_dup3);
  filter.refuse(SYS_getppid, ENOSYS);
  EXPECT_EQ(in_a_child([&] {
              if (filter.install(false) != 0) return 1;
              if (error_of_dup3(0, 0, 0) != EPERM) return 2;
              errno = 0;
              if (::syscall(SYS_getppid) != -1 || errno != ENOSYS) return 3;
              return ::syscall(SYS_getpid) > 0 ? 0 : 4;
            }),
            0);
}

// EBADF and EINVAL are what the kernel itself says of these.
TEST_F(CallFilterTest, LooksAtTheLowHalvesOfArguments) {
  constexpr unsigned long kHigh = 1UL << 40;
  CallFilter filter;
  filter.refuse_if(SYS_dup3, 1, 1000);
  filter.refuse_if_any(SYS_dup3, 2, 0x30);
  filter.refuse_unless(SYS_dup3, 0, {900, 901, 902});
  EXPECT_EQ(in_a_child([&] {
              if (filter.install(false) != 0) return 1;
              for (const unsigned long from : {900, 901, 902}) {
                if (error_of_dup3(from, 950, 0) != EBADF) return 2;
                if (error_of_dup3(from | kHigh, 950, 0) != EBADF) return 3;
              }
              if (error_of_dup3(899, 950, 0) != EPERM || error_of_dup3(903, 950, 0) != EPERM)
                return 4;
              if (error_of_dup3(900, 1000, 0) != EPERM) return 5;
              if (error_of_dup3(900, 1000 | kHigh, 0) != EPERM) return 6;
              for (const unsigned long flags : {0x10, 0x20, 0x70})
                if (error_of_dup3(900, 950, flags) != EPERM) return 7;
              return error_of_dup3(900, 950, 0x40) == EINVAL ? 0 : 8;
            }),
            0);
}

TEST_F(CallFilterTest, AllowsOnlyTheListedCalls) {
  CallFilter filter;
  filter.refuse_if(SYS_dup3, 1, 1000);
  filter.allow_only(std::array{SYS_exit_group, SYS_dup3, SYS_rt_sigprocmask});
  EXPECT_EQ(in_a_child([&] {
              if (filter.install(false) != 0) return 1;
              if (error_of_dup3(900, 950, 0) != EBADF) return 2;
              if (error_of_dup3(900, 1000, 0) != EPERM) return 3;
              errno = 0;
              return ::syscall(SYS_getppid) == -1 && errno == EPERM ? 0 : 4;
            }),
            0);
}

TEST_F(CallFilterTest, HoldsForThreadsThatRunAlready) {
  CallFilter filter;
  filter.refuse(SYS_dup3);
  for (const bool all : {false, true}) {
    const int error = in_a_child([&] {
      std::latch installed(1);
      int said = -1;
      std::thread other([&] {
        installed.wait();
        said = error_of_dup3(900, 900, 0);
      });
      if (filter.install(all) != 0) return 1;
      installed.count_down();
      other.join();
      return said;
    });
    EXPECT_EQ(error, all ? EPERM : EINVAL);
  }
}

}  // namespace
}  // namespace redraft
