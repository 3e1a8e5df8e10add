#include "indexing/store/text_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "indexing/store/memory_datastore.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;
constexpr std::uint64_t kKey = 7;

std::vector<Tokens> copied(const Continuations& found) {
  std::vector<Tokens> copies;
  for (const auto& tokens : found.tokens) copies.emplace_back(tokens.begin(), tokens.end());
  return copies;
}

std::optional<StoreFolder> folder_in(const TempFolder& scratch) {
  Result<StoreFolder> folder = StoreFolder::open(scratch.path() / "store", kKey);
  EXPECT_TRUE(folder) << folder.error().message();
  return std::move(*folder);
}

// Every token counts as a definition of a name derived from it.
std::vector<StoredDefinition> definitions_of(const Tokens& tokens) {
  std::vector<StoredDefinition> definitions;
  for (std::uint32_t i = 0; i < tokens.size(); ++i) {
    definitions.push_back(
        {.name = hash_of_name(std::to_string(tokens[i])), .begin = i, .end = i + 1});
  }
  return definitions;
}

void expect_texts(const TextStore& store, const std::map<std::string, Tokens>& texts) {
  std::map<std::string, Tokens> found;
  const auto snapshot = store.snapshot();
  for (const auto& [name, tokens] : texts) {
    for (const auto& place : snapshot->definitions(name, 100)) {
      const auto stored = snapshot->tokens(place.text);
      EXPECT_TRUE(found.emplace(name, Tokens(stored.begin(), stored.end())).second) << name;
    }
  }
  EXPECT_EQ(found, texts);
  EXPECT_EQ(store.statistics().texts, texts.size());
}

// A store, its expected content, and random changes of both.
class Twin {
 public:
  explicit Twin(unsigned seed, const TempFolder* scratch) : random_(seed), scratch_(scratch) {
    open();
  }

  void change() {
    switch (below(8)) {
      case 0:
        erase();
        break;
      case 1:
        rename();
        break;
      case 2:
        store_->merge();
        break;
      case 3:
        if (below(4) == 0) save();
        break;
      case 4:
        if (scratch_ && below(8) == 0) reopen();
        break;
      default:
        put();
    }
  }

  // The store answers like one that is built from the same texts at once.
  void compare() {
    std::vector<Tokens> texts;
    for (const auto& [name, tokens] : texts_) texts.push_back(tokens);
    const MemoryDatastore fresh(texts);
    const auto snapshot = store_->snapshot();
    ASSERT_EQ(snapshot->token_count(), fresh.token_count());
    const ContinuationQuery query{.longest = 6, .shortest = 1, .length = 5, .most = 1 << 20};
    for (int i = 0; i < 8; ++i) {
      const Tokens context = some_tokens(8);
      const Continuations expected = fresh.continuations(context, query);
      const Continuations found = snapshot->continuations(context, query);
      ASSERT_EQ(found.matched, expected.matched);
      ASSERT_EQ(copied(found), copied(expected));
    }
    compare_definitions(*snapshot);
  }

  void compare_definitions(const IndexSnapshot& snapshot) {
    const TokenId token = below(4);
    std::multiset<std::pair<std::string, std::size_t>> expected;
    for (const auto& [name, tokens] : texts_) {
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i] == token) expected.emplace(name, i);
      }
    }
    std::multiset<std::pair<std::string, std::size_t>> found;
    for (const auto& [text, range] : snapshot.definitions(std::to_string(token), 1 << 20)) {
      const std::string& name = snapshot.name(text);
      ASSERT_EQ(snapshot.tokens(text).size(), texts_[name].size());
      found.emplace(name, range.begin);
    }
    ASSERT_EQ(found, expected);
  }

  void reopen() {
    ASSERT_TRUE(store_->save());
    open();
    ASSERT_EQ(store_->names().size(), texts_.size());
  }
  TextStore& store() { return *store_; }
  const std::map<std::string, Tokens>& texts() const { return texts_; }

 private:
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  Tokens some_tokens(int most) {
    Tokens tokens(below(most + 1));
    for (TokenId& token : tokens) token = below(4);
    return tokens;
  }
  std::string some_name() { return "file " + std::to_string(below(40)); }
  void open() {
    store_.reset();
    store_ = std::make_unique<TextStore>(scratch_ ? folder_in(*scratch_) : std::nullopt);
    const Result<void> loaded = store_->load();
    ASSERT_TRUE(loaded) << loaded.error().message();
  }
  void save() { ASSERT_TRUE(store_->save()); }
  void put() {
    std::vector<TextStore::Text> texts;
    for (int i = below(4); i >= 0; --i) {
      Tokens tokens = some_tokens(below(3) == 0 ? 200 : 12);
      std::vector<StoredDefinition> definitions = definitions_of(tokens);
      texts.push_back({some_name(), {}, std::move(tokens), std::move(definitions)});
      texts_[texts.back().name] = texts.back().tokens;
    }
    store_->put(std::move(texts));
  }
  void erase() {
    const std::vector<std::string> names = {some_name(), some_name()};
    for (const std::string& name : names) texts_.erase(name);
    store_->erase(names);
  }
  void rename() {
    const std::string from = some_name();
    if (!texts_.contains(from)) return;
    const std::string to = some_name();
    store_->put({{to, {}, texts_[from], definitions_of(texts_[from])}});
    texts_[to] = texts_[from];
    if (from == to) return;
    store_->erase(std::vector{from});
    texts_.erase(from);
  }

  std::mt19937 random_;
  const TempFolder* scratch_;
  std::unique_ptr<TextStore> store_;
  std::map<std::string, Tokens> texts_;
};

TEST(TextStore, AfterAnyChangesItEqualsAFreshBuild) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Twin twin(seed, nullptr);
    for (int i = 0; i < 1000; ++i) {
      twin.change();
      if (i % 7 == 0) twin.compare();
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", change " << i;
    }
    twin.compare();
  }
}

TEST(TextStore, SoDoesOneThatIsSavedAndOpenedAgain) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const TempFolder scratch;
    Twin twin(100 + seed, &scratch);
    for (int i = 0; i < 500; ++i) {
      twin.change();
      if (i % 7 == 0) twin.compare();
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", change " << i;
    }
    twin.reopen();
    twin.compare();
  }
}

TEST(TextStore, MergesKeepTheSegmentsFew) {
  TextStore store;
  for (int i = 0; i < 600; ++i) {
    store.put({{std::to_string(i), {}, Tokens(20, i)}});
    while (store.merge()) {
    }
  }
  EXPECT_LT(store.statistics().segments, 24U);
  for (int i = 0; i < 500; ++i) {
    store.erase(std::vector{std::to_string(i)});
    while (store.merge()) {
    }
  }
  const TextStore::Statistics statistics = store.statistics();
  EXPECT_EQ(statistics.tokens, 2000U);
  EXPECT_LT(statistics.hidden_tokens, 1500U);
}

TEST(TextStore, WhatIsBeingWrittenDoesNotAnswer) {
  TextStore store;
  store.put({{"a", {}, {1, 2, 3}}, {"b", {}, {1, 2, 4}}});
  const ContinuationQuery query{.shortest = 1};
  EXPECT_EQ(copied(store.snapshot()->continuations(Tokens{1, 2}, query)),
            (std::vector<Tokens>{{3}, {4}}));
  EXPECT_EQ(copied(store.snapshot("a")->continuations(Tokens{1, 2}, query)),
            (std::vector<Tokens>{{4}}));
  EXPECT_EQ(store.snapshot("c")->token_count(), 6U);
}

TEST(TextStore, ASnapshotStaysWhatItWas) {
  TextStore store;
  store.put({{"a", {}, {1, 2}}, {"b", {}, {1, 3}}, {"c", {}, {1, 4}}});
  const auto after_1 = [](const IndexSnapshot& snapshot) {
    return copied(snapshot.continuations(Tokens{1}, {.shortest = 1}));
  };
  store.erase(std::vector<std::string>{"a"});
  const auto snapshot = store.snapshot();  // of a segment with a hidden part
  store.erase(std::vector<std::string>{"b"});
  EXPECT_EQ(after_1(*snapshot), (std::vector<Tokens>{{3}, {4}}));
  EXPECT_EQ(after_1(*store.snapshot()), (std::vector<Tokens>{{4}}));
}

TEST(TextStore, RemembersStamps) {
  const TempFolder scratch;
  const FileStamp stamp{.size = 12, .modified = 34, .inode = 56};
  {
    TextStore store(folder_in(scratch));
    store.put({{"a", stamp, {1}}});
    ASSERT_TRUE(store.save());
  }
  TextStore store(folder_in(scratch));
  ASSERT_TRUE(store.load());
  EXPECT_EQ(store.stamp("a"), stamp);
  EXPECT_EQ(store.stamp("b"), std::nullopt);
}

TEST(TextStore, OfTwoProcessesOneWritesAndBothRead) {
  const TempFolder scratch;
  auto first = std::make_unique<TextStore>(folder_in(scratch));
  first->put({{"a", {}, {1, 2, 3}}});
  ASSERT_TRUE(first->save());
  TextStore second(folder_in(scratch));
  ASSERT_TRUE(second.load());
  EXPECT_FALSE(second.save_folder());
  EXPECT_EQ(second.statistics().tokens, 3U);
  second.put({{"b", {}, {4}}});
  ASSERT_TRUE(second.save()) << "not its business";
  EXPECT_EQ(second.statistics().memory_tokens, 1U);
  // The writer replaces a file that the other process reads.
  first->put({{"a", {}, {5, 6}}});
  ASSERT_TRUE(first->save());
  EXPECT_EQ(second.snapshot()->continuations(Tokens{1}, {.shortest = 1}).matched, 1);
  first.reset();
  EXPECT_TRUE(second.save_folder()) << "whoever is left";
  ASSERT_TRUE(second.save());
  EXPECT_EQ(second.statistics().memory_tokens, 0U);
}

TEST(TextStore, AReaderTakesOverWhatTheWriterSaves) {
  const TempFolder scratch;
  const FileStamp old{.size = 1, .modified = 1, .inode = 1};
  const FileStamp fresh{.size = 1, .modified = 2, .inode = 1};
  TextStore writer(folder_in(scratch));
  ASSERT_TRUE(writer.save());
  EXPECT_FALSE(writer.is_reader());
  TextStore reader(folder_in(scratch));
  EXPECT_TRUE(reader.is_reader());
  EXPECT_FALSE(reader.adopt());
  // Both have read the same files; the reader has a newer "b", and each has a buffer of its own.
  writer.put({{"a", old, {1, 2}}, {"b", old, {1, 3}}, {"c", old, {1, 4}}, {"buffer", {}, {1, 5}}});
  reader.put({{"a", old, {1, 2}}, {"b", fresh, {1, 6}}, {"buffer", {}, {1, 7}}});
  ASSERT_TRUE(writer.save());
  EXPECT_EQ(reader.statistics().memory_tokens, 6U);
  EXPECT_TRUE(reader.adopt());
  EXPECT_FALSE(reader.adopt());
  EXPECT_EQ(copied(reader.snapshot()->continuations(Tokens{1}, {.shortest = 1})),
            (std::vector<Tokens>{{2}, {4}, {6}, {7}}));
  EXPECT_EQ(reader.stamp("b"), fresh);
  EXPECT_EQ(reader.stamp("c"), old);
  while (reader.merge()) {
  }
  EXPECT_EQ(reader.statistics().memory_tokens, 6U) << "the rest is the writer's";
  EXPECT_FALSE(writer.adopt()) << "it has nobody to take over from";
}

// Merges with eight texts of one size, of which "a" is replaced and "b" erased meanwhile.
class MergeUnderWay : public testing::Test {
 protected:
  void SetUp() override {
    store_ = std::make_unique<TextStore>(folder_in(scratch_), [this] {
      if (std::exchange(changed_, true)) return;
      before_ = store_->snapshot();
      store_->put({{"a", kNew, {1, 80}}, {"c", kNew, {1, 81}}});
      store_->erase(std::vector<std::string>{"b"});
    });
    for (const char* name : {"a", "b", "d", "e", "f", "g", "h", "i"})
      store_->put({{name, kOld, {1, static_cast<TokenId>(name[0])}}});
  }
  static std::vector<Tokens> after_1(const IndexSnapshot& snapshot) {
    return copied(snapshot.continuations(Tokens{1}, {.shortest = 1}));
  }
  void expect_what_was_put_last(TextStore& store) {
    EXPECT_EQ(after_1(*store.snapshot()),
              (std::vector<Tokens>{{80}, {81}, {'d'}, {'e'}, {'f'}, {'g'}, {'h'}, {'i'}}));
    EXPECT_EQ(store.statistics().tokens, 16U);
    EXPECT_EQ(store.statistics().texts, 8U);
    EXPECT_EQ(store.stamp("a"), kNew);
    EXPECT_EQ(store.stamp("b"), std::nullopt);
    EXPECT_EQ(store.stamp("d"), kOld);
  }

  static constexpr FileStamp kOld{.size = 1, .modified = 1, .inode = 1};
  static constexpr FileStamp kNew{.size = 1, .modified = 2, .inode = 1};
  TempFolder scratch_;
  std::unique_ptr<TextStore> store_;
  std::shared_ptr<const IndexSnapshot> before_;
  bool changed_ = false;
};

TEST_F(MergeUnderWay, WhatChangesMeanwhileStands) {
  ASSERT_TRUE(store_->merge());
  ASSERT_TRUE(changed_);
  expect_what_was_put_last(*store_);
  EXPECT_EQ(after_1(*before_).size(), 8U);
  EXPECT_EQ(after_1(*before_).front(), Tokens{'a'}) << "a snapshot stays what it was";
}

TEST_F(MergeUnderWay, WhatChangesDuringASaveIsSavedByIt) {
  ASSERT_TRUE(store_->save());
  ASSERT_TRUE(changed_);
  expect_what_was_put_last(*store_);
  store_.reset();
  TextStore again(folder_in(scratch_));
  ASSERT_TRUE(again.load());
  expect_what_was_put_last(again);
}

// Nothing of an empty text can be hidden, so a definition in it would outlive its replacement.
TEST(TextStore, AnEmptyTextHasNoDefinitions) {
  const StoredDefinition definition{.name = hash_of_name("f"), .begin = 0, .end = 1};
  TextStore store;
  store.put({{"a", {}, {}, {definition}}, {"b", {}, {1}}});
  EXPECT_TRUE(store.snapshot()->definitions("f", 10).empty());
  store.put({{"a", {}, {2}, {definition}}});
  EXPECT_EQ(store.snapshot()->definitions("f", 10).size(), 1U);
}

// One thread changes texts, one merges and saves, one reads. No merge ends before three texts were
// put while it ran.
TEST(TextStore, ThreadsDoNotDisturbEachOther) {
  const TempFolder scratch;
  std::atomic<int> puts = 0;
  std::atomic<int> merges = 0;
  std::atomic<bool> done = false;
  TextStore store(folder_in(scratch), [&] {
    for (const int before = puts; puts < before + 3 && !done;) std::this_thread::yield();
    ++merges;
  });
  std::thread background([&] {
    while (!done) {
      store.merge();
      EXPECT_TRUE(store.save());
    }
  });
  std::thread reader([&] {
    while (!done) {
      const auto snapshot = store.snapshot();
      const auto found = snapshot->continuations(Tokens{1, 2}, {.shortest = 1});
      for (const auto& tokens : found.tokens) EXPECT_FALSE(tokens.empty());
    }
  });
  std::mt19937 random(3);
  std::map<std::string, Tokens> texts;
  for (; puts < 20000 || merges < 20; ++puts) {
    const std::string name = std::to_string(random() % 30);
    texts[name] = Tokens(1 + random() % 50, static_cast<TokenId>(random() % 4));
    store.put({{name, {}, texts[name], {{.name = hash_of_name(name), .begin = 0, .end = 1}}}});
    if (puts % 5 != 0) continue;
    const std::string gone = std::to_string(random() % 30);
    texts.erase(gone);
    store.erase(std::vector{gone});
  }
  done = true;
  background.join();
  reader.join();
  while (store.merge()) {
  }
  expect_texts(store, texts);
  ASSERT_TRUE(store.save());
  expect_texts(store, texts);
}

}  // namespace
}  // namespace redraft
