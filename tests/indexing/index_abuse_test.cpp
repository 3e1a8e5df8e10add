// What users do to an index: they kill its process, and have unexpected files.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "tests/indexing/index_compare.h"
#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr int kNames = 12;

std::string name_of(int number) { return "value_" + std::to_string(number); }

class IndexAbuse : public testing::Test {
 protected:
  std::unique_ptr<WorkspaceIndex> open() const {
    Result<StoreFolder> folder = StoreFolder::open(scratch_.path() / "store", 1);
    if (!folder) throw std::runtime_error(folder.error().message());
    auto store = std::make_unique<TextStore>(std::move(*folder));
    if (const Result<void> loaded = store->load(); !loaded)
      throw std::runtime_error(loaded.error().message());
    return std::make_unique<WorkspaceIndex>(std::vector{root_}, byte_tokenizer(), std::move(store));
  }
  std::unique_ptr<WorkspaceIndex> fresh() const {
    auto index = std::make_unique<WorkspaceIndex>(std::vector{root_}, byte_tokenizer(),
                                                  std::make_unique<TextStore>());
    index->refresh();
    return index;
  }
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  // Creates, changes, moves and deletes some files.
  void change(std::mt19937& random) const {
    for (int i = 0; i < 8; ++i) {
      const auto some_file = [&] {
        return root_ / ("folder " + std::to_string(random() % 3)) /
               (std::to_string(random() % 20) + ".py");
      };
      const fs::path file = some_file();
      std::error_code missing;
      if (random() % 4 == 0) fs::remove(file, missing);
      if (random() % 4 == 0) fs::rename(file, some_file(), missing);
      std::string text;
      for (std::size_t line = random() % 30; line > 0; --line) {
        const std::string name = name_of(static_cast<int>(random() % kNames));
        text += "def " + name + "():\n    return " + std::to_string(random()) + "\n";
      }
      write(file, text);
      // File systems with a coarse clock would show no change.
      fs::last_write_time(
          file, fs::file_time_type::clock::now() + std::chrono::nanoseconds(random()), missing);
    }
  }

  TempFolder scratch_;
  fs::path root_ = scratch_.path() / "workspace";
};

// Of a whole index, not only its store: files are read, merged and saved at that time.
TEST_F(IndexAbuse, AfterAKillTheNextStartAnswersAsAFreshBuild) {
  std::mt19937 random(11);
  std::vector<std::string> contexts;
  for (int i = 0; i < kNames; ++i) contexts.push_back(name_of(i));
  int killed = 0;
  for (int round = 0; round < 200; ++round) {
    change(random);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::mt19937 own(static_cast<unsigned>(round));
      const auto index = open();
      for (;;) {
        index->refresh();
        index->store().merge();
        if (!index->store().save()) _exit(1);
        const fs::path file = root_ / "folder 0" / (std::to_string(own() % 20) + ".py");
        index->set_buffer(file, "def " + name_of(1) + "():\n    pass\n");
        if (!index->store().save()) _exit(1);
        index->close_buffer(file);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself, with " << WEXITSTATUS(status);
    ++killed;
    const auto index = open();
    index->refresh();
    expect_equal(*index, *fresh(), *byte_tokenizer(), contexts);
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
  EXPECT_EQ(killed, 200);
}

TEST_F(IndexAbuse, OneLineOfFiftyMegabytesIsLeftOut) {
  write(root_ / "line.py", std::string(50 << 20, 'x'));
  write(root_ / "a.py", name_of(1) + " = 1\n");
  const auto index = open();
  const RefreshReport report = index->refresh();
  EXPECT_EQ(report.read, 1U);
  EXPECT_EQ(report.scan.skipped_for(SkipReason::kTooLarge), 1U);
  EXPECT_EQ(report.read_bytes, fs::file_size(root_ / "a.py"));
}

TEST_F(IndexAbuse, ABufferThatGrowsBeyondWhatIsIndexedDoesNotAnswer) {
  write(root_ / "a.py", "def " + name_of(1) + "():\n    pass\n");
  const auto index = open();
  index->refresh();
  index->set_buffer(root_ / "a.py", "def " + name_of(1) + "():\n" + std::string(2 << 20, 'x'));
  EXPECT_EQ(index->store().statistics().tokens, 0U);
  EXPECT_TRUE(index->snapshot()->definitions(name_of(1), 1).empty());
  index->set_buffer(root_ / "a.py", "def " + name_of(1) + "():\n    return 1\n");
  EXPECT_EQ(index->snapshot()->definitions(name_of(1), 1).size(), 1U);
}

// A tidy user empties the cache while the index is in use.
TEST_F(IndexAbuse, WithoutItsFolderItGoesOnInMemoryAndTheNextStartReadsAnew) {
  std::mt19937 random(8);
  std::vector<std::string> contexts;
  for (int i = 0; i < kNames; ++i) contexts.push_back(name_of(i));
  auto index = open();
  change(random);
  index->refresh();
  ASSERT_TRUE(index->store().save());
  fs::remove_all(scratch_.path() / "store");
  expect_equal(*index, *fresh(), *byte_tokenizer(), contexts);
  for (int round = 0; round < 3; ++round) {
    change(random);
    index->refresh();
    index->store().merge();
    const Result<void> saved = index->store().save();
    if (!saved) {
      EXPECT_NE(saved.error().message().find("store"), std::string::npos);
    }
    expect_equal(*index, *fresh(), *byte_tokenizer(), contexts);
  }
  index.reset();
  index = open();
  index->refresh();
  expect_equal(*index, *fresh(), *byte_tokenizer(), contexts);
}

}  // namespace
}  // namespace redraft
