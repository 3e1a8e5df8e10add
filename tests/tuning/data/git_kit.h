#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/kit/temp_folder.h"
#include "tuning/data/program.h"

namespace redraft {

// A repository in a temporary folder.
class TestRepository {
 public:
  TestRepository() { git({"init", "--quiet", "--initial-branch=main"}); }

  const TempFolder& folder() const { return folder_; }
  void write(std::string_view file, std::string_view text) const { folder_.write(file, text); }
  void commit(const std::string& message) const {
    git({"add", "--all"});
    git({"commit", "--quiet", "--allow-empty", "-m", message});
  }
  std::string git(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = {"git", "-C", folder_.path().string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const char* path = std::getenv("PATH");
    const Result<std::string> out =
        run_program(all,
                    {std::string("PATH=") + (path ? path : "/usr/bin:/bin"), "HOME=/nonexistent",
                     "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example",
                     "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example"},
                    {});
    return out ? *out : "error: " + out.error().message();
  }

 private:
  TempFolder folder_;
};

}  // namespace redraft
