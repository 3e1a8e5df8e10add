#include "decoding/kv_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "tests/decoding/kv_archive_fixture.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Tokens = KvTokens;

// A storage whose rows cannot be copied out: as on a GPU.
class NoRows : public KvStorage {
 public:
  void move_slot(int, int) override {}
  std::unique_ptr<KvStorage> fork(int) const override { return nullptr; }
  void discard(int) override {}
  std::size_t bytes(int) const override { return 0; }
};

int mode_of(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? static_cast<int>(status.st_mode & 0777) : -1;
}

TEST_F(KvArchiveTest, AnotherProcessFindsTheLongestBeginning) {
  const Tokens one = some_tokens(200, 1);
  const Tokens beginning(one.begin(), one.begin() + 130);
  const Tokens two = joined(beginning, some_tokens(300, 2));
  {
    KvArchive archive = open();
    save(archive, one, "/one");
    save(archive, two, "/two");
  }
  KvArchive archive = open();
  EXPECT_EQ(restored(archive, one), 200);
  EXPECT_EQ(restored(archive, two), 430);
  EXPECT_EQ(restored(archive, joined(two, {7, 8, 9})), 430);
  EXPECT_EQ(restored(archive, joined(beginning, {-5})), 130);
  EXPECT_EQ(restored(archive, {one.begin(), one.begin() + 64}), 64);
  EXPECT_EQ(restored(archive, {one.begin(), one.begin() + 1}), 1);
  EXPECT_EQ(restored(archive, some_tokens(200, 3)), 0);
  EXPECT_EQ(restored(archive, {}), 0);
}

TEST_F(KvArchiveTest, EveryLengthComesBack) {
  for (const int length : {1, 2, 63, 64, 65, 127, 128, 129, 500}) {
    KvArchive archive = open();
    const Tokens tokens = some_tokens(length, static_cast<std::uint32_t>(length));
    save(archive, tokens);
    EXPECT_EQ(restored(archive, tokens), length);
  }
}

TEST_F(KvArchiveTest, AnArchiveThatIsOpenSeesWhatAnotherWrites) {
  KvArchive reader = open();
  KvArchive writer = open();
  const Tokens tokens = some_tokens(100, 1);
  EXPECT_EQ(restored(reader, tokens), 0);
  save(writer, tokens);
  EXPECT_EQ(restored(reader, tokens), 100);
  fs::remove(only_file());
  EXPECT_EQ(restored(reader, tokens), 0);
  save(writer, tokens);
  EXPECT_EQ(restored(writer, tokens), 100) << "it is written again";
}

TEST_F(KvArchiveTest, AFileThatVanishesAfterItWasFoundIsNotLoaded) {
  KvArchive archive = open();
  const Tokens tokens = some_tokens(100, 1);
  save(archive, tokens);
  const KvArchive::Match match = archive.find(tokens);
  EXPECT_EQ(match.length, 100);
  fs::remove(only_file());
  Rows rows(100);
  EXPECT_FALSE(archive.load(match, tokens, rows));
}

TEST_F(KvArchiveTest, OnlyTheUserCanRead) {
  const mode_t before = ::umask(0);
  KvArchive archive = open();
  save(archive, some_tokens(10, 1));
  ::umask(before);
  EXPECT_EQ(mode_of(only_file()), 0600);
  EXPECT_EQ(mode_of(folder_), 0700);
  EXPECT_EQ(mode_of(folder_.parent_path()), 0700);
}

TEST_F(KvArchiveTest, AFolderThatOthersCanReadIsNotUsed) {
  fs::create_directories(folder_);
  fs::permissions(folder_, fs::perms(0755));
  EXPECT_FALSE(KvArchive::open(folder_, {"model", "build"}));
}

TEST_F(KvArchiveTest, AnotherModelsEntriesStayAndAnotherBuildsAreRemoved) {
  const Tokens tokens = some_tokens(100, 1);
  KvArchive mine = open();
  save(mine, tokens);
  KvArchive other = open("other");
  EXPECT_EQ(restored(other, tokens), 0);
  EXPECT_EQ(files().size(), 1U);
  save(other, tokens);
  EXPECT_EQ(files().size(), 2U);
  EXPECT_EQ(restored(mine, tokens), 100);
  KvArchive later = open("model", "later");
  EXPECT_EQ(restored(later, tokens), 0);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(KvArchiveTest, ALongerEntryOfTheSameSourceReplacesItsBeginning) {
  const Tokens beginning = some_tokens(100, 1);
  KvArchive archive = open();
  save(archive, beginning, "/a");
  save(archive, joined(beginning, some_tokens(100, 2)), "/b");
  EXPECT_THAT(sources(), UnorderedElementsAre("/a", "/b")) << "another source";
  save(archive, joined(beginning, some_tokens(100, 3)), "/a");
  EXPECT_THAT(sources(), UnorderedElementsAre("/a", "/b"));
  EXPECT_EQ(restored(archive, joined(beginning, some_tokens(100, 3))), 200);
  save(archive, joined(beginning, some_tokens(100, 4)), "/a");
  EXPECT_THAT(sources(), UnorderedElementsAre("/a", "/a", "/b")) << "each has tokens of its own";
}

TEST_F(KvArchiveTest, ATailThatIsWorthLittleIsNeitherWrittenNorKept) {
  const Tokens beginning = some_tokens(100, 1);
  KvArchive archive = open();
  save(archive, beginning, "/a", 10);
  const std::string written = bytes_of(only_file());
  save(archive, joined(beginning, some_tokens(10, 2)), "/a", 10);
  EXPECT_EQ(bytes_of(only_file()), written);
  const Tokens longer = joined({beginning.begin(), beginning.begin() + 90}, some_tokens(50, 3));
  save(archive, longer, "/a", 10);
  EXPECT_EQ(KvArchive::list(folder_).size(), 1U);
  EXPECT_EQ(restored(archive, longer), 140);
}

TEST_F(KvArchiveTest, TheLeastRecentlyUsedGoFirst) {
  const Tokens one = some_tokens(100, 1), two = some_tokens(100, 2), three = some_tokens(100, 3),
               four = some_tokens(100, 4);
  KvArchive archive = open("model", "build", 3 * 100 * (kRowBytes + 4) + 1000);
  save(archive, one, "/one");
  save(archive, two, "/two");
  save(archive, three, "/three");
  age(file_of("/one"), 300);
  age(file_of("/two"), 200);
  age(file_of("/three"), 100);
  EXPECT_EQ(restored(archive, one), 100) << "that is a use";
  save(archive, four, "/four");
  EXPECT_THAT(sources(), UnorderedElementsAre("/one", "/three", "/four"));
  EXPECT_EQ(restored(archive, two), 0);
  save(archive, two, "/two");
  EXPECT_THAT(sources(), UnorderedElementsAre("/one", "/two", "/four"));
}

TEST_F(KvArchiveTest, AnEntryLargerThanTheBudgetDisplacesNothing) {
  KvArchive archive = open("model", "build", 200 * kRowBytes);
  save(archive, some_tokens(100, 1), "/small");
  save(archive, some_tokens(300, 2), "/large");
  EXPECT_THAT(sources(), ElementsAre("/small"));
}

TEST_F(KvArchiveTest, TheBudgetIsForTheWholeFolder) {
  KvArchive other = open("other");
  save(other, some_tokens(100, 1), "/others");
  age(file_of("/others"), 100);
  KvArchive archive = open("model", "build", 200 * kRowBytes);
  save(archive, some_tokens(100, 1), "/mine");
  EXPECT_THAT(sources(), ElementsAre("/mine"));
}

TEST_F(KvArchiveTest, AnEntryHasALimit) {
  KvArchive archive = open();
  const Tokens tokens = some_tokens(KvEntry::kMaxTokens + 100, 1);
  save(archive, tokens);
  EXPECT_EQ(restored(archive, tokens), KvEntry::kMaxTokens);
}

TEST_F(KvArchiveTest, ASaveThatIsGivenUpLeavesNothing) {
  KvArchive archive = open();
  const Tokens tokens = some_tokens(1000, 1);
  const Rows rows(tokens);
  for (int asked = 0; asked < 10; ++asked) {
    int left = asked;
    EXPECT_TRUE(archive.save(tokens, "/a", 0, [&] { return left-- > 0 ? &rows : nullptr; }));
    EXPECT_THAT(files(), IsEmpty());
  }
}

TEST_F(KvArchiveTest, ReportsACancelledLoad) {
  KvArchive archive = open();
  const Tokens tokens = some_tokens(1000, 1);
  save(archive, tokens);
  Rows rows(1000);
  int left = 5;
  EXPECT_FALSE(archive.load(archive.find(tokens), tokens, rows, [&] { return left-- > 0; }));
  EXPECT_EQ(restored(archive, tokens), 1000);
}

TEST_F(KvArchiveTest, AStorageThatOffersNoRowsIsNotSaved) {
  KvArchive archive = open();
  const NoRows storage;
  EXPECT_TRUE(archive.save(some_tokens(10, 1), "/a", 0, [&] { return &storage; }));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(KvArchiveTest, AFolderThatCannotBeWrittenIsAnError) {
  KvArchive archive = open();
  fs::remove(folder_);
  write_bytes(folder_, "a file");
  const Rows rows(some_tokens(10, 1));
  EXPECT_FALSE(archive.save(some_tokens(10, 1), "/a", 0, [&] { return &rows; }));
}

TEST_F(KvArchiveTest, RemovesUnfinishedFilesAfterAnHour) {
  KvArchive archive = open();
  const fs::path left = folder_ / ".0123456789abcdef.kv.Xy12ab";
  write_bytes(left, "half");
  save(archive, some_tokens(10, 1));
  EXPECT_TRUE(fs::exists(left)) << "another process may be writing it";
  age(left, 7200);
  save(archive, some_tokens(10, 2));
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(KvArchiveTest, ForgetsWhatIsWithinAFolder) {
  KvArchive archive = open();
  const auto in = [&](const char* below) { return (temporary_ / below).string(); };
  const std::string all[] = {in("work/app/main.py"), in("work/application.py"), in("work/app"),
                             in("other/app/main.py"), ""};
  for (std::uint32_t i = 0; i < 5; ++i) save(archive, some_tokens(10, i), all[i]);
  fs::create_directories(temporary_ / "work/app");
  fs::create_symlink(temporary_ / "work", temporary_ / "link");
  EXPECT_EQ(KvArchive::forget(folder_, temporary_ / "work/ap"), 0);
  EXPECT_EQ(KvArchive::forget(folder_, temporary_ / "work/app/../app/"), 2);
  EXPECT_THAT(sources(), UnorderedElementsAre(all[1], all[3], all[4]));
  EXPECT_EQ(KvArchive::forget(folder_, temporary_ / "link"), 1) << "links are followed";
  EXPECT_EQ(KvArchive::forget(folder_, in("other/app/main.py")), 1) << "one file";
  EXPECT_EQ(KvArchive::clear(folder_), 1);
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(KvArchive::clear(temporary_ / "not there"), 0);
  EXPECT_THAT(KvArchive::list(temporary_ / "not there"), IsEmpty());
}

TEST_F(KvArchiveTest, ListsTheLastUsedFirst) {
  KvArchive archive = open();
  save(archive, some_tokens(10, 1), "/old");
  save(archive, some_tokens(20, 2), "/new");
  age(file_of("/old"), 100);
  const std::vector<KvArchive::Listed> all = KvArchive::list(folder_);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].source, "/new");
  EXPECT_EQ(all[0].tokens, 20);
  EXPECT_EQ(all[0].bytes, fs::file_size(all[0].file));
  EXPECT_NEAR(static_cast<double>(all[0].used - all[1].used), 100, 2);
}

// Two processes would be no different: nothing is shared but the folder.
TEST_F(KvArchiveTest, SeveralWritersAndReadersShareAFolder) {
  const std::uint64_t budget = 4 * 300 * (kRowBytes + 4);
  std::vector<Tokens> texts;
  for (std::uint32_t i = 0; i < 8; ++i)
    texts.push_back(joined(some_tokens(100, 99), some_tokens(200, i)));
  const auto work = [&](std::uint32_t seed) {
    std::mt19937 random(seed);
    KvArchive archive = open("model", "build", budget);
    for (int i = 0; i < 200; ++i) {
      const Tokens& tokens = texts[random() % texts.size()];
      if (random() % 2 == 0) {
        save(archive, tokens, "/" + std::to_string(random() % 4));
      } else {
        restored(archive, tokens);
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t seed = 0; seed < 3; ++seed) threads.emplace_back(work, seed);
  }
  KvArchive archive = open("model", "build", budget);
  save(archive, texts[0]);
  EXPECT_EQ(restored(archive, texts[0]), 300);
  std::uint64_t total = 0;
  for (const fs::path& file : files()) total += fs::file_size(file);
  EXPECT_LE(total, budget);
}

}  // namespace
}  // namespace redraft
