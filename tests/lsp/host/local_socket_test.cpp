#include "lsp/host/local_socket.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <optional>
#include <string>

namespace redraft::lsp {
namespace {

namespace fs = std::filesystem;

class LocalSocketTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = (fs::temp_directory_path() / "redraft_socket_XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    path_ = folder_ / "socket";
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_, path_;
};

TEST_F(LocalSocketTest, ListensForThisUserAlone) {
  const mode_t before = ::umask(0);
  {
    const Result<LocalSocket> socket = LocalSocket::listen(path_);
    ::umask(before);
    ASSERT_TRUE(socket) << socket.error().message();
    EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_TRUE(connect_to(path_));
    EXPECT_FALSE(LocalSocket::listen(path_));
  }
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_FALSE(connect_to(path_));
}

TEST_F(LocalSocketTest, WhatAnotherPutInItsPlaceStays) {
  const fs::path aside = folder_ / "aside";
  std::optional<LocalSocket> second;
  {
    const Result<LocalSocket> first = LocalSocket::listen(path_);
    ASSERT_TRUE(first);
    // Someone cleans up the folder, and another server starts.
    fs::rename(path_, aside);
    fs::remove(path_.string() + ".lock");
    Result<LocalSocket> begun = LocalSocket::listen(path_);
    ASSERT_TRUE(begun) << begun.error().message();
    second.emplace(std::move(*begun));
  }
  EXPECT_TRUE(connect_to(path_));
  EXPECT_FALSE(LocalSocket::listen(path_));
}

}  // namespace
}  // namespace redraft::lsp
