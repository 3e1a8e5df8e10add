// What a save writes, and what a crash while it writes leaves.
#include "indexing/store/store_changes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "indexing/store/text_store.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kKey = 7;

std::string bytes_in(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_bytes(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

StoreFolder folder_at(const fs::path& path) {
  Result<StoreFolder> folder = StoreFolder::open(path, kKey);
  EXPECT_TRUE(folder) << folder.error().message();
  return std::move(*folder);
}

using Names = std::set<std::string>;

// The texts of a store on disk; none if it cannot be read.
std::optional<Names> names_in(const fs::path& path) {
  TextStore store(folder_at(path));
  if (!store.load()) return std::nullopt;
  const std::vector<std::string> names = store.names();
  return Names(names.begin(), names.end());
}

class StoreChangesTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(store_.load()); }

  void put(const std::string& name, std::int64_t modified = 1) {
    store_.put({{name, {.modified = modified}, {1, 2, static_cast<TokenId>(modified % 3)}}});
  }
  void save() { ASSERT_TRUE(store_.save()); }
  Names names() const {
    const std::vector<std::string> names = store_.names();
    return {names.begin(), names.end()};
  }
  // Of a file that was not replaced.
  ino_t number_of(const fs::path& file) const {
    struct stat status {};
    EXPECT_EQ(::stat(file.c_str(), &status), 0);
    return status.st_ino;
  }

  TempFolder scratch_;
  fs::path path_ = scratch_.path() / "store";
  fs::path manifest_ = path_ / "manifest";
  fs::path changes_ = path_ / "changes";
  TextStore store_{folder_at(path_)};
};

TEST_F(StoreChangesTest, ASaveWritesWhatChanged) {
  std::vector<TextStore::Text> texts;
  for (int i = 0; i < 20'000; ++i) {
    texts.push_back({"folder/with/a/longer/name/file " + std::to_string(i), {}, {1, 2}});
  }
  store_.put(std::move(texts));
  save();
  const std::string manifest = bytes_in(manifest_);
  const ino_t number = number_of(manifest_);
  ASSERT_GT(manifest.size(), 1'000'000U);
  EXPECT_FALSE(fs::exists(changes_));
  std::size_t before = 0;
  for (int i = 0; i < 50; ++i) {
    put("folder/with/a/longer/name/file " + std::to_string(100 * i), 1 + i);
    save();
    EXPECT_LT(fs::file_size(changes_) - before, 300U) << "one file and what it replaces";
    before = fs::file_size(changes_);
    save();
    EXPECT_EQ(fs::file_size(changes_), before) << "nothing changed";
  }
  EXPECT_EQ(number_of(manifest_), number) << "it was written again";
  EXPECT_EQ(bytes_in(manifest_), manifest);
  EXPECT_EQ(names_in(path_), names());
}

TEST_F(StoreChangesTest, LongChangesBecomeAManifest) {
  put("first");
  save();
  std::set<ino_t> manifests = {number_of(manifest_)};
  const std::string folder(400, 'x');
  for (int i = 0; i < 400; ++i) {
    put(folder + "/file " + std::to_string(i % 20), i);
    if (i % 7 == 0) store_.merge();
    save();
    if (fs::exists(changes_)) {
      ASSERT_LE(fs::file_size(changes_), 64U << 10);
    }
    manifests.insert(number_of(manifest_));
  }
  EXPECT_GT(manifests.size(), 1U);
  EXPECT_LT(manifests.size(), 40U);
  EXPECT_EQ(names_in(path_), names());
}

// While a save is under way, the segments of the save before are still there.
TEST_F(StoreChangesTest, ACrashAtAnyByteLeavesWhatWasSavedBefore) {
  for (int i = 0; i < 10; ++i) put("old " + std::to_string(i));
  save();
  for (int round = 0; round < 6; ++round) {
    const fs::path copy = scratch_.path() / ("copy " + std::to_string(round));
    fs::copy(path_, copy, fs::copy_options::recursive);
    const Names before = names();
    const std::string changes_before = bytes_in(changes_);
    put("new " + std::to_string(round));
    store_.erase(std::vector{"old " + std::to_string(round)});
    save();
    const std::string changes = bytes_in(changes_);
    ASSERT_TRUE(changes.starts_with(changes_before)) << "they are appended";
    for (const auto& entry : fs::directory_iterator(path_)) {
      if (entry.path().extension() == ".segment")
        fs::copy(entry.path(), copy, fs::copy_options::skip_existing);
    }
    for (std::size_t size = changes_before.size(); size < changes.size(); ++size) {
      write_bytes(copy / "changes", changes.substr(0, size));
      ASSERT_EQ(names_in(copy), before) << "round " << round << ", " << size << " bytes";
    }
    write_bytes(copy / "changes", changes);
    ASSERT_EQ(names_in(copy), names()) << "round " << round;
  }
}

TEST_F(StoreChangesTest, AfterACrashEverythingIsWrittenAnew) {
  put("a");
  save();
  put("b");
  save();
  const std::string changes = bytes_in(changes_);
  const fs::path copy = scratch_.path() / "copy";
  fs::copy(path_, copy, fs::copy_options::recursive);
  write_bytes(copy / "changes", changes.substr(0, changes.size() - 3));
  {
    TextStore store(folder_at(copy));
    ASSERT_TRUE(store.load());
    store.put({{"c", {}, {1}}});
    ASSERT_TRUE(store.save());
    EXPECT_FALSE(fs::exists(copy / "changes"))
        << "nothing may be written behind a part of a record";
  }
  EXPECT_EQ(names_in(copy), (Names{"a", "c"}));
}

TEST_F(StoreChangesTest, DamageIsFoundOrLeavesAnEarlierState) {
  put("a");
  save();
  std::set<Names> states = {names()};
  for (int i = 0; i < 5; ++i) {
    put("b " + std::to_string(i));
    save();
    states.insert(names());
  }
  const std::string changes = bytes_in(changes_);
  const fs::path copy = scratch_.path() / "copy";
  fs::copy(path_, copy, fs::copy_options::recursive);
  for (std::size_t at = 0; at < changes.size(); ++at) {
    std::string damaged = changes;
    damaged[at] ^= 0x10;
    write_bytes(copy / "changes", damaged);
    const std::optional<Names> found = names_in(copy);
    ASSERT_TRUE(!found || (states.contains(*found) && *found != names())) << at;
  }
}

// A crash between a new manifest and the removal of the changes of the old one; and a program that
// knows only manifests has written one.
TEST_F(StoreChangesTest, ChangesOfAnotherManifestDoNotCount) {
  put("a");
  save();
  put("b");
  save();
  const std::string changes = bytes_in(changes_);
  StoreManifest manifest;
  {
    const Result<StoreFolder::Contents> contents = folder_at(path_).load();
    ASSERT_TRUE(contents);
    manifest = contents->manifest;
  }
  manifest.segments.resize(1);
  manifest.segments[0].texts[0]->stamp.modified = 9;
  const fs::path copy = scratch_.path() / "copy";
  fs::copy(path_, copy, fs::copy_options::recursive);
  const std::vector<std::byte> bytes = serialize(manifest, kKey);
  write_bytes(copy / "manifest", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  EXPECT_EQ(names_in(copy), Names{"a"});
  TextStore store(folder_at(copy));
  ASSERT_TRUE(store.load());
  store.put({{"c", {}, {1}}});
  ASSERT_TRUE(store.save());
  EXPECT_EQ(names_in(copy), (Names{"a", "c"}));
}

// A reader that becomes the writer takes what the writer before has saved since it looked.
TEST_F(StoreChangesTest, ANewWriterContinuesWhatTheOldOneSaved) {
  auto first = std::make_unique<TextStore>(folder_at(scratch_.path() / "shared"));
  ASSERT_TRUE(first->load());
  first->put({{"a", {.modified = 1}, {1}}});
  ASSERT_TRUE(first->save());
  TextStore second(folder_at(scratch_.path() / "shared"));
  ASSERT_TRUE(second.load());
  ASSERT_TRUE(second.is_reader());
  first->put({{"b", {.modified = 1}, {2}}});
  ASSERT_TRUE(first->save());
  first.reset();
  second.put({{"c", {.modified = 1}, {3}}});
  ASSERT_TRUE(second.save());
  EXPECT_EQ(names_in(scratch_.path() / "shared"), (Names{"a", "c"})) << "what it knows counts";
}

TEST(SavedState, WhatCannotBeSaidByARecordChangesNothing) {
  const StoreManifest::Text text{"a", {}};
  const StoreManifest one{{{1, {text, std::nullopt}}, {2, {text}}}};
  SavedState state(one);
  EXPECT_FALSE(state.advance_to({{{1, {text, text}}, {2, {text}}}})) << "a text counts again";
  EXPECT_FALSE(state.advance_to({{{2, {text}}, {1, {text, std::nullopt}}}})) << "another order";
  EXPECT_FALSE(state.advance_to({{{1, {text}}, {2, {text}}}})) << "another segment";
  const auto none = state.advance_to(one);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

}  // namespace
}  // namespace redraft
