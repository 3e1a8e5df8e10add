#include "cli/shared_server.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>

#include "support/system/descriptors.h"

namespace redraft::cli {
namespace {

std::string key_of(const ServerChoices& choices) { return shared_server(choices, 30).key; }

// In a child that has left these namespaces; none: it may not.
std::optional<std::string> key_elsewhere(int namespaces) {
  std::optional<Pipe> pipe = make_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string key = ::unshare(namespaces) == 0 ? key_of({}) : "";
    const ssize_t written = ::write(pipe->write_end.get(), key.data(), key.size());
    ::_exit(written == static_cast<ssize_t>(key.size()) ? 0 : 1);
  }
  pipe->write_end = FileHandle();
  std::array<char, 64> text;
  const ssize_t count = ::read(pipe->read_end.get(), text.data(), text.size());
  ::waitpid(child, nullptr, 0);
  if (count <= 0) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(count));
}

TEST(SharedServer, ItsKeyIsTheSameForTheSameChoices) {
  EXPECT_EQ(key_of({}), key_of({}));
  EXPECT_EQ(key_elsewhere(0), key_of({}));
}

TEST(SharedServer, WhatHoldsForAllItsClientsIsInItsKey) {
  const std::string plain = key_of({});
  EXPECT_NE(key_of({.no_index = true}), plain);
  EXPECT_NE(key_of({.no_kv_cache = true}), plain);
  EXPECT_NE(key_of({.no_confinement = true}), plain);
  EXPECT_NE(key_of({.common_folders = {"/a"}}), plain);
}

// Of a container, a toolbox: paths and process ids mean something else there.
TEST(SharedServer, AClientThatSeesOtherMountsOrUsersHasItsOwn) {
  const auto other = key_elsewhere(CLONE_NEWUSER);
  const auto both = key_elsewhere(CLONE_NEWUSER | CLONE_NEWNS);
  if (!other || !both) GTEST_SKIP() << "this system lets users make no namespaces";
  EXPECT_NE(*other, key_of({}));
  EXPECT_NE(*both, key_of({}));
  EXPECT_NE(*both, *other);
}

}  // namespace
}  // namespace redraft::cli
