#include "indexing/files/file_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "tests/kit/hang_limit.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The next batch, or an empty one when the time is over.
FileChanges next(FileWatch& watch, milliseconds most) {
  std::stop_source stop;
  std::mutex mutex;
  std::condition_variable_any over;
  const std::jthread timer([&](const std::stop_token& done) {
    std::unique_lock lock(mutex);
    over.wait_for(lock, done, most, [] { return false; });
    if (!done.stop_requested()) stop.request_stop();
  });
  return watch.next(stop.get_token());
}

bool covers(const FileChanges& changes, const std::string& path) {
  if (!changes.roots.empty()) return true;
  return std::ranges::any_of(changes.places, [&](const ChangedPlace& place) {
    return place.path == path || path.starts_with(place.path + "/");
  });
}

bool tells(FileWatch& watch, const std::string& path) {
  const auto end = std::chrono::steady_clock::now() + kHangLimit;
  while (std::chrono::steady_clock::now() < end) {
    if (covers(next(watch, kHangLimit), path)) return true;
  }
  return false;
}

// All that is told up to a change of the file `last`, which is made now. What came before it is
// told before it, so what is missing is not told at all.
FileChanges told_before(FileWatch& watch, const TempFolder& folder, const std::string& last) {
  folder.write(last);
  FileChanges all;
  const auto end = std::chrono::steady_clock::now() + kHangLimit;
  while (!covers(all, last) && std::chrono::steady_clock::now() < end) {
    const FileChanges more = next(watch, kHangLimit);
    all.roots.insert(all.roots.end(), more.roots.begin(), more.roots.end());
    all.places.insert(all.places.end(), more.places.begin(), more.places.end());
  }
  EXPECT_TRUE(covers(all, last));
  return all;
}

WatchOptions options(bool polling) {
  WatchOptions options;
  options.quiet = 50ms;
  options.poll_every = 20ms;
  options.always_poll = polling;
  return options;
}

class FileWatchTest : public ::testing::TestWithParam<bool> {
 protected:
  static FileWatch watch(const TempFolder& folder) {
    return FileWatch({folder.path()}, options(GetParam()));
  }
};

TEST_P(FileWatchTest, TellsOfFilesThatComeChangeMoveAndGo) {
  const TempFolder folder;
  folder.write("a/old.txt");
  FileWatch watch = this->watch(folder);
  EXPECT_EQ(watch.is_polling(), GetParam());
  folder.write("a/new.txt");
  EXPECT_TRUE(tells(watch, "a/new.txt"));
  folder.write("a/old.txt", "another text\n");
  EXPECT_TRUE(tells(watch, "a/old.txt"));
  fs::rename(folder / "a/old.txt", folder / "moved.txt");
  const FileChanges moved = next(watch, kHangLimit);
  EXPECT_TRUE(covers(moved, "a/old.txt"));
  EXPECT_TRUE(covers(moved, "moved.txt"));
  fs::remove(folder / "moved.txt");
  EXPECT_TRUE(tells(watch, "moved.txt"));
}

TEST_P(FileWatchTest, FollowsFoldersThatComeMoveAndGo) {
  const TempFolder folder;
  FileWatch watch = this->watch(folder);
  folder.write("a/b/c/x.txt");
  EXPECT_TRUE(tells(watch, "a/b/c/x.txt"));
  folder.write("a/b/c/y.txt");
  EXPECT_TRUE(tells(watch, "a/b/c/y.txt"));
  fs::rename(folder / "a/b", folder / "d");
  EXPECT_TRUE(tells(watch, "d/c/x.txt"));
  folder.write("d/c/x.txt", "another text\n");
  EXPECT_TRUE(tells(watch, "d/c/x.txt"));
  fs::remove_all(folder / "d");
  EXPECT_TRUE(tells(watch, "d/c/x.txt"));
}

TEST_P(FileWatchTest, IsSilentAboutWhatAScanLeavesOut) {
  const TempFolder folder;
  folder.write(".gitignore", "build/\n*.o\n");
  folder.write("build/x.txt");
  folder.write("node_modules/x.js");
  FileWatch watch = this->watch(folder);
  folder.write("build/x.txt", "another text\n");
  folder.write("build/deep/y.txt");
  folder.write("node_modules/y.js");
  folder.write("a.o");
  folder.write(".env");
  folder.write("key.pem");
  const FileChanges told = told_before(watch, folder, "last.txt");
  EXPECT_THAT(told.roots, IsEmpty());
  EXPECT_EQ(told.places, (std::vector<ChangedPlace>{{0, "last.txt"}}));
}

TEST_P(FileWatchTest, IsSilentAboutAWorkTreeOnceItIsOne) {
  const TempFolder folder;
  folder.write(".git/HEAD");
  FileWatch watch = this->watch(folder);
  // In the order in which git writes them.
  folder.write(".git/worktrees/one/gitdir", (folder / "agents/one/.git").string() + "\n");
  folder.write("agents/one/.git", "");
  told_before(watch, folder, "zero.txt");
  folder.write("agents/one/.git", "gitdir: " + (folder / ".git/worktrees/one").string() + "\n");
  folder.write(".git/worktrees/one/commondir", "../..\n");
  told_before(watch, folder, "first.txt");
  folder.write("agents/one/a.txt");
  folder.write("agents/one/deep/b.txt");
  const FileChanges told = told_before(watch, folder, "last.txt");
  EXPECT_THAT(told.roots, IsEmpty());
  EXPECT_EQ(told.places, (std::vector<ChangedPlace>{{0, "last.txt"}}));
}

// Unless the machine lets time pass between them: each pause may end a batch, and each poll finds
// what there is by then.
TEST_P(FileWatchTest, GivesThousandsOfChangesAsOneBatch) {
  constexpr int kFiles = 3000;
  const TempFolder folder;
  const auto name = [](int i) { return "d" + std::to_string(i % 30) + "/" + std::to_string(i); };
  for (int i = 0; i < kFiles; ++i) folder.write(name(i));
  WatchOptions slow = options(GetParam());
  slow.quiet = 500ms;
  slow.longest = 10 * kHangLimit;
  slow.poll_every = 1000ms;
  FileWatch watch({folder.path()}, slow);
  int n_pauses = 0;
  const auto begin = std::chrono::steady_clock::now();
  auto last = begin;
  std::jthread checkout([&] {
    for (int i = 0; i < kFiles; ++i) {
      folder.write(name(i), "the other branch\n");
      const auto before = std::exchange(last, std::chrono::steady_clock::now());
      if (last - before > slow.quiet / 2) ++n_pauses;
    }
  });
  int n_batches = 0;
  std::size_t n_changed = 0;
  while (n_changed < kFiles && std::chrono::steady_clock::now() - begin < 2 * kHangLimit) {
    const FileChanges changes = next(watch, kHangLimit);
    n_changed += changes.places.size();
    ++n_batches;
    if (!changes.roots.empty()) break;
  }
  checkout.join();
  EXPECT_GE(n_changed, static_cast<std::size_t>(kFiles));
  const auto n_polls = static_cast<int>((last - begin) / slow.poll_every);
  EXPECT_LE(n_batches, 3 + (GetParam() ? n_polls : n_pauses));
}

TEST_P(FileWatchTest, LearnsNewRules) {
  const TempFolder folder;
  folder.write(".gitignore", "late/\n");
  folder.write("late/x.txt");
  FileWatch watch = this->watch(folder);
  folder.write(".gitignore", "nothing\n");
  EXPECT_TRUE(tells(watch, "late/x.txt"));
  folder.write("late/x.txt", "another text\n");
  EXPECT_TRUE(tells(watch, "late/x.txt"));
  folder.write(".ignore", "late\n");
  EXPECT_TRUE(tells(watch, "late/x.txt"));
  told_before(watch, folder, "first.txt");
  folder.write("late/x.txt", "yet another text\n");
  EXPECT_FALSE(covers(told_before(watch, folder, "last.txt"), "late/x.txt"));
}

TEST_P(FileWatchTest, NoticesARootThatGoesAndComesBack) {
  const TempFolder folder;
  folder.write("root/x.txt");
  FileWatch watch({folder / "root", folder / "later"}, options(GetParam()));
  fs::remove_all(folder / "root");
  EXPECT_TRUE(tells(watch, "x.txt"));
  folder.write("root/x.txt");
  EXPECT_TRUE(tells(watch, "x.txt"));
  folder.write("root/y.txt");
  EXPECT_TRUE(tells(watch, "y.txt"));
  folder.write("later/z.txt");
  EXPECT_TRUE(tells(watch, "z.txt"));
}

TEST_P(FileWatchTest, StopsAtOnce) {
  const TempFolder folder;
  WatchOptions slow = options(GetParam());
  slow.poll_every = kHangLimit;
  FileWatch watch({folder.path()}, slow);
  const auto begin = std::chrono::steady_clock::now();
  {
    std::jthread waiting(
        [&](const std::stop_token& stop) { EXPECT_TRUE(watch.next(stop).empty()); });
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kHangLimit / 2);
}

TEST_P(FileWatchTest, TellsOfAFolderThatBecomesAVirtualEnvironment) {
  const TempFolder folder;
  folder.write("env/lib/x.py");
  FileWatch watch = this->watch(folder);
  folder.write("env/pyvenv.cfg");
  EXPECT_TRUE(tells(watch, "env/lib/x.py"));
  told_before(watch, folder, "first.txt");
  folder.write("env/lib/x.py", "another text\n");
  EXPECT_FALSE(covers(told_before(watch, folder, "last.txt"), "env/lib/x.py"));
}

// Keeps a list of the files by the reported changes alone, and compares it with a new walk.
class Mirror {
 public:
  explicit Mirror(std::vector<fs::path> roots) : roots_(std::move(roots)) { walk_all(); }

  void apply(const FileChanges& changes) {
    if (!changes.roots.empty()) return walk_all();
    for (const ChangedPlace& place : changes.places) {
      std::erase_if(files_, [&](const auto& file) {
        return file.first == place.path || file.first.starts_with(place.path + "/");
      });
      scan_place(roots_, place.root_idx, place.path, {}, sink());
    }
  }

  bool operator==(const Mirror& other) const { return files_ == other.files_; }
  std::size_t size() const { return files_.size(); }

 private:
  ScanSink sink() {
    return {.on_file = [this](const SourceFile& file) {
      files_[file.path] = file.size;
      return true;
    }};
  }
  void walk_all() {
    files_.clear();
    scan_roots(roots_, {}, sink());
  }

  std::vector<fs::path> roots_;
  std::map<std::string, std::uint64_t> files_;
};

// One random change of a tree; some attempts fail, which does no harm.
void disturb(const TempFolder& folder, std::mt19937& random, int step) {
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  const auto path = [&] {
    std::string made = "r";
    for (int n = 1 + below(3); n > 0; --n)
      made += "/" + std::string(1, static_cast<char>('a' + below(4)));
    return made;
  };
  std::error_code ignored;
  switch (below(8)) {
    case 0:
      fs::rename(folder / path(), folder / path(), ignored);
      return;
    case 1:
      fs::remove_all(folder / path(), ignored);
      return;
    case 2:
      folder.write("r/.gitignore", std::string(1, static_cast<char>('a' + below(4))) + "/\n");
      return;
    case 3:
      fs::rename(folder / path(), folder / "outside", ignored);
      return;
    case 4:
      fs::rename(folder / "outside", folder / path(), ignored);
      return;
    default:
      fs::create_directories((folder / path()).parent_path(), ignored);
      std::ofstream(folder / path()) << std::string(static_cast<std::size_t>(step) + 1, '\n');
  }
}

TEST_P(FileWatchTest, TellsEnoughToKeepAPictureOfTheFiles) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    const TempFolder folder;
    folder.write("r/a/b/c");
    const std::vector<fs::path> roots = {folder / "r"};
    FileWatch watch(roots, options(GetParam()));
    Mirror mirror(roots);
    for (int step = 0; step < 120; ++step) {
      disturb(folder, random, step);
      if (step % 40 != 39) continue;
      const Mirror truth(roots);
      const auto end = std::chrono::steady_clock::now() + kHangLimit;
      while (!(mirror == truth) && std::chrono::steady_clock::now() < end) {
        mirror.apply(next(watch, kHangLimit));
      }
      ASSERT_TRUE(mirror == truth) << "seed " << seed << " step " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Inotify, FileWatchTest, ::testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Polling, FileWatchTest, ::testing::Values(true));

TEST(FileWatch, AsksForAllRootsWhenEventsWereLost) {
  const TempFolder folder;
  FileWatch watch({folder.path()}, options(false));
  if (watch.is_polling()) GTEST_SKIP() << watch.why_polling();
  std::size_t max_queued = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> max_queued;
  if (max_queued > 100'000) GTEST_SKIP() << "the queue is too long for a test";
  for (std::size_t i = 0; i < max_queued; ++i) {
    folder.write("a" + std::to_string(i % 2), "");  // two events each
    fs::remove(folder / ("a" + std::to_string(i % 2)));
  }
  const FileChanges changes = next(watch, kHangLimit);
  EXPECT_EQ(changes.roots, std::vector<std::size_t>{0});
  EXPECT_THAT(changes.places, IsEmpty());
  folder.write("b");
  EXPECT_TRUE(tells(watch, "b"));
}

TEST(FileWatch, PollsWhenWatchesRunOut) {
  const TempFolder folder;
  folder.write("a/x");
  WatchOptions few = options(false);
  few.max_watches = 2;
  FileWatch watch({folder.path()}, few);
  EXPECT_FALSE(watch.is_polling());
  folder.write("b/c/y");
  EXPECT_EQ(next(watch, kHangLimit).roots, std::vector<std::size_t>{0});
  EXPECT_TRUE(watch.is_polling());
  EXPECT_THAT(watch.why_polling(), HasSubstr("more than 2 folders"));
  folder.write("b/c/y", "another text\n");
  EXPECT_TRUE(tells(watch, "b/c/y"));
  EXPECT_TRUE(FileWatch({folder.path()}, few).is_polling());
}

TEST(FileWatch, NamesAFolderInsteadOfAllThatIsInIt) {
  const TempFolder folder;
  FileWatch watch({folder.path()}, options(false));
  if (watch.is_polling()) GTEST_SKIP() << watch.why_polling();
  folder.write("a/x");
  folder.write("a/y");
  folder.write("a b");
  const FileChanges changes = next(watch, kHangLimit);
  const std::vector<ChangedPlace> expected = {{0, "a"}, {0, "a b"}};
  EXPECT_EQ(changes.places, expected);
}

}  // namespace
}  // namespace redraft
