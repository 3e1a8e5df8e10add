#include "decoding/model/model_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "decoding/model/sha256.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A store of its own, empty at first.
class ModelStore : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    fs::create_directories(root_);
    if (const char* before = std::getenv("XDG_DATA_HOME")) before_ = before;
    ::setenv("XDG_DATA_HOME", root_.c_str(), 1);
  }
  void TearDown() override {
    if (before_.empty()) {
      ::unsetenv("XDG_DATA_HOME");
    } else {
      ::setenv("XDG_DATA_HOME", before_.c_str(), 1);
    }
    fs::remove_all(root_);
  }
  static void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  fs::path root_ =
      fs::path(::testing::TempDir()) / ("redraft_model_store_test." + std::to_string(::getpid()));
  std::string before_;
};

TEST_F(ModelStore, HashesFiles) {
  write(root_ / "abc", "abc");
  EXPECT_EQ(*sha256_of_file(root_ / "abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_FALSE(sha256_of_file(root_ / "missing"));
}

TEST_F(ModelStore, SaysHowToGetAMissingModel) {
  const auto found = find_model("qwen2.5-coder-0.5b");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message(),
              HasSubstr("qwen2.5-coder-0.5b-instruct-q4_k_m.gguf is missing"));
  EXPECT_THAT(found.error().message(), HasSubstr("`redraft models pull qwen2.5-coder-0.5b`"));
  EXPECT_THAT(found.error().message(), HasSubstr("`redraft models add PATH`"));
}

TEST_F(ModelStore, SaysWhatNamesThereAre) {
  for (const char* name : {"gpt-9", "", ".", "some/where.gguf"}) {
    const auto found = find_model(name);
    ASSERT_FALSE(found) << name;
    EXPECT_THAT(found.error().message(),
                HasSubstr("qwen2.5-coder-1.5b, qwen2.5-coder-0.5b, smollm2-135m"))
        << name;
  }
}

TEST_F(ModelStore, FindsByNameByFileAndByPath) {
  const KnownModel& known = known_models()[0];
  write(model_store_directory() / known.file, "x");
  write(model_store_directory() / "own.gguf", "y");
  EXPECT_EQ(*find_model(known.name), model_store_directory() / known.file);
  EXPECT_EQ(*find_model(known.file), model_store_directory() / known.file);
  EXPECT_EQ(*find_model("own.gguf"), model_store_directory() / "own.gguf");
  write(root_ / "elsewhere.gguf", "z");
  EXPECT_EQ(*find_model((root_ / "elsewhere.gguf").string()), root_ / "elsewhere.gguf");
}

// A workspace is the current folder of many programs, and anybody may have written its files.
TEST_F(ModelStore, NoFileOfTheCurrentFolderStandsInForAModel) {
  const KnownModel& known = known_models()[0];
  write(model_store_directory() / known.file, "x");
  write(model_store_directory() / "own.gguf", "y");
  const fs::path before = fs::current_path();
  const fs::path workspace = root_ / "workspace";
  for (const std::string& name : {known.name, known.file, std::string("own.gguf")})
    write(workspace / name, "of the workspace");
  write(workspace / "other.gguf", "of the workspace");
  write(workspace / "style" / "adapter_config.json", "{}");
  fs::current_path(workspace);
  EXPECT_EQ(*find_model(known.name), model_store_directory() / known.file);
  EXPECT_EQ(*find_model(known.file), model_store_directory() / known.file);
  EXPECT_EQ(*find_model("own.gguf"), model_store_directory() / "own.gguf");
  const auto other = find_model("other.gguf");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message(), HasSubstr("write ./other.gguf"));
  EXPECT_EQ(*find_model("./other.gguf"), "./other.gguf");
  EXPECT_THAT(locate_model("own.gguf+style").error().message(), HasSubstr("./style"));
  EXPECT_EQ(locate_model("own.gguf+./style")->adapter, "./style");
  fs::current_path(before);
}

TEST_F(ModelStore, FindsFolders) {
  for (const fs::path& folder : {model_store_directory() / "Own-Model", root_ / "elsewhere"}) {
    fs::create_directories(folder);
    EXPECT_FALSE(find_model(folder.string())) << "without config.json it is no model";
    write(folder / "config.json", "{}");
    EXPECT_EQ(*find_model(folder.string()), folder);
  }
  EXPECT_EQ(*find_model("Own-Model"), model_store_directory() / "Own-Model");
  const auto added = add_model(root_ / "elsewhere");
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message(), HasSubstr("a folder is used by its path"));
}

TEST_F(ModelStore, FindsAModelWithAnAdapter) {
  const KnownModel& known = known_models()[0];
  write(model_store_directory() / known.file, "x");
  const fs::path adapter = root_ / "runs" / "c++";
  write(adapter / "adapter_config.json", "{}");
  const ModelLocation both(model_store_directory() / known.file, adapter);
  EXPECT_EQ(*locate_model(known.name + "+" + adapter.string()), both);
  EXPECT_EQ(*locate_model(known.name), ModelLocation(both.file));
  // Whatever is a model as a whole is one, and a plus sign may be part of any path.
  const fs::path odd = root_ / "a+b" / "c.gguf";
  write(odd, "y");
  EXPECT_EQ(*locate_model(odd.string()), ModelLocation(odd));
  EXPECT_EQ(*locate_model(odd.string() + "+" + adapter.string()), ModelLocation(odd, adapter));
}

TEST_F(ModelStore, SaysWhetherTheModelOrTheAdapterIsMissing) {
  const KnownModel& known = known_models()[0];
  EXPECT_THAT(locate_model(known.name + "+runs").error().message(),
              HasSubstr("`redraft models pull " + known.name + "`"));
  write(model_store_directory() / known.file, "x");
  for (const std::string& adapter : {std::string(), std::string("runs"), root_.string()}) {
    EXPECT_EQ(locate_model(known.name + "+" + adapter).error().message(),
              "adapter '" + adapter +
                  "': no folder with adapter_config.json and adapter_model.safetensors, as PEFT "
                  "and `redraft tune run` write them");
  }
}

TEST_F(ModelStore, AddsOnlyWhatItKnows) {
  write(root_ / "unknown.gguf", "abc");
  const auto added = add_model(root_ / "unknown.gguf");
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message(), HasSubstr("ba7816bf"));
  EXPECT_THAT(added.error().message(), HasSubstr("can be used by its path"));
  EXPECT_FALSE(fs::exists(model_store_directory()));
  EXPECT_FALSE(add_model(root_ / "missing.gguf"));
}

TEST_F(ModelStore, NoticesDamage) {
  const KnownModel& known = known_models()[1];
  EXPECT_FALSE(verify_model(known));
  write(model_store_directory() / known.file, "damaged");
  const auto verified = verify_model(known);
  ASSERT_FALSE(verified);
  EXPECT_THAT(verified.error().message(), HasSubstr("damaged"));
  EXPECT_THAT(verified.error().message(), HasSubstr("redraft models pull " + known.name));
}

}  // namespace
}  // namespace redraft
