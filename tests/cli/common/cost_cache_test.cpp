#include "cli/common/cost_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <thread>

#include "cli/common/kv_key.h"
#include "tests/kit/scripted_model.h"

namespace redraft::cli {
namespace {

using testing::HasSubstr;

CostKey some_key() {
  return {.cpu = "Abacus 9000 \"fast\"",
          .threads = 2,
          .instructions = "beads",
          .program = "0.1.0-123-456",
          .model = "model q4 (1).gguf",
          .model_bytes = std::numeric_limits<std::uint64_t>::max() - 1,
          .model_time = -5};
}

StoredCost some_cost() {
  return {.curve = CostCurve({{1, 0.025}, {8, 0.0512345678901}, {1, 0.03, 1024}, {8, 0.08, 1024}},
                             true, 0.125),
          .measured_at = 1700000000,
          .complete = true,
          .tries = 1};
}

void expect_equal(const CostCurve& a, const CostCurve& b) {
  ASSERT_EQ(a.points().size(), b.points().size());
  for (std::size_t i = 0; i < a.points().size(); ++i) {
    EXPECT_EQ(a.points()[i].rows, b.points()[i].rows);
    EXPECT_EQ(a.points()[i].context, b.points()[i].context);
    EXPECT_EQ(a.points()[i].seconds, b.points()[i].seconds);
  }
}

class CostCacheTest : public testing::Test {
 protected:
  CostCacheTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("redraft-cost-" + std::to_string(std::random_device()()))),
        cache_(folder_ / "new" / "cost") {}
  ~CostCacheTest() override { std::filesystem::remove_all(folder_); }

  void overwrite(const std::string& text) const {
    std::filesystem::create_directories(cache_.file_of(some_key()).parent_path());
    std::ofstream(cache_.file_of(some_key()), std::ios::binary) << text;
  }

  std::filesystem::path folder_;
  CostCache cache_;
};

TEST_F(CostCacheTest, GivesBackWhatWasStored) {
  EXPECT_FALSE(cache_.load(some_key()));
  ASSERT_TRUE(cache_.store(some_key(), some_cost()));
  const std::optional<StoredCost> loaded = cache_.load(some_key());
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->complete);
  EXPECT_EQ(loaded->measured_at, 1700000000);
  EXPECT_EQ(loaded->curve.unrest(), 0.125);
  EXPECT_EQ(loaded->tries, 1);
  expect_equal(loaded->curve, some_cost().curve);
}

TEST_F(CostCacheTest, AnythingElseThanTheKeyIsForeign) {
  const auto changed = [](auto change) {
    CostKey key = some_key();
    change(key);
    return key;
  };
  const CostKey others[] = {
      changed([](CostKey& key) { key.cpu += "!"; }),
      changed([](CostKey& key) { key.threads = 3; }),
      changed([](CostKey& key) { key.instructions = "fingers"; }),
      changed([](CostKey& key) { key.program += "7"; }),
      changed([](CostKey& key) { key.model = "other.gguf"; }),
      changed([](CostKey& key) { --key.model_bytes; }),
      changed([](CostKey& key) { ++key.model_time; }),
      changed([](CostKey& key) { key.adapter = "a"; }),
  };
  const std::string text = to_text(some_key(), some_cost());
  ASSERT_TRUE(cache_.store(some_key(), some_cost()));
  for (const CostKey& other : others) {
    EXPECT_FALSE(cache_.load(other));
    EXPECT_FALSE(parse_cost("cost", text, other));
  }
  EXPECT_TRUE(parse_cost("cost", text, some_key()));
}

// A rebuilt program or a changed model replaces the old file; another machine has a file of its
// own.
TEST_F(CostCacheTest, OneFileForEachMachineAndModel) {
  CostKey rebuilt = some_key();
  rebuilt.program = "0.2.0-1-1";
  rebuilt.model_time = 7;
  EXPECT_EQ(cache_.file_of(rebuilt), cache_.file_of(some_key()));
  CostKey elsewhere = some_key();
  elsewhere.threads = 4;
  EXPECT_NE(cache_.file_of(elsewhere), cache_.file_of(some_key()));
  EXPECT_EQ(cache_.file_of(some_key()).filename().string().find_first_of(" /()\""),
            std::string::npos);
}

TEST_F(CostCacheTest, DamagedFilesAreAsGoodAsNone) {
  const std::string text = to_text(some_key(), some_cost());
  for (const std::string& damaged :
       {std::string(), std::string("{}"), std::string("[1, 2]"), text.substr(0, text.size() / 2),
        std::string(3 << 20, ' '), std::string("\0\xff", 2)}) {
    overwrite(damaged);
    EXPECT_FALSE(cache_.load(some_key())) << damaged.substr(0, 40);
  }
  overwrite(text);
  EXPECT_TRUE(cache_.load(some_key()));
  std::filesystem::remove(cache_.file_of(some_key()));
  std::filesystem::create_directory(cache_.file_of(some_key()));
  EXPECT_FALSE(cache_.load(some_key()));
  EXPECT_FALSE(cache_.store(some_key(), some_cost()));
}

TEST_F(CostCacheTest, NumbersThatNoPassHasAreRefused) {
  const std::string text = to_text(some_key(), some_cost());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return changed.replace(at, from.size(), to);
  };
  for (const std::string& hostile :
       {with("\"rows\": 1,", "\"rows\": 0,"), with("\"rows\": 1,", "\"rows\": 1e9,"),
        with("\"rows\": 1,", "\"rows\": 99999999999999999999,"),
        with("\"context\": 0", "\"context\": -1"), with("\"context\": 0", "\"context\": \"0\""),
        with("0.025", "-0.025"), with("0.025", "0"), with("0.025", "1e300"), with("0.025", "null"),
        with("\"format\": 2", "\"format\": 1"), with("\"format\": 2", "\"format\": 3"),
        with("\"unrest\": 0.125", "\"unrest\": -1"), with("\"unrest\": 0.125", "\"unrest\": 1e300"),
        with("\"unrest\": 0.125", "\"unrest\": \"0\""), with("\"tries\": 1", "\"tries\": 4"),
        with("\"tries\": 1", "\"tries\": 0.5"), with("\"complete\": true", "\"complete\": 1")}) {
    const Result<StoredCost> parsed = parse_cost("cost.json", hostile, some_key());
    ASSERT_FALSE(parsed) << hostile;
    EXPECT_THAT(parsed.error().message(), HasSubstr("cost.json"));
  }
}

// Whatever a file contains, the result is an error or a curve with plausible costs.
TEST_F(CostCacheTest, AnyBytesGiveAnErrorOrAUsableCurve) {
  const std::string text = to_text(some_key(), some_cost());
  std::mt19937 random(5);
  const std::string alphabet = "0123456789-+.eE{}[]\",: \n\\ntrufals\xff";
  int usable = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string mutant = text;
    for (int change = 1 + static_cast<int>(random() % 3); change > 0; --change) {
      const std::size_t at = random() % mutant.size();
      switch (random() % 3) {
        case 0:
          mutant[at] = alphabet[random() % alphabet.size()];
          break;
        case 1:
          mutant.erase(at, 1 + random() % 8);
          break;
        default:
          mutant.insert(at, 1, alphabet[random() % alphabet.size()]);
      }
      if (mutant.empty()) mutant = "x";
    }
    const Result<StoredCost> parsed = parse_cost("cost", mutant, some_key());
    if (!parsed) continue;
    ++usable;
    for (const int rows : {1, 3, 300}) {
      for (const int context : {0, 500, 100000}) {
        const double seconds = parsed->curve.seconds(rows, context);
        ASSERT_TRUE(std::isfinite(seconds) && seconds > 0) << mutant;
      }
    }
  }
  EXPECT_GT(usable, 100);
}

TEST_F(CostCacheTest, WritersAtOnceLeaveAWholeCurve) {
  std::atomic<bool> done = false;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int round = 0; round < 25; ++round) {
        StoredCost cost = some_cost();
        cost.measured_at = writer;
        EXPECT_TRUE(cache_.store(some_key(), cost));
      }
    });
  }
  std::thread reader([&] {
    bool seen = false;
    while (!done) {
      const std::optional<StoredCost> loaded = cache_.load(some_key());
      EXPECT_TRUE(loaded || !seen);
      seen = seen || loaded.has_value();
    }
  });
  for (std::thread& writer : writers) writer.join();
  done = true;
  reader.join();
  ASSERT_TRUE(cache_.load(some_key()));
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "new" / "cost")) {
    files += entry.is_regular_file();
  }
  EXPECT_EQ(files, 1);
}

TEST_F(CostCacheTest, MeasuresOnceAndRemembers) {
  ScriptedModel model = ScriptedModel::random(1, {.context_length = 64});
  const CostCurve measured = find_or_measure_cost(cache_, some_key(), model);
  const std::optional<StoredCost> stored = cache_.load(some_key());
  ASSERT_TRUE(stored);
  EXPECT_FALSE(stored->complete);
  expect_equal(stored->curve, measured);
  ASSERT_TRUE(cache_.store(some_key(), some_cost()));
  expect_equal(find_or_measure_cost(cache_, some_key(), model), some_cost().curve);
}

// A curve of a busy second is measured again at a few starts; a worse measurement is not taken.
TEST_F(CostCacheTest, MeasuresAgainWhatWasMeasuredInABusyMoment) {
  ScriptedModel model = ScriptedModel::random(1, {.context_length = 64});
  const CostCurve busy = some_cost().curve.with_unrest(1e5);
  ASSERT_TRUE(cache_.store(some_key(), {.curve = busy}));
  const CostCurve measured = find_or_measure_cost(cache_, some_key(), model);
  EXPECT_LT(measured.unrest(), busy.unrest());
  EXPECT_EQ(cache_.load(some_key())->tries, 1);
  expect_equal(cache_.load(some_key())->curve, measured);
  ASSERT_TRUE(cache_.store(some_key(), {.curve = busy, .tries = 3}));
  expect_equal(find_or_measure_cost(cache_, some_key(), model), busy);
}

TEST_F(CostCacheTest, KeepsWhatBecameOfACurve) {
  ASSERT_TRUE(cache_.store(some_key(), some_cost()));
  const CostCurve corrected = some_cost().curve.scaled(1.25, 1.5);
  keep_cost(cache_, some_key(), corrected, CostChange::kCorrected);
  expect_equal(cache_.load(some_key())->curve, corrected);
  EXPECT_EQ(cache_.load(some_key())->measured_at, 1700000000);
  EXPECT_TRUE(cache_.load(some_key())->complete);
  for (const CostChange how : {CostChange::kThrownAway, CostChange::kMeasured}) {
    keep_cost(cache_, some_key(), corrected, how);
    EXPECT_FALSE(cache_.load(some_key())->complete);
    EXPECT_GT(cache_.load(some_key())->measured_at, 1700000000);
    EXPECT_EQ(cache_.load(some_key())->tries, 1);
  }
}

TEST_F(CostCacheTest, WorksWhereNothingCanBeKept) {
  ScriptedModel model = ScriptedModel::random(1, {.context_length = 64});
  const CostCache nowhere("/dev/null/cost");
  EXPECT_FALSE(nowhere.store(some_key(), some_cost()));
  EXPECT_FALSE(find_or_measure_cost(nowhere, some_key(), model).points().empty());
}

// Never in a place that others may have prepared, such as a temporary folder.
TEST_F(CostCacheTest, WithoutAFolderOfTheUserNothingIsStoredOrFound) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::unsetenv("HOME");
    ::unsetenv("XDG_CACHE_HOME");
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
    const CostCache none;
    const Result<void> stored = none.store(some_key(), some_cost());
    const bool said = !stored && stored.error().message().find("set HOME") != std::string::npos;
    ::_exit(said && !none.load(some_key()) && none.file_of(some_key()).is_relative() &&
                    std::filesystem::is_empty(folder_)
                ? 0
                : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(CostCacheTest, AChangedModelHasAnotherKey) {
  std::filesystem::create_directories(folder_ / "model");
  const std::filesystem::path file = folder_ / "model" / "weights.safetensors";
  std::ofstream(file) << "12345";
  const Result<CostKey> key = cost_key(file, 2, "avx2");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->model_bytes, 5U);
  EXPECT_EQ(*key, *cost_key(file, 2, "avx2"));
  EXPECT_EQ(cost_key(folder_ / "model", 2, "avx2")->model_bytes, 5U);
  std::ofstream(file) << "1234567";
  EXPECT_NE(*key, *cost_key(file, 2, "avx2"));
  EXPECT_FALSE(cost_key(folder_ / "none.gguf", 2, "avx2"));
  const CostKey longer = *cost_key(file, 2, "avx2");
  std::filesystem::last_write_time(file,
                                   std::filesystem::last_write_time(file) + std::chrono::hours(1));
  EXPECT_NE(longer, *cost_key(file, 2, "avx2")) << "the same size, written later";
}

// Adapters of the same name, size and date, as checkpoints of one run are: what a pass costs is not
// shared with the model, and keys and values are not with another adapter.
TEST_F(CostCacheTest, AnAdapterHasAnotherKey) {
  const std::filesystem::path file = folder_ / "model.gguf";
  std::filesystem::create_directories(folder_);
  std::ofstream(file) << "12345";
  const auto adapter = [&](const char* where, const char* weights) {
    std::filesystem::create_directories(folder_ / where / "adapter");
    std::ofstream(folder_ / where / "adapter" / "adapter_config.json") << "{}";
    std::ofstream(folder_ / where / "adapter" / "adapter_model.safetensors") << weights;
    return ModelLocation(file, folder_ / where / "adapter");
  };
  const ModelLocation one = adapter("one", "abc");
  const ModelLocation other = adapter("other", "abd");
  const CostKey base = *cost_key(file, 2, "avx2");
  const CostKey with_one = *cost_key(one, 2, "avx2");
  EXPECT_NE(base, with_one);
  EXPECT_NE(cache_.file_of(base), cache_.file_of(with_one)) << "each would throw away the other's";
  EXPECT_NE(with_one, *cost_key(other, 2, "avx2"));
  EXPECT_NE(kv_key(one, "weights", "avx2")->model, kv_key(other, "weights", "avx2")->model);
  EXPECT_NE(kv_key(one, "weights", "avx2")->model, kv_key(file, "weights", "avx2")->model);
  EXPECT_EQ(kv_key(one, "weights", "avx2")->model,
            kv_key(adapter("copy", "abc"), "weights", "avx2")->model);
  EXPECT_NE(kv_key(file, "weights", "avx2")->model, kv_key(file, "others", "avx2")->model);
  EXPECT_FALSE(cost_key({file, folder_ / "none"}, 2, "avx2"));
}

}  // namespace
}  // namespace redraft::cli
