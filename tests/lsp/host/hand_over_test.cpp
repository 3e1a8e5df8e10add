#include "lsp/host/hand_over.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace redraft::lsp {
namespace {

class HandOverTest : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    here_ = FileHandle(ends[0]);
    there_ = FileHandle(ends[1]);
  }
  FileHandle here_, there_;
};

TEST_F(HandOverTest, BothDescriptorsArriveInOrder) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  FileHandle in(pipe[0]);
  FileHandle out(pipe[1]);
  ASSERT_TRUE(hand_over(here_.get(), in.get(), out.get()));
  in = FileHandle();
  out = FileHandle();
  const std::optional<HandedOver> taken = take_over(there_.get());
  ASSERT_TRUE(taken);
  ASSERT_EQ(::write(taken->out.get(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(::read(taken->in.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
}

TEST_F(HandOverTest, AnythingElseIsRefused) {
  EXPECT_FALSE(take_over(there_.get())) << "nothing has come";
  ASSERT_EQ(::write(here_.get(), &kTaken, 1), 1);
  EXPECT_FALSE(take_over(there_.get())) << "a byte without descriptors";
  ASSERT_EQ(::write(here_.get(), "Content-Length: 2", 17), 17);
  EXPECT_FALSE(take_over(there_.get()));
  here_ = FileHandle();
  EXPECT_FALSE(take_over(there_.get())) << "the other end is closed";
}

TEST_F(HandOverTest, NobodyTakesIt) {
  there_ = FileHandle();
  EXPECT_FALSE(hand_over(here_.get(), STDIN_FILENO, STDERR_FILENO));
}

}  // namespace
}  // namespace redraft::lsp
