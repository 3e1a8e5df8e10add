#include "tuning/data/data_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;

class ListedPairs : public PairSource {
 public:
  explicit ListedPairs(std::vector<EditPair> pairs) : pairs_(std::move(pairs)) {}
  Result<std::optional<EditPair>> next() override {
    if (at_ == pairs_.size()) return std::optional<EditPair>();
    return std::optional(pairs_[at_++]);
  }

 private:
  std::vector<EditPair> pairs_;
  std::size_t at_ = 0;
};

std::string code(const std::string& word, int lines = 8) {
  std::string out;
  for (int i = 0; i < lines; ++i) out += word + " of line number " + std::to_string(i) + "\n";
  return out;
}

TuningExample example_of(const EditPair& pair) {
  return {.prompt = "p",
          .target = pair.after + "```<|im_end|>",
          .learn = {{0, pair.after.size()}},
          .source = pair.source,
          .licence = pair.licence};
}

class DataRunTest : public ::testing::Test {
 protected:
  std::vector<EditPair> pairs(int count) const {
    std::vector<EditPair> out;
    for (int i = 0; i < count; ++i) {
      const std::string name = "name" + std::to_string(i);
      out.push_back({.instruction = i % 3 == 2 ? "fail" : "work",
                     .path = "a.py",
                     .before = code(name + " old"),
                     .after = code(name),
                     .source = "s " + name + (i == 4 ? "\xFF" : ""),
                     .licence = "MIT"});
    }
    return out;
  }
  DataRun run() {
    DataRun out{.out = folder_ / "out.jsonl", .settings = "these", .make = {}};
    out.make = [this](const EditPair& pair, const std::stop_token&) -> Result<MadeExample> {
      ++asked_;
      if (pair.instruction == "fail") return MadeExample{.example = {}, .why_none = "failed"};
      return MadeExample{.example = example_of(pair), .why_none = {}};
    };
    return out;
  }
  Result<DataReport> go(const DataRun& run, std::vector<EditPair> pairs,
                        const std::stop_token& stop = {}) {
    asked_ = 0;
    std::vector<std::unique_ptr<PairSource>> sources;
    sources.push_back(std::make_unique<ListedPairs>(std::move(pairs)));
    return run_data(run, sources, excluded_, stop);
  }
  static std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  TempFolder folder_;
  SimilarTexts excluded_;
  int asked_ = 0;
};

TEST_F(DataRunTest, CountsWhatItKeepsAndWhyItLeavesOutTheRest) {
  const Result<DataReport> report = go(run(), pairs(9));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->seen, 9);
  EXPECT_EQ(report->kept, 6);
  EXPECT_EQ(report->skipped.at("failed"), 3);
  EXPECT_FALSE(report->interrupted);
  const std::string out = read(folder_ / "out.jsonl");
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 6);
}

// Wherever it ends, and whatever of a line was written by then.
TEST_F(DataRunTest, GoesOnWhereItWasInterrupted) {
  ASSERT_TRUE(go(run(), pairs(9)));
  const std::string whole = read(folder_ / "out.jsonl");
  const std::string progress = read(folder_ / "out.jsonl.progress");
  for (int after = 0; after < 9; ++after) {
    for (const std::size_t torn : {0, 1, 20}) {
      std::filesystem::remove(folder_ / "out.jsonl");
      std::filesystem::remove(folder_ / "out.jsonl.progress");
      std::stop_source stop;
      DataRun first = run();
      const auto make = first.make;
      first.make = [&](const EditPair& pair, const std::stop_token& token) -> Result<MadeExample> {
        if (asked_ == after) {
          stop.request_stop();
          return MadeExample{.example = {}, .why_none = {}, .cancelled = true};
        }
        return make(pair, token);
      };
      const Result<DataReport> begun = go(first, pairs(9), stop.get_token());
      ASSERT_TRUE(begun);
      EXPECT_TRUE(begun->interrupted);
      for (const char* file : {"out.jsonl", "out.jsonl.progress"}) {
        const std::string text = read(folder_ / file);
        const std::string& all = file == std::string("out.jsonl") ? whole : progress;
        folder_.write(file, all.substr(0, std::min(text.size() + torn, all.size())));
      }
      const Result<DataReport> done = go(run(), pairs(9));
      ASSERT_TRUE(done) << done.error().message();
      EXPECT_EQ(read(folder_ / "out.jsonl"), whole) << after << " " << torn;
      EXPECT_EQ(read(folder_ / "out.jsonl.progress"), progress);
      EXPECT_EQ(done->seen, 9);
      EXPECT_EQ(done->kept, 6);
      EXPECT_EQ(done->skipped.at("failed"), 3);
    }
  }
}

TEST_F(DataRunTest, AsksNothingAgain) {
  ASSERT_TRUE(go(run(), pairs(9)));
  const Result<DataReport> again = go(run(), pairs(9));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(asked_, 0);
  EXPECT_EQ(again->kept, 6);
}

TEST_F(DataRunTest, StopsAtItsLimitAndGoesOnUnderAHigherOne) {
  DataRun limited = run();
  limited.limit = 2;
  const Result<DataReport> report = go(limited, pairs(9));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->kept, 2);
  EXPECT_FALSE(report->interrupted);
  limited.limit = 4;
  EXPECT_EQ(go(limited, pairs(9))->kept, 4);
}

TEST_F(DataRunTest, TakesNoFileOfOthers) {
  folder_.write("out.jsonl", "mine\n");
  EXPECT_THAT(go(run(), pairs(1)).error().message(),
              HasSubstr("already exists, and not from an unfinished run"));
  EXPECT_EQ(read(folder_ / "out.jsonl"), "mine\n");
  std::filesystem::remove(folder_ / "out.jsonl");
  ASSERT_TRUE(go(run(), pairs(1)));
  DataRun other = run();
  other.settings = "others";
  EXPECT_THAT(go(other, pairs(1)).error().message(), HasSubstr("was started with other options"));
  std::filesystem::remove(folder_ / "out.jsonl");
  EXPECT_THAT(go(run(), pairs(1)).error().message(), HasSubstr("has fewer examples than"));
}

TEST_F(DataRunTest, KeepsExcludedTextsOut) {
  excluded_.add(code("name0 old"));
  excluded_.add(code("name1"));
  std::vector<EditPair> all = pairs(4);
  EXPECT_EQ(go(run(), all)->skipped.at("files like an excluded text"), 2);
  EXPECT_EQ(asked_, 2) << "the target is not asked";
  // An answer may be like one although the file is not.
  DataRun copying = run();
  copying.out = folder_ / "other.jsonl";
  copying.make = [&](const EditPair& pair, const std::stop_token&) -> Result<MadeExample> {
    TuningExample example = example_of(pair);
    example.target = code("name1") + "```<|im_end|>";
    return MadeExample{.example = example, .why_none = {}};
  };
  const Result<DataReport> report = go(copying, {all[3]});
  EXPECT_EQ(report->kept, 0);
  EXPECT_EQ(report->skipped.at("answers like an excluded text"), 1);
}

TEST_F(DataRunTest, KeepsOneOfAnswersThatAreNearlyTheSame) {
  std::vector<EditPair> all = pairs(2);
  EditPair near = all[0];
  near.source = "near";
  near.after = code("name0") + "one more line at the end\n";
  EditPair far = all[0];
  far.source = "far";
  far.after = code("name0", 4) + code("something else", 6);
  const Result<DataReport> report = go(run(), {all[0], near, all[1], far});
  EXPECT_EQ(report->skipped.at("answers like one that was kept"), 1);
  EXPECT_EQ(report->kept, 3);
  // Which an interrupted run still knows.
  EditPair again = near;
  again.source = "again";
  EXPECT_EQ(
      go(run(), {all[0], near, all[1], far, again})->skipped.at("answers like one that was kept"),
      2);
}

TEST_F(DataRunTest, LeavesOutFilesThatStateAnotherLicence) {
  std::vector<EditPair> all = pairs(2);
  all[0].before = "# SPDX-License-Identifier: GPL-3.0-only\n" + all[0].before;
  all[1].before = "# SPDX-License-Identifier: MIT\n" + all[1].before;
  EXPECT_EQ(go(run(), all)->skipped.at("files that state a licence off the list"), 1);
}

}  // namespace
}  // namespace redraft
