// What this program keeps on disk, and the programs before and after it. releases/NAME holds what a
// version wrote: an index, keys and values, the cost of passes, the sizes of prompts, skipped
// layers, counts of use. Of today's version all is read as it was written, so whoever changes a
// format without a new number fails here; of any other version, and of files that are damaged
// anywhere, nothing is misread.
//
// With REDRAFT_UPDATE_KEPT=1 the files of kToday are written anew. Once a format has changed, give
// kToday the name of the next version and do that: what the last one wrote stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>

#include "cli/common/cost_cache.h"
#include "cli/common/prompt_size_store.h"
#include "cli/common/skip_store.h"
#include "indexing/store/checksum.h"
#include "indexing/store/text_store.h"
#include "lsp/status/usage.h"
#include "tests/decoding/kv_archive_fixture.h"
#include "tests/kit/case_files.h"
#include "tests/kit/temp_folder.h"

namespace redraft::cli {
namespace {

namespace fs = std::filesystem;
using lsp::Usage;
using lsp::UsageEvent;

constexpr const char* kToday = "0.1.0";
constexpr std::uint64_t kStoreKey = 7;
constexpr std::size_t kMagicBytes = 8;  // of which the last two are the version, as digits

const fs::path& releases() {
  static const fs::path folder = REDRAFT_RELEASES;
  return folder;
}

// What the files were made of.
std::vector<TextStore::Text> stored_texts() {
  std::vector<TextStore::Text> texts;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "folder/file " + std::to_string(i) + ".py";
    const FileStamp stamp{.size = 100U + static_cast<unsigned>(i), .modified = 17 * i, .inode = 5};
    texts.push_back({name, stamp, some_tokens(20 + i, static_cast<std::uint32_t>(i)), {}});
    texts.back().definitions.push_back(
        {.name = hash_of_name("area" + std::to_string(i)), .begin = 1, .end = 9});
  }
  return texts;
}

const KvTokens& kept_tokens() {
  static const KvTokens tokens = some_tokens(70, 9);
  return tokens;
}

CostKey cost_key_of_then() {
  return {.cpu = "Abacus 9000",
          .threads = 2,
          .instructions = "beads",
          .program = "0.1.0-123-456",
          .model = "model.gguf",
          .model_bytes = 7,
          .model_time = -5,
          .adapter = {}};
}

StoredCost cost_of_then() {
  return {
      .curve = CostCurve({{1, 0.025}, {8, 0.0512}, {1, 0.03, 1024}, {8, 0.08, 1024}}, true, 0.125),
      .measured_at = 1700000000,
      .complete = true,
      .tries = 1};
}

std::vector<KeptPromptSize> sizes_of_then() {
  return {{.cpu = "Abacus 9000",
           .threads = 2,
           .instructions = "beads",
           .model = "model.gguf",
           .model_bytes = 7,
           .size = PromptSize::kLarge,
           .chosen_at = 1700000000}};
}

Usage usage_of_then() {
  constexpr std::size_t kEventsOfThen = 14;
  Usage usage;
  for (std::size_t i = 0; i < kEventsOfThen; ++i)
    usage.count(static_cast<UsageEvent>(i), static_cast<std::int64_t>(i + 1));
  usage.note_none("it was off", 77);
  return usage;
}

// Everything that one version wrote, copied to where it may be changed. The model that a skip store
// knows by name, size and date is made beside it.
class KeptFiles {
 public:
  explicit KeptFiles(const fs::path& release) {
    fs::copy(release, scratch_.path() / "kept", fs::copy_options::recursive);
    fs::permissions(at("kv"), fs::perms::owner_all);
    make_model();
  }
  KeptFiles() { make_model(); }

  fs::path at(const std::string& below) const { return scratch_.path() / "kept" / below; }
  fs::path model() const { return scratch_.path() / "model.gguf"; }

 private:
  void make_model() const {
    scratch_.write("model.gguf", "weights");
    const std::chrono::sys_seconds then{std::chrono::seconds(1700000000)};
    fs::last_write_time(model(), std::chrono::file_clock::from_sys(then));
  }

  TempFolder scratch_;
};

Result<StoreFolder> open_store(const KeptFiles& kept) {
  return StoreFolder::open(kept.at("index"), kStoreKey);
}

void write_all(const KeptFiles& kept) {
  TextStore store(*open_store(kept));
  std::vector<TextStore::Text> texts = stored_texts();
  store.put({texts.begin(), texts.begin() + 3});
  ASSERT_TRUE(store.save());
  const std::vector<std::string> gone = {texts[1].name};
  store.erase(gone);
  store.put({texts[3]});
  ASSERT_TRUE(store.save());  // as a change
  Result<KvArchive> archive = KvArchive::open(kept.at("kv"), {"model", "build"});
  ASSERT_TRUE(archive);
  const Rows rows(kept_tokens());
  ASSERT_TRUE(archive->save(kept_tokens(), "/a/b.py", 0, [&] { return &rows; }));
  ASSERT_TRUE(CostCache(kept.at("cost")).store(cost_key_of_then(), cost_of_then()));
  write_bytes(kept.at("prompt-sizes.json"), to_text(sizes_of_then()));
  ASSERT_TRUE(SkipStore(kept.at("skips")).store(kept.model(), "a1+m2-3"));
  ASSERT_TRUE(lsp::add_usage(kept.at("usage.json"), usage_of_then()));
}

fs::path only_file(const fs::path& folder) {
  std::vector<fs::path> files = case_files(folder);
  EXPECT_EQ(files.size(), 1U) << folder;
  return files.front();
}

// The texts of an index, each checked against what was stored under its name and stamp.
std::vector<std::string> right_texts(TextStore& store) {
  const auto snapshot = store.snapshot();
  std::map<std::string, KvTokens> found;
  for (std::size_t part = 0; part < snapshot->parts().size(); ++part) {
    const auto& names = snapshot->parts()[part].names;
    for (std::size_t text = 0; names && text < names->size(); ++text) {
      const auto tokens = snapshot->tokens({part, text});
      if (store.stamp((*names)[text])) found[(*names)[text]].assign(tokens.begin(), tokens.end());
    }
  }
  std::vector<std::string> right;
  for (const TextStore::Text& text : stored_texts()) {
    if (store.stamp(text.name) != text.stamp) continue;
    EXPECT_EQ(found[text.name], text.tokens) << "misread: " << text.name;
    right.push_back(text.name);
  }
  return right;
}

// Whether a reader also keeps everything anew afterwards, which waits for the disk.
enum class Anew { kYes, kNo };

// The index as it is, without what turns out to be damaged. Whatever it is, everything can be put
// into it and saved, and is there afterwards.
std::vector<std::string> texts_in(const KeptFiles& kept, Anew anew = Anew::kYes) {
  std::vector<std::string> texts;
  {
    Result<StoreFolder> folder = open_store(kept);
    EXPECT_TRUE(folder) << folder.error().message();
    TextStore store(std::move(*folder));
    if (store.load()) store.verify();
    texts = right_texts(store);
    if (anew == Anew::kNo) return texts;
    store.put(stored_texts());
    const Result<void> saved = store.save();
    EXPECT_TRUE(saved) << saved.error().message();
  }
  TextStore again(*open_store(kept));
  const Result<void> loaded = again.load();
  EXPECT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(right_texts(again).size(), stored_texts().size()) << "it is not rebuilt";
  return texts;
}

// How many tokens' rows come back, each as it was written; and then all, after they were kept anew.
int rows_in(const KeptFiles& kept, Anew anew = Anew::kYes) {
  Result<KvArchive> archive = KvArchive::open(kept.at("kv"), {"model", "build"});
  EXPECT_TRUE(archive) << archive.error().message();
  const auto read = [&] {
    const KvArchive::Match match = archive->find(kept_tokens());
    Rows rows(static_cast<int>(kept_tokens().size()));
    if (match.length == 0 || !archive->load(match, kept_tokens(), rows)) return 0;
    const auto wanted = std::span(kept_tokens()).first(static_cast<std::size_t>(match.length));
    EXPECT_EQ(rows.holds(wanted), match.length) << "misread";
    return match.length;
  };
  const int count = read();
  if (anew == Anew::kNo) return count;
  const Rows rows(kept_tokens());
  EXPECT_TRUE(archive->save(kept_tokens(), "/a/b.py", 0, [&] { return &rows; }));
  EXPECT_EQ(read(), std::ssize(kept_tokens())) << "it is not kept anew";
  return count;
}

bool has_cost(const KeptFiles& kept, Anew anew = Anew::kYes) {
  const CostCache cache(kept.at("cost"));
  const std::optional<StoredCost> cost = cache.load(cost_key_of_then());
  EXPECT_GT(cost ? cost->curve.seconds(1) : 1, 0);
  if (anew == Anew::kNo) return cost.has_value();
  EXPECT_TRUE(cache.store(cost_key_of_then(), cost_of_then()));
  EXPECT_TRUE(cache.load(cost_key_of_then())) << "it is not measured anew";
  return cost.has_value();
}

std::string skips_in(const KeptFiles& kept, Anew anew = Anew::kYes) {
  const SkipStore store(kept.at("skips"));
  std::string skips = store.load(kept.model());
  if (anew == Anew::kNo) return skips;
  EXPECT_TRUE(store.store(kept.model(), "a1+m2-3"));
  EXPECT_EQ(store.load(kept.model()), "a1+m2-3");
  return skips;
}

// What was counted, or nothing; one more is counted then.
Usage usage_in(const KeptFiles& kept, Anew anew = Anew::kYes) {
  const Result<Usage> usage = lsp::read_usage(kept.at("usage.json"));
  Usage before = usage ? *usage : Usage();
  if (anew == Anew::kNo) return before;
  Usage one;
  one.count(UsageEvent::kHunkShown);
  EXPECT_TRUE(lsp::add_usage(kept.at("usage.json"), one));
  const Result<Usage> after = lsp::read_usage(kept.at("usage.json"));
  EXPECT_TRUE(after) << after.error().message();
  EXPECT_GE(after->of(UsageEvent::kHunkShown), before.of(UsageEvent::kHunkShown));
  return before;
}

// Replaces the checksum at `at` by that of what is before it.
void sum_up(std::string& bytes, std::size_t at) {
  const std::uint64_t sum = checksum(std::as_bytes(std::span(bytes)).first(at));
  std::memcpy(bytes.data() + at, &sum, sizeof sum);
}

// The file as another version would have written it: another number, and checksums that are right.
std::string of_version(const fs::path& file, char digit) {
  std::string bytes = bytes_of(file);
  bytes[kMagicBytes - 1] = digit;
  if (file.extension() == ".segment") sum_up(bytes, 72);
  if (file.extension() == ".kv") sum_up(bytes, 64);
  if (file.filename() == "manifest") sum_up(bytes, bytes.size() - sizeof(std::uint64_t));
  return bytes;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

const fs::path& todays() {
  static const fs::path folder = releases() / kToday;
  return folder;
}

TEST(KeptFormats, WritesThemAnew) {
  if (std::getenv("REDRAFT_UPDATE_KEPT") == nullptr) GTEST_SKIP() << "only on request";
  const KeptFiles kept;
  write_all(kept);
  fs::remove_all(todays());
  fs::create_directories(todays());
  fs::copy(kept.at(""), todays(), fs::copy_options::recursive);
  for (const char* lock : {"index/lock", "usage.lock"}) fs::remove(todays() / lock);
}

TEST(KeptFormats, OfTodayAllIsReadAsItWasWritten) {
  const KeptFiles kept(todays());
  const std::vector<TextStore::Text> texts = stored_texts();
  EXPECT_THAT(texts_in(kept), testing::ElementsAre(texts[0].name, texts[2].name, texts[3].name));
  EXPECT_EQ(rows_in(kept), std::ssize(kept_tokens()));
  const std::optional<StoredCost> cost = CostCache(kept.at("cost")).load(cost_key_of_then());
  ASSERT_TRUE(cost);
  EXPECT_EQ(to_text(cost_key_of_then(), *cost), to_text(cost_key_of_then(), cost_of_then()));
  EXPECT_EQ(PromptSizeStore(kept.at("prompt-sizes.json")).load(), sizes_of_then());
  EXPECT_EQ(skips_in(kept), "a1+m2-3");
  EXPECT_EQ(usage_in(kept), usage_of_then());
}

// What is written today has the form of the files that are kept: nobody has to make them anew.
TEST(KeptFormats, WhatIsWrittenTodayIsWhatWasKept) {
  const KeptFiles kept(todays()), now;
  write_all(now);
  for (const char* file : {"index/manifest", "index/changes", "usage.json"})
    EXPECT_EQ(bytes_of(now.at(file)).size(), bytes_of(kept.at(file)).size()) << file;
  EXPECT_EQ(bytes_of(now.at("prompt-sizes.json")), bytes_of(kept.at("prompt-sizes.json")));
  for (const char* folder : {"kv", "cost", "skips"})
    EXPECT_EQ(bytes_of(only_file(now.at(folder))), bytes_of(only_file(kept.at(folder)))) << folder;
}

TEST(KeptFormats, OfOtherReleasesNothingIsMisread) {
  for (const fs::path& release : case_files(releases())) {
    const KeptFiles kept(release);
    texts_in(kept);
    rows_in(kept);
    has_cost(kept);
    skips_in(kept);
    usage_in(kept);
  }
}

TEST(KeptFormats, AnotherVersionsIndexIsBuiltAnew) {
  for (const fs::path& file : case_files(todays() / "index")) {
    const char digit = bytes_of(file)[kMagicBytes - 1];
    for (const int step : {-1, 1}) {
      const KeptFiles kept(todays());
      write_bytes(kept.at("index") / file.filename(),
                  of_version(file, static_cast<char>(digit + step)));
      const std::size_t n_read = texts_in(kept).size();
      if (file.filename() == "changes") {
        EXPECT_EQ(n_read, 3U) << "as before the changes; a scan of the files finds the rest";
      } else {
        EXPECT_EQ(n_read, 0U) << file;
      }
    }
  }
}

TEST(KeptFormats, AnotherVersionsKeysAndValuesAreNotUsed) {
  const fs::path file = only_file(todays() / "kv");
  for (const char digit : {'1', '3'}) {
    const KeptFiles kept(todays());
    write_bytes(kept.at("kv") / file.filename(), of_version(file, digit));
    EXPECT_EQ(rows_in(kept), 0);
  }
}

TEST(KeptFormats, AnotherVersionsNumbersAreNotTaken) {
  for (const std::string format : {"1", "3", "-2", "2.5", "\"2\"", "null"}) {
    const KeptFiles kept(todays());
    const fs::path file = only_file(kept.at("cost"));
    write_bytes(file, replaced(bytes_of(file), "\"format\": 2", "\"format\": " + format));
    EXPECT_FALSE(has_cost(kept)) << format;
  }
  for (const std::string format : {"0", "2"}) {
    const KeptFiles kept(todays());
    const fs::path file = only_file(kept.at("skips"));
    write_bytes(file, replaced(bytes_of(file), "\"format\": 1", "\"format\": " + format));
    EXPECT_EQ(skips_in(kept), "") << format;
  }
}

TEST(KeptFormats, CountsOfOtherVersionsStay) {
  const KeptFiles kept(todays());
  const fs::path file = kept.at("usage.json");
  write_bytes(file, replaced(bytes_of(file), "{", R"({"rewindsAccepted": 12, "note": "new", )"));
  EXPECT_EQ(usage_in(kept), usage_of_then());
  EXPECT_THAT(bytes_of(file), testing::HasSubstr("\"rewindsAccepted\":12"));
  write_bytes(file, R"({"hunksShown": 3})");  // of an earlier one
  EXPECT_EQ(usage_in(kept).of(UsageEvent::kHunkShown), 3);
}

// Calls `check` with the file damaged at each place in turn; in long files at some. What follows
// from damage to one place in forty is kept anew.
template <typename Check>
void for_each_damage(const std::string& below, const Check& check) {
  constexpr std::size_t kPlaces = 200;
  const std::string whole = bytes_of(todays() / below);
  std::mt19937 random(1);
  const std::size_t step = 1 + whole.size() / kPlaces;
  for (std::size_t at = 0; at < whole.size(); at += step) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (random() % 8)));
    if (at % 7 == 0) damaged.resize(at);
    const KeptFiles kept(todays());
    write_bytes(kept.at(below), damaged);
    SCOPED_TRACE(below + " at " + std::to_string(at));
    check(kept, at / step % 40 == 0 ? Anew::kYes : Anew::kNo);
  }
}

std::string below_todays(const fs::path& file) { return fs::relative(file, todays()).string(); }

TEST(KeptFormats, NoDamageOfAnIndexIsMisread) {
  for (const fs::path& file : case_files(todays() / "index"))
    for_each_damage(below_todays(file),
                    [](const KeptFiles& kept, Anew anew) { texts_in(kept, anew); });
}

TEST(KeptFormats, NoDamageOfKeysAndValuesIsMisread) {
  for_each_damage(below_todays(only_file(todays() / "kv")),
                  [](const KeptFiles& kept, Anew anew) { rows_in(kept, anew); });
}

TEST(KeptFormats, NoDamageOfNumbersDoesHarm) {
  for_each_damage(below_todays(only_file(todays() / "cost")),
                  [](const KeptFiles& kept, Anew anew) { has_cost(kept, anew); });
  for_each_damage(below_todays(only_file(todays() / "skips")),
                  [](const KeptFiles& kept, Anew anew) { skips_in(kept, anew); });
  for_each_damage("usage.json", [](const KeptFiles& kept, Anew anew) { usage_in(kept, anew); });
}

}  // namespace
}  // namespace redraft::cli
