#include "support/files/user_folders.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "support/files/private_folder.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

constexpr uid_t kAnother = 12345;

// Whether `is_so` holds in a process with this home and none of the other variables.
bool with_home(const std::filesystem::path& home, const std::function<bool()>& is_so) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const char* variable : {"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
                                 "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HOME"})
      ::unsetenv(variable);
    if (!home.empty()) ::setenv("HOME", home.c_str(), 1);
    ::_exit(is_so() ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

TEST(UserFolders, WithoutAHomeThereAreNone) {
  const auto none = [] {
    return !user_cache_folder() && !user_state_folder() && !user_data_folder() &&
           !private_runtime_folder();
  };
  EXPECT_TRUE(with_home("", none));
  EXPECT_TRUE(with_home("relative", none));
}

TEST(UserFolders, AHomeOfOnesOwnIsUsed) {
  const TempFolder home;
  EXPECT_TRUE(with_home(home.path(), [&] {
    return user_cache_folder() == home / ".cache" && user_state_folder() == home / ".local/state" &&
           private_runtime_folder() && !belongs_to_another(home / "a/b");
  }));
}

// As `sudo -E` does it.
TEST(UserFolders, RootWritesNothingIntoTheHomeOfAnother) {
  if (::geteuid() != 0) GTEST_SKIP() << "this needs root";
  const TempFolder home;
  ASSERT_EQ(::chown(home.path().c_str(), kAnother, kAnother), 0);
  const auto nothing = [&] {
    ::setenv("XDG_RUNTIME_DIR", home.path().c_str(), 1);
    return !user_cache_folder() && !user_state_folder() && !private_runtime_folder() &&
           belongs_to_another(home / ".local/share/redraft");
  };
  EXPECT_TRUE(with_home(home.path(), nothing));
  EXPECT_TRUE(std::filesystem::is_empty(home.path()));
  EXPECT_TRUE(with_home(home.path(), [&] { return user_data_folder() == home / ".local/share"; }))
      << "its models can be read";
}

}  // namespace
}  // namespace redraft
