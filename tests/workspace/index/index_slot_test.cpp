#include "workspace/index/index_slot.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace redraft {
namespace {

class IndexSlotTest : public testing::Test {
 protected:
  // An index that opens when `opened_` has a value, and then fails: the test is about the time.
  RepositoryIndexer::MakeIndex make(const std::string& name) {
    return [this, name](std::string&) -> Result<std::unique_ptr<WorkspaceIndex>> {
      ++opening_;
      gate_.wait();
      --opening_;
      ++made_;
      return Error(name);
    };
  }
  void start(const std::string& name) {
    slot_.start(
        make(name), OwnerPost(post_, alive_),
        [this](const IndexStatus& news) { heard_.push_back(news.message); }, /*watch=*/false);
  }
  // Runs what was posted; true: `done` within two minutes.
  bool run_until(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!done() && std::chrono::steady_clock::now() < deadline) {
      std::deque<std::function<void()>> posted;
      {
        const std::lock_guard lock(mutex_);
        posted.swap(posted_);
      }
      for (const auto& function : posted) function();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return done();
  }

  std::atomic<int> opening_ = 0;
  std::atomic<int> made_ = 0;
  std::promise<void> open_;
  std::shared_future<void> gate_ = open_.get_future().share();
  std::vector<std::string> heard_;
  std::mutex mutex_;
  std::deque<std::function<void()>> posted_;
  Post post_ = [this](std::function<void()> function) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(function));
  };
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  IndexSlot slot_;  // last: its threads use the other members
};

TEST_F(IndexSlotTest, NothingIsHeardOfOneThatWasTakenAway) {
  open_.set_value();
  start("first");
  ASSERT_TRUE(run_until([&] { return made_ == 1; }));
  slot_.drop();
  EXPECT_FALSE(slot_);
  heard_.clear();
  start("second");
  ASSERT_TRUE(run_until([&] { return !heard_.empty(); }));
  EXPECT_EQ(heard_, std::vector<std::string>{"second"});
}

TEST_F(IndexSlotTest, TheNextOpensWhenTheOneBeforeIsGoneAndNobodyWaits) {
  start("first");
  ASSERT_TRUE(run_until([&] { return opening_ == 1; }));
  // Had they waited for the first, they would still do: it opens further down.
  for (const char* name : {"second", "third", "fourth"}) start(name);
  EXPECT_TRUE(slot_);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(opening_, 1) << "the first is still at it";
  open_.set_value();
  ASSERT_TRUE(run_until([&] { return !heard_.empty(); }));
  EXPECT_EQ(heard_, std::vector<std::string>{"fourth"});
  EXPECT_EQ(made_, 2) << "those in between were never opened";
}

TEST_F(IndexSlotTest, AnEmptySlotIsDroppedForNothing) {
  slot_.drop();
  slot_.drop();
  EXPECT_FALSE(slot_);
}

}  // namespace
}  // namespace redraft
