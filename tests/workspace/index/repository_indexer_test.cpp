#include "workspace/index/repository_indexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <future>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "support/enter_state.h"
#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/hang_limit.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using Stage = RepositoryIndexer::Stage;
using enum RepositoryIndexer::Stage;
using testing::ElementsAre;
using Arrow = std::pair<Stage, Stage>;

constexpr Stage kStages[] = {kOpening, kFailed, kUnwatched, kReading,
                             kUnsaved, kSaving, kSaved,     kFollowing};

// The stages of an indexer, as its threads enter them.
class Stages {
 public:
  void add(Stage stage) {
    const std::lock_guard lock(mutex_);
    all_.push_back(stage);
    changed_.notify_all();
  }
  // False: the stages are others after two minutes.
  bool wait_for(const std::vector<Stage>& wanted) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kHangLimit, [&] { return all_ == wanted; });
  }
  std::vector<Stage> all() {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Stage> all_ = {kOpening};
};

class RepositoryIndexerTest : public testing::Test {
 protected:
  static constexpr auto kNever = std::chrono::hours(24);
  static constexpr auto kAtOnce = std::chrono::milliseconds(0);

  RepositoryIndexerTest() { fs::create_directories(root_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(root_ / name, std::ios::binary) << text;
  }
  Result<std::unique_ptr<WorkspaceIndex>> open_index() const {
    Result<StoreFolder> folder = StoreFolder::open(scratch_.path() / "store", 1);
    if (!folder) return folder.error();
    auto store = std::make_unique<TextStore>(std::move(*folder));
    if (Result<void> loaded = store->load(); !loaded) return loaded.error();
    return std::make_unique<WorkspaceIndex>(std::vector{root_}, byte_tokenizer(), std::move(store));
  }
  std::size_t n_saved() const {
    const Result<std::unique_ptr<WorkspaceIndex>> index = open_index();
    return index ? (*index)->store().statistics().texts : 0;
  }
  std::unique_ptr<RepositoryIndexer> start(bool watch, std::chrono::milliseconds quiet,
                                           std::chrono::milliseconds reader_interval = kNever,
                                           std::chrono::milliseconds save_interval = kAtOnce) {
    return std::make_unique<RepositoryIndexer>(
        [this](std::string&) { return open_index(); },
        [this](const IndexStatus& status) { hear(status); },
        RepositoryIndexer::Options{.watch = watch,
                                   .quiet = quiet,
                                   .save_interval = save_interval,
                                   .reader_interval = reader_interval,
                                   .on_stage = [this](Stage stage) { stages_.add(stage); }});
  }
  void hear(const IndexStatus& status) {
    if (status.state == IndexStatus::State::kReady) n_files_ = status.files;
  }

  TempFolder scratch_;
  fs::path root_ = scratch_.path() / "workspace";
  Stages stages_;
  std::atomic<std::size_t> n_files_ = 0;  // in the index, as last reported
};

TEST_F(RepositoryIndexerTest, AnIndexThatCannotBeOpenedStaysSo) {
  RepositoryIndexer indexer([](std::string&) { return Error("no room"); },
                            [](const IndexStatus&) {},
                            {.on_stage = [this](Stage stage) { stages_.add(stage); }});
  EXPECT_TRUE(stages_.wait_for({kOpening, kFailed}));
  indexer.files_changed({root_ / "a.py"});
  indexer.wait_until_idle();
  EXPECT_THAT(stages_.all(), ElementsAre(kOpening, kFailed));
  EXPECT_EQ(indexer.snapshot({}), nullptr);
}

TEST_F(RepositoryIndexerTest, FilesAreLookedAtOnceTheyAreWatched) {
  write("a.py", "alpha = 1\n");
  const auto indexer = start(true, kNever);
  indexer->wait_until_idle();
  EXPECT_THAT(stages_.all(), ElementsAre(kOpening, kUnwatched, kReading, kUnsaved));
  EXPECT_EQ(n_files_, 1U);
}

TEST_F(RepositoryIndexerTest, OneSaveDoesNotFollowAnotherAtOnce) {
  write("a.py", "alpha = 1\n");
  const auto indexer = start(false, kAtOnce, kNever, /*save_interval=*/kNever);
  std::vector<Stage> stages = {kOpening, kReading, kUnsaved, kSaving, kSaved};
  ASSERT_TRUE(stages_.wait_for(stages)) << "the first is not put off";
  for (const char* name : {"b.py", "c.py", "d.py"}) {
    write(name, "beta = 1\n");
    indexer->files_changed({root_ / name});
    stages.insert(stages.end(), {kReading, kUnsaved});
    ASSERT_TRUE(stages_.wait_for(stages)) << name;
  }
  EXPECT_EQ(n_files_, 4U);
  EXPECT_EQ(n_saved(), 1U);
}

TEST_F(RepositoryIndexerTest, ReadsReportedFilesAndSavesWhenQuiet) {
  write("a.py", "alpha = 1\n");
  {
    const auto indexer = start(false, kNever);
    indexer->wait_until_idle();
    EXPECT_THAT(stages_.all(), ElementsAre(kOpening, kReading, kUnsaved));
    write("b.py", "beta = 1\n");
    indexer->files_changed({root_ / "b.py"});
    indexer->wait_until_idle();
    EXPECT_THAT(stages_.all(), ElementsAre(kOpening, kReading, kUnsaved, kReading, kUnsaved));
    EXPECT_EQ(n_files_, 2U);
  }
  EXPECT_EQ(n_saved(), 0U) << "it was never quiet";
  stages_.add(kOpening);
  const auto indexer = start(false, kAtOnce);
  std::vector<Stage> stages = {kOpening, kReading, kUnsaved, kReading, kUnsaved,
                               kOpening, kReading, kUnsaved, kSaving,  kSaved};
  ASSERT_TRUE(stages_.wait_for(stages));
  EXPECT_EQ(n_saved(), 2U);
  write("c.py", "gamma = 1\n");
  indexer->files_changed({root_ / "c.py"});
  stages.insert(stages.end(), {kReading, kUnsaved, kSaving, kSaved});
  EXPECT_TRUE(stages_.wait_for(stages));
  EXPECT_EQ(n_files_, 3U);
}

TEST_F(RepositoryIndexerTest, ReadsDamagedFilesAgain) {
  write("a.py", "alpha = 1\n");
  write("b.py", "beta = 1\n");
  {
    const Result<std::unique_ptr<WorkspaceIndex>> index = open_index();
    ASSERT_TRUE(index);
    (*index)->refresh();
    ASSERT_TRUE((*index)->store().save());
  }
  for (const auto& entry : fs::directory_iterator(scratch_.path() / "store")) {
    if (entry.path().extension() != ".segment") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(entry.path()) / 2));
    file.put('\x7f');
  }
  ASSERT_TRUE(open_index()) << "a search stays in bounds, so it is opened";
  {
    const auto indexer = start(false, kAtOnce);
    ASSERT_TRUE(stages_.wait_for({kOpening, kReading, kUnsaved, kSaving, kSaved}));
  }
  EXPECT_EQ(n_files_, 2U);
  const Result<std::unique_ptr<WorkspaceIndex>> index = open_index();
  ASSERT_TRUE(index);
  EXPECT_EQ((*index)->store().statistics().texts, 2U);
  EXPECT_EQ((*index)->store().verify(), 0U) << "what is on disk now is sound";
}

TEST_F(RepositoryIndexerTest, AReaderFollowsTheWriter) {
  write("a.py", "alpha = 1\n");
  Result<std::unique_ptr<WorkspaceIndex>> writer = open_index();
  ASSERT_TRUE(writer);
  (*writer)->refresh();
  ASSERT_TRUE((*writer)->store().save());
  const auto reader = start(false, kAtOnce);
  std::vector<Stage> stages = {kOpening, kReading, kUnsaved, kSaving, kFollowing};
  ASSERT_TRUE(stages_.wait_for(stages));
  reader->files_changed({root_ / "a.py"});
  stages.insert(stages.end(), {kReading, kUnsaved, kSaving, kFollowing});
  EXPECT_TRUE(stages_.wait_for(stages));
}

TEST_F(RepositoryIndexerTest, AReaderLooksNowAndThenForWhatTheWriterSaved) {
  Result<std::unique_ptr<WorkspaceIndex>> writer = open_index();
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->store().save());
  const auto reader = start(false, kAtOnce, std::chrono::milliseconds(1));
  write("a.py", "alpha = 1\n");
  (*writer)->refresh();
  ASSERT_TRUE((*writer)->store().save());
  // It may find the file at once, and continues to look regardless.
  const std::vector<Stage> looks = {kSaving, kFollowing, kSaving};
  const auto looked_again = [&] {
    const std::vector<Stage> stages = stages_.all();
    return std::search(stages.begin(), stages.end(), looks.begin(), looks.end()) != stages.end();
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while ((n_files_ == 0 || !looked_again()) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(n_files_, 1U);
  EXPECT_TRUE(looked_again());
}

TEST_F(RepositoryIndexerTest, WaitingIncludesOpenedBuffers) {
  std::promise<void> opened;
  const std::shared_future<void> gate = opened.get_future().share();
  write("a.py", "alpha = 1\n");
  RepositoryIndexer indexer(
      [this, gate](std::string&) {
        gate.wait();
        return open_index();
      },
      [this](const IndexStatus& status) { hear(status); }, {.watch = true, .quiet = kNever});
  const auto waits = std::async(std::launch::async, [&] { indexer.wait_until_idle(); });
  EXPECT_EQ(waits.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  opened.set_value();
  waits.wait();
  EXPECT_EQ(n_files_, 1U);
}

// The transitions listed with the stages, repeated here.
TEST(RepositoryIndexerStages, NothingElseMayFollow) {
  const std::set<Arrow> arrows = {
      {kOpening, kFailed},   {kOpening, kUnwatched}, {kOpening, kReading},   {kUnwatched, kReading},
      {kReading, kUnsaved},  {kUnsaved, kReading},   {kUnsaved, kSaving},    {kSaving, kSaved},
      {kSaving, kFollowing}, {kSaved, kReading},     {kFollowing, kReading}, {kFollowing, kSaving}};
  for (const Stage before : kStages) {
    for (const Stage after : kStages) {
      Stage stage = before;
      if (arrows.contains({before, after})) {
        EXPECT_NO_THROW(enter_state(stage, after));
        EXPECT_EQ(stage, after);
      } else {
        EXPECT_THROW(enter_state(stage, after), std::logic_error);
        EXPECT_EQ(stage, before);
      }
    }
  }
}

}  // namespace
}  // namespace redraft
