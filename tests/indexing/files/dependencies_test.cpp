#include "indexing/files/dependencies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class DependencyFolders : public testing::Test {
 protected:
  void make(const std::string& file) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << "x";
  }
  std::vector<std::string> find() const {
    std::vector<std::string> names;
    for (const fs::path& folder : dependency_folders(std::vector{root_}))
      names.push_back(folder.lexically_relative(root_).string());
    return names;
  }

  TempFolder scratch_;
  fs::path root_ = scratch_.path() / "work";
};

TEST_F(DependencyFolders, AreFoundWhereverPackageManagersPutThem) {
  make("node_modules/a/node_modules/b/index.js");
  make("packages/site/node_modules/c/index.js");
  make(".venv/lib/python3.12/site-packages/d.py");
  make("tools/env/lib/python3.12/site-packages/e.py");
  make("go/vendor/modules.txt");
  make("rust/vendor/serde/.cargo-checksum.json");
  make("php/vendor/autoload.php");
  EXPECT_THAT(find(), ElementsAre(".venv/lib/python3.12/site-packages", "go/vendor", "node_modules",
                                  "packages/site/node_modules", "php/vendor", "rust/vendor",
                                  "tools/env/lib/python3.12/site-packages"));
}

TEST_F(DependencyFolders, AreNotWhatSomebodyWrote) {
  make("src/vendor/mine.go");
  make(".git/node_modules/x.js");
  make("node_modules.txt");
  make("1/2/3/4/5/6/7/node_modules/deep.js");
  fs::create_directories(scratch_.path() / "elsewhere" / "node_modules");
  fs::create_directory_symlink(scratch_.path() / "elsewhere", root_ / "link");
  fs::create_directory_symlink(scratch_.path() / "elsewhere" / "node_modules",
                               root_ / "node_modules");
  EXPECT_THAT(find(), IsEmpty());
  EXPECT_THAT(dependency_folders(std::vector{root_ / "missing"}), IsEmpty());
}

}  // namespace
}  // namespace redraft
