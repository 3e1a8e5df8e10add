#include "decoding/kernels/child_check.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace redraft::kernels {
namespace {

TEST(ChildCheck, TellsWhatTheCheckSays) {
  EXPECT_TRUE(holds_in_a_child([] { return true; }));
  EXPECT_FALSE(holds_in_a_child([] { return false; }));
}

TEST(ChildCheck, NeedsNoSignalOfTheChildsEnd) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  EXPECT_TRUE(holds_in_a_child([] { return true; }));
  EXPECT_FALSE(holds_in_a_child([] { return false; }));
  signal(SIGCHLD, before);
}

// An illegal instruction, and a write to an invalid address.
TEST(ChildCheck, AFaultIsANo) {
  EXPECT_FALSE(holds_in_a_child([]() -> bool { __builtin_trap(); }));
  EXPECT_FALSE(holds_in_a_child([] {
    volatile int* volatile nowhere = nullptr;
    *nowhere = 1;
    return true;
  }));
}

}  // namespace
}  // namespace redraft::kernels
