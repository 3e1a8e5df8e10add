// The order in which the model's jobs run.
#include "workspace/engine/decode_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>
#include <utility>

namespace redraft {
namespace {

using namespace std::chrono_literals;
using Control = DecodeQueue::Control;

class Queue : public testing::Test {
 protected:
  DecodeQueue::Job says(char what) {
    return [this, what](const Control&) { said_ += what; };
  }
  // Adds a job that reports its start, and ends when its promise is fulfilled.
  DecodeQueue::JobId add_blocker(std::promise<void>& end) {
    std::promise<void> began;
    const auto id = queue_.add(
        [&](const Control& control) {
          said_ += '(';
          began.set_value();
          end.get_future().wait();
          control.give_way();
          said_ += ')';
          if (control.stop.stop_requested()) said_ += '!';
        },
        Urgency::kEdit);
    began.get_future().wait();
    return id;
  }

  std::string said_;
  DecodeQueue queue_;  // last: its thread writes the reports
};

TEST_F(Queue, TheMostUrgentFirstAndOfEqualsTheOldest) {
  std::promise<void> end;
  add_blocker(end);
  queue_.add(says('w'), Urgency::kWarmUp);
  queue_.add(says('1'), Urgency::kEdit);
  queue_.add(says('2'), Urgency::kEdit);
  end.set_value();
  queue_.wait_until_idle();
  EXPECT_EQ(said_, "()12w");
}

TEST_F(Queue, IsIdleWhenNothingRunsOrWaits) {
  EXPECT_TRUE(queue_.is_idle());
  std::promise<void> end;
  add_blocker(end);
  EXPECT_FALSE(queue_.is_idle());
  end.set_value();
  queue_.wait_until_idle();
  EXPECT_TRUE(queue_.is_idle());
  const auto later = queue_.add(says('l'), Urgency::kEdit, DecodeQueue::Clock::now() + 1h);
  EXPECT_FALSE(queue_.is_idle());
  queue_.cancel(later);
  EXPECT_TRUE(queue_.is_idle());
}

TEST_F(Queue, AJobGivesWayToWhatIsMoreUrgentAndToNothingElse) {
  std::promise<void> end;
  add_blocker(end);
  queue_.add(says('e'), Urgency::kEdit);
  queue_.add(says('c'), Urgency::kCompletion);
  queue_.add(says('d'), Urgency::kCompletion);
  end.set_value();
  queue_.wait_until_idle();
  EXPECT_EQ(said_, "(cd)e");
}

// As a job does that loads a model.
TEST_F(Queue, OnlyWhatNeedsNoModelIsLetIn) {
  std::promise<void> began, end;
  queue_.add(
      [&](const Control& control) {
        said_ += '(';
        began.set_value();
        end.get_future().wait();
        control.let_in();
        said_ += ')';
      },
      Urgency::kWarmUp);
  began.get_future().wait();
  queue_.add(says('c'), Urgency::kCompletion);
  queue_.add(says('r'), Urgency::kWithoutModel);
  end.set_value();
  queue_.wait_until_idle();
  EXPECT_EQ(said_, "(r)c");
}

TEST_F(Queue, ACancelReachesAJobThatGaveWay) {
  std::promise<void> end;
  const auto outer = add_blocker(end);
  queue_.add([&](const Control&) { EXPECT_FALSE(queue_.cancel(outer)) << "it has begun"; },
             Urgency::kCompletion);
  end.set_value();
  queue_.wait_until_idle();
  EXPECT_EQ(said_, "()!");
}

TEST_F(Queue, AJobWaitsForItsTime) {
  const auto begin = DecodeQueue::Clock::now();
  DecodeQueue::Clock::time_point ran;
  queue_.add([&](const Control&) { ran = DecodeQueue::Clock::now(); }, Urgency::kCompletion,
             begin + 60ms);
  queue_.wait_until_idle();
  EXPECT_GE(ran - begin, 60ms);
}

TEST_F(Queue, OthersDoNotWaitForAJobWhoseTimeHasNotCome) {
  const auto later = queue_.add(says('l'), Urgency::kCompletion, DecodeQueue::Clock::now() + 1h);
  std::promise<void> done;
  queue_.add(says('e'), Urgency::kEdit);
  queue_.add([&](const Control&) { done.set_value(); }, Urgency::kWarmUp);
  done.get_future().wait();
  EXPECT_EQ(said_, "e");
  EXPECT_TRUE(queue_.cancel(later)) << "it has not begun";
}

TEST_F(Queue, AnEarlierTimeThatComesLaterIsKept) {
  const auto later = queue_.add(says('l'), Urgency::kEdit, DecodeQueue::Clock::now() + 1h);
  std::promise<void> done;
  queue_.add([&](const Control&) { done.set_value(); }, Urgency::kEdit,
             DecodeQueue::Clock::now() + 40ms);
  done.get_future().wait();
  EXPECT_TRUE(queue_.cancel(later)) << "it has not begun";
}

TEST_F(Queue, WaitingJobsCanBeCancelled) {
  const auto id = queue_.add(says('x'), Urgency::kEdit, DecodeQueue::Clock::now() + 10h);
  EXPECT_TRUE(queue_.cancel(id));
  EXPECT_FALSE(queue_.cancel(id));
  queue_.wait_until_idle();
  EXPECT_EQ(said_, "");
}

TEST(QueueEnd, DropsWaitingJobsAndStopsTheRunningOne) {
  std::atomic<bool> stopped = false;
  std::promise<void> began;
  {
    DecodeQueue queue;
    queue.add(
        [&](const Control& control) {
          began.set_value();
          while (!control.stop.stop_requested()) std::this_thread::yield();
          stopped = true;
        },
        Urgency::kEdit);
    queue.add([](const Control&) { FAIL() << "it was forgotten"; }, Urgency::kEdit);
    queue.add([](const Control&) { FAIL() << "it was forgotten"; }, Urgency::kEdit,
              DecodeQueue::Clock::now() + 10h);
    began.get_future().wait();
  }
  EXPECT_TRUE(stopped);
}

TEST_F(Queue, RestsOnceAfterEachTimeOfWork) {
  std::promise<void> first, second;
  std::promise<void>* next = &first;
  queue_.set_rest(1ms, [&] { std::exchange(next, nullptr)->set_value(); });
  queue_.add(says('a'), Urgency::kEdit);
  first.get_future().wait();  // a second rest without work would be a null pointer
  queue_.add(
      [&](const Control&) {
        said_ += 'b';
        next = &second;
      },
      Urgency::kEdit);
  second.get_future().wait();
  EXPECT_EQ(said_, "ab");
}

TEST_F(Queue, NeverRestsBeforeWorkWhileAJobWaitsOrWithoutATime) {
  queue_.set_rest(1ms, [&] { said_ += 'r'; });
  std::promise<void> end;
  queue_.add(says('w'), Urgency::kEdit, DecodeQueue::Clock::now() + 50ms);
  add_blocker(end);
  queue_.set_rest(0ms, [&] { said_ += 'r'; });
  end.set_value();
  queue_.wait_until_idle();
  EXPECT_EQ(said_, "()w");
}

}  // namespace
}  // namespace redraft
