// What happens to a store whose files are damaged, and to one whose writer is killed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "indexing/store/text_store.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using Tokens = std::vector<TokenId>;
constexpr std::uint64_t kKey = 7;

StoreFolder folder_at(const fs::path& path) {
  Result<StoreFolder> folder = StoreFolder::open(path, kKey);
  EXPECT_TRUE(folder) << folder.error().message();
  return std::move(*folder);
}

std::string bytes_in(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_bytes(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

// The content of a text with that name and stamp.
Tokens tokens_of(const std::string& name, const FileStamp& stamp) {
  std::mt19937 random(static_cast<unsigned>(std::hash<std::string>()(name) + stamp.modified));
  Tokens tokens(random() % 300);
  for (TokenId& token : tokens) token = static_cast<TokenId>(random() % 5);
  return tokens;
}

// Loads the possibly damaged store and searches it. Returns whether the damage was found.
bool finds_damage(const fs::path& path) {
  const StoreFolder folder = folder_at(path);
  const Result<StoreFolder::Contents> contents = folder.load();
  if (!contents) {
    EXPECT_FALSE(contents.error().message().empty());
    return true;
  }
  bool found = false;
  for (const auto& segment : contents->segments) {
    found = found || !segment->verify();
    // Wrong answers are allowed here; going out of bounds is not.
    const IndexSnapshot snapshot({{segment, nullptr}});
    for (TokenId token = 0; token < 5; ++token) {
      const Tokens context = {token, 1};
      const auto answer = snapshot.continuations(context, {.shortest = 1});
      for (const auto& tokens : answer.tokens) {
        for (const TokenId answered : tokens) EXPECT_LT(static_cast<std::uint32_t>(answered), 5U);
      }
    }
    for (const auto& place : snapshot.definitions("f", 1000))
      EXPECT_LE(snapshot.tokens(place.text).size(), segment->token_count());
    for (const auto& [text, token] : snapshot.occurrences(Tokens{1}, 1000))
      EXPECT_LT(token, snapshot.tokens(text).size());
  }
  return found;
}

class DamagedStore : public testing::Test {
 protected:
  void SetUp() override {
    TextStore store(folder_at(path_));
    std::vector<TextStore::Text> texts;
    for (int i = 0; i < 20; ++i) {
      const std::string name = "file " + std::to_string(i);
      const StoredDefinition definition{.name = hash_of_name("f"), .begin = 0, .end = 1};
      texts.push_back({name, {}, tokens_of(name, {}), {definition, definition}});
    }
    store.put(std::move(texts));
    ASSERT_TRUE(store.save());
    for (const auto& entry : fs::directory_iterator(path_)) {
      if (fs::file_size(entry.path()) > 0) files_.push_back(entry.path());
    }
    ASSERT_EQ(files_.size(), 2U) << "a manifest and a segment";
    ASSERT_FALSE(finds_damage(path_));
  }

  TempFolder scratch_;
  fs::path path_ = scratch_.path() / "store";
  std::vector<fs::path> files_;
};

TEST_F(DamagedStore, AFlippedBitIsFoundWhereverItIs) {
  std::mt19937 random(1);
  for (const fs::path& file : files_) {
    const std::string whole = bytes_in(file);
    for (int i = 0; i < 400; ++i) {
      std::string damaged = whole;
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
      write_bytes(file, damaged);
      EXPECT_TRUE(finds_damage(path_)) << file;
    }
    write_bytes(file, whole);
  }
}

TEST_F(DamagedStore, AMissingEndIsFound) {
  std::mt19937 random(2);
  for (const fs::path& file : files_) {
    const std::string whole = bytes_in(file);
    for (std::size_t size = 0; size < whole.size(); size += 1 + random() % 97) {
      write_bytes(file, whole.substr(0, size));
      EXPECT_TRUE(finds_damage(path_)) << file << " of " << size << " bytes";
    }
    write_bytes(file, whole + "x");
    EXPECT_TRUE(finds_damage(path_)) << file << ", too long";
    write_bytes(file, whole);
  }
}

TEST_F(DamagedStore, AMissingSegmentAnotherKeyAndAnotherSegmentAreFound) {
  const fs::path segment = files_[0].extension() == ".segment" ? files_[0] : files_[1];
  const auto other = StoreFolder::open(path_, kKey + 1);
  EXPECT_FALSE(other->load());
  fs::rename(segment, scratch_.path() / "away");
  EXPECT_TRUE(finds_damage(path_));
  SegmentTexts texts;
  texts.add(Tokens{1, 2});
  ASSERT_TRUE(Segment(std::move(texts)).write(segment, kKey));
  EXPECT_TRUE(finds_damage(path_)) << "it has fewer texts";
}

// Opening finds what would make a search go out of bounds; verify() finds the rest.
TEST_F(DamagedStore, TextsOfADamagedSegmentAreForgotten) {
  const fs::path segment = files_[0].extension() == ".segment" ? files_[0] : files_[1];
  std::string damaged = bytes_in(segment);
  damaged[damaged.size() / 3] ^= 1;
  TextStore writer(folder_at(path_));
  ASSERT_TRUE(writer.load());
  ASSERT_FALSE(writer.is_reader());
  EXPECT_EQ(writer.verify(), 0U);
  write_bytes(segment, damaged);
  EXPECT_EQ(writer.verify(), 0U) << "each file is read once";
  TextStore reader(folder_at(path_));
  ASSERT_TRUE(reader.load());
  ASSERT_TRUE(reader.is_reader());
  const FileStamp stamp{.modified = 5};
  reader.put({{"file 3", stamp, tokens_of("file 3", stamp)}});
  EXPECT_EQ(reader.verify(), 19U) << "not the one that was put in its place";
  EXPECT_EQ(reader.names(), std::vector<std::string>{"file 3"});
  EXPECT_EQ(reader.snapshot()->token_count(), tokens_of("file 3", stamp).size());
  EXPECT_EQ(reader.verify(), 0U);
  EXPECT_FALSE(reader.adopt()) << "it is still damaged";
}

TEST_F(DamagedStore, DamageIsNotMerged) {
  const fs::path segment = files_[0].extension() == ".segment" ? files_[0] : files_[1];
  std::string damaged = bytes_in(segment);
  damaged[damaged.size() / 3] ^= 1;
  write_bytes(segment, damaged);
  {
    TextStore store(folder_at(path_));
    ASSERT_TRUE(store.load());
    std::vector<std::string> half = store.names();
    half.resize(10);
    store.erase(half);
    store.put({{"new", {}, {1, 2, 3}}});
    while (store.merge()) {
    }
    EXPECT_EQ(store.names(), std::vector<std::string>{"new"});
    ASSERT_TRUE(store.save());
  }
  EXPECT_FALSE(finds_damage(path_));
}

TEST_F(DamagedStore, VerifyingStopsWhenAsked) {
  TextStore store(folder_at(path_));
  ASSERT_TRUE(store.load());
  std::stop_source stop;
  stop.request_stop();
  const fs::path segment = files_[0].extension() == ".segment" ? files_[0] : files_[1];
  std::string damaged = bytes_in(segment);
  damaged[damaged.size() / 3] ^= 1;
  write_bytes(segment, damaged);
  EXPECT_EQ(store.verify(stop.get_token()), 0U);
  EXPECT_EQ(store.verify(), 20U) << "later";
}

TEST_F(DamagedStore, IsBuiltAnew) {
  for (const fs::path& file : files_) write_bytes(file, "nonsense");
  {
    TextStore store(folder_at(path_));
    EXPECT_FALSE(store.load());
    store.put({{"a", {}, {1, 2, 3}}});
    ASSERT_TRUE(store.save());
  }
  TextStore store(folder_at(path_));
  ASSERT_TRUE(store.load());
  EXPECT_EQ(store.statistics().tokens, 3U);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(path_)) ++files;
  EXPECT_EQ(files, 3U) << "manifest, lock, one segment";
}

// A reader between reading a manifest and opening its segments, while the writer saves.
class SavedMeanwhile : public testing::Test {
 protected:
  void SetUp() override { save(1); }
  // Replaces the only segment: the file that the manifest named before is removed.
  void save(std::int64_t modified) {
    const FileStamp stamp{.modified = modified};
    writer_.put({{"a", stamp, tokens_of("a", stamp)}});
    ASSERT_TRUE(writer_.save());
  }

  TempFolder scratch_;
  fs::path path_ = scratch_.path() / "store";
  TextStore writer_{folder_at(path_)};
};

TEST_F(SavedMeanwhile, AReaderLooksAgain) {
  int looks = 0;
  const auto contents = folder_at(path_).load([&] {
    if (++looks <= 2) save(1 + looks);
  });
  ASSERT_TRUE(contents) << contents.error().message();
  EXPECT_EQ(looks, 3);
  EXPECT_EQ(contents->manifest.segments.at(0).texts.at(0)->stamp.modified, 3);
  const auto tokens = contents->segments.at(0)->text(0);
  EXPECT_EQ(Tokens(tokens.begin(), tokens.end()), tokens_of("a", {.modified = 3}));
}

TEST_F(SavedMeanwhile, AReaderGivesUpInTheEnd) {
  int looks = 0;
  EXPECT_FALSE(folder_at(path_).load([&] { save(++looks + 1); }));
  EXPECT_EQ(looks, 5);
}

TEST_F(SavedMeanwhile, WhatIsMissingForGoodIsLookedForOnce) {
  for (const auto& entry : fs::directory_iterator(path_)) {
    if (entry.path().extension() == ".segment") fs::remove(entry.path());
  }
  int looks = 0;
  EXPECT_FALSE(folder_at(path_).load([&] { ++looks; }));
  EXPECT_EQ(looks, 1);
}

TEST(StoreFolder, ThatCannotBeWrittenSaysSo) {
  const TempFolder scratch;
  write_bytes(scratch.path() / "file", "x");
  const auto refused = StoreFolder::open(scratch.path() / "file" / "store", kKey);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("store"), std::string::npos);
}

// Changes, merges and saves for ever.
[[noreturn]] void work_until_killed(const fs::path& path, unsigned seed) {
  TextStore store(folder_at(path));
  if (!store.load()) _exit(1);
  std::mt19937 random(seed);
  for (;;) {
    std::vector<TextStore::Text> texts;
    for (int i = 0; i < 5; ++i) {
      const std::string name = "file " + std::to_string(random() % 60);
      const FileStamp stamp{.modified = static_cast<std::int64_t>(random() % 1000)};
      texts.push_back({name, stamp, tokens_of(name, stamp)});
    }
    store.put(std::move(texts));
    store.erase(std::vector{"file " + std::to_string(random() % 60)});
    store.merge();
    if (!store.save()) _exit(1);
  }
}

void expect_sound(const fs::path& path) {
  const StoreFolder folder = folder_at(path);
  const Result<StoreFolder::Contents> contents = folder.load();
  ASSERT_TRUE(contents) << contents.error().message();
  for (std::size_t i = 0; i < contents->segments.size(); ++i) {
    ASSERT_TRUE(contents->segments[i]->verify());
    const auto& texts = contents->manifest.segments[i].texts;
    for (std::size_t text = 0; text < texts.size(); ++text) {
      if (!texts[text]) continue;
      const auto tokens = contents->segments[i]->text(text);
      ASSERT_EQ(Tokens(tokens.begin(), tokens.end()),
                tokens_of(texts[text]->name, texts[text]->stamp));
    }
  }
}

TEST(KilledWriter, LeavesAStoreThatIsSound) {
  const TempFolder scratch;
  const fs::path path = scratch.path() / "store";
  std::mt19937 random(5);
  std::size_t most = 0;
  // On a busy machine they get somewhere more seldom.
  for (unsigned round = 0; round < 200 || (most <= 20 && round < 4000); ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) work_until_killed(path, round);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30000));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself, with " << WEXITSTATUS(status);
    if (!fs::exists(path)) continue;  // killed before it began
    expect_sound(path);
    if (HasFatalFailure()) FAIL() << "round " << round;
    TextStore store(folder_at(path));
    ASSERT_TRUE(store.load());
    ASSERT_TRUE(store.save_folder()) << "the lock went with the process";
    most = std::max(most, store.statistics().texts);
  }
  EXPECT_GT(most, 20U) << "some of them got somewhere";
}

}  // namespace
}  // namespace redraft
