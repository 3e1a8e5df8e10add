#include "lsp/status/usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/kit/temp_folder.h"

namespace redraft::lsp {
namespace {

class UsageFile : public testing::Test {
 protected:
  void write(const std::string& text) {
    std::filesystem::create_directories(file_.parent_path());
    std::ofstream(file_) << text;
  }

  TempFolder folder_;
  std::filesystem::path file_ = folder_.path() / "state" / "usage.json";
};

TEST_F(UsageFile, AnAbsentFileHasCountedNothing) {
  const Result<Usage> usage = read_usage(file_);
  ASSERT_TRUE(usage);
  EXPECT_EQ(*usage, Usage());
}

TEST_F(UsageFile, ALogAddsWhatHasComeSinceItSavedLast) {
  UsageLog log(file_);
  log.now().count(UsageEvent::kHunkShown, 3);
  log.save();
  log.save();
  log.now().count(UsageEvent::kHunkShown);
  log.now().note_none("it was off", 77);
  log.save();
  const Result<Usage> usage = read_usage(file_);
  ASSERT_TRUE(usage) << usage.error().message();
  EXPECT_EQ(usage->of(UsageEvent::kHunkShown), 4);
  EXPECT_EQ(usage->why_none(), "it was off");
  EXPECT_EQ(usage->none_at(), 77);
  EXPECT_EQ(*usage, log.now());
}

TEST_F(UsageFile, WritersBesideEachOtherLoseNothing) {
  constexpr int kThreads = 4, kTimes = 25;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      Usage one;
      one.count(UsageEvent::kCompletionShown);
      const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
      for (int added = 0; added < kTimes && std::chrono::steady_clock::now() < limit;) {
        if (add_usage(file_, one)) ++added;  // else another process held the file for too long
      }
    });
  }
  threads.clear();
  const Result<Usage> usage = read_usage(file_);
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->of(UsageEvent::kCompletionShown), kThreads * kTimes);
}

TEST_F(UsageFile, WhatCannotBeUnderstoodIsAnErrorAndBegunAnew) {
  for (const char* damaged :
       {"", "[]", "{\"hunksShown\": -1}", "{\"hunksShown\": \"7\"}", "{\"hunksShown\": 1e3}",
        "{\"hunksShown\": 99999999999999999999}", "{\"lastWhyNone\": 5, \"lastNoneAt\": 5}",
        "{\"hunksShown\": 1, \"hunksShown\": 2}", "\xff\xfe"}) {
    SCOPED_TRACE(damaged);
    write(damaged);
    const Result<Usage> usage = read_usage(file_);
    ASSERT_FALSE(usage);
    EXPECT_THAT(usage.error().message(), testing::HasSubstr("usage.json"));
    Usage one;
    one.count(UsageEvent::kHunkShown);
    ASSERT_TRUE(add_usage(file_, one));
    EXPECT_EQ(*read_usage(file_), one);
  }
}

TEST_F(UsageFile, CountsStopBeforeTheyOverflow) {
  write("{\"hunksShown\": 4611686018427387903}");
  Usage one;
  one.count(UsageEvent::kHunkShown);
  ASSERT_TRUE(add_usage(file_, one));
  EXPECT_EQ(read_usage(file_)->of(UsageEvent::kHunkShown), 4611686018427387903);
}

}  // namespace
}  // namespace redraft::lsp
