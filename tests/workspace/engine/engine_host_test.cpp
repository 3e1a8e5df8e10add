#include "workspace/engine/engine_host.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/scripted_model.h"
#include "workspace/engine/local_engine.h"
#include "workspace/engine/save_when_idle.h"

namespace redraft {
namespace {

using namespace std::chrono_literals;
using State = EngineStatus::State;

class EngineHostTest : public testing::Test {
 protected:
  EngineHostTest() {
    observer_ = host_.observe([this](const EngineStatus& status) { seen_.push_back(status); });
  }

  Result<std::unique_ptr<Engine>> make(const LoadControl& control) {
    ++made_;
    failed_before_ = control.device_failed;
    if (!load_error_.empty()) return Error(load_error_);
    current_ = true;
    LocalEngine::Model target{
        "tiny",
        std::make_unique<ScriptedModel>(ScriptedModel::random(
            1, {.vocabulary = byte_tokenizer()->vocabulary_size(), .context_length = 4096})),
        byte_tokenizer()};
    target.is_current = [this] { return current_.load(); };
    return as_engine(LocalEngine::make(std::move(target), {}));
  }
  // How many tokens of a prompt a request finds in a cache; -1: it fails.
  int request() {
    std::promise<int> known;
    host_.queue().add(
        [&](const DecodeQueue::Control&) {
          const Result<int> result = run_on_engine(host_, "no", [](Engine& engine) -> Result<int> {
            DecodeRequest decode;
            decode.prompt = byte_tokenizer()->encode("a prompt of some length");
            decode.max_new_tokens = 2;
            const auto done =
                engine.decode(Purpose::kEdit, *parse_decoder_name("ar"), decode, {}, {});
            if (!done) return done.error();
            return done->statistics.cached_prompt_tokens;
          });
          known.set_value(result ? *result : -1);
        },
        Urgency::kEdit);
    const int result = known.get_future().get();
    run_posted();
    return result;
  }
  void run_posted() {
    std::unique_lock lock(mutex_);
    while (!posted_.empty()) {
      const std::function<void()> function = std::move(posted_.front());
      posted_.pop_front();
      lock.unlock();
      function();
      lock.lock();
    }
  }
  void run_until(const std::function<bool()>& done) {
    while (!done()) {
      {
        std::unique_lock lock(mutex_);
        came_.wait(lock, [&] { return !posted_.empty(); });
      }
      run_posted();
    }
  }
  bool was_said(const std::string& notice) const {
    for (const EngineStatus& status : seen_) {
      if (status.notice.find(notice) != std::string::npos) return true;
    }
    return false;
  }

  std::atomic<int> made_ = 0;
  std::atomic<bool> current_ = true;
  std::string load_error_;
  bool failed_before_ = false;
  std::vector<EngineStatus> seen_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<std::function<void()>> posted_;
  EngineHost::ObserverId observer_ = 0;
  EngineHost host_{[this](const LoadControl& control) { return make(control); },
                   [this](std::function<void()> function) {
                     const std::lock_guard lock(mutex_);
                     posted_.push_back(std::move(function));
                     came_.notify_all();
                   }};
};

// Models of their own for completions and next edits, beside one for the rest.
class HostsBesideTest : public EngineHostTest {
 protected:
  std::shared_ptr<const EngineHost::Factory> own(const std::string& name) {
    return std::make_shared<const EngineHost::Factory>(
        [this, name](const LoadControl& control) {
          loaded_.push_back(name);
          return make(control);
        },
        false, [] { return std::uint64_t{7}; });
  }
  std::unique_ptr<EngineHost> host_with(
      const std::shared_ptr<const EngineHost::Factory>& completion,
      const std::shared_ptr<const EngineHost::Factory>& next) {
    EngineHost::Factory factory = [this](const LoadControl& control) {
      loaded_.emplace_back("target");
      return make(control);
    };
    factory.own[Purpose::kCompletion] = completion;
    factory.own[Purpose::kNextEdit] = next;
    return std::make_unique<EngineHost>(std::move(factory), [this](std::function<void()> function) {
      const std::lock_guard lock(mutex_);
      posted_.push_back(std::move(function));
      came_.notify_all();
    });
  }
  void use(EngineHost& host) {
    host.queue().add(
        [&](const DecodeQueue::Control&) {
          (void)run_on_engine(host, "no", [](Engine&) { return Result<void>(); });
        },
        Urgency::kEdit);
    host.queue().wait_until_idle();
    run_posted();
  }

  std::vector<std::string> loaded_;  // decode thread, or nothing runs
};

TEST_F(HostsBesideTest, EachIsLoadedWhenItIsFirstUsed) {
  const auto host = host_with(own("completions"), own("next edits"));
  EXPECT_EQ(&host->of(Purpose::kEdit), host.get());
  EXPECT_EQ(&host->of(Purpose::kNextEdit).queue(), &host->queue());
  ASSERT_EQ(host->status().beside.size(), 2U);
  EXPECT_EQ(host->status().beside[0].what, "completions");
  use(host->of(Purpose::kNextEdit));
  EXPECT_EQ(loaded_, std::vector<std::string>{"next edits"});
  EXPECT_EQ(host->status().state, State::kUnloaded);
  EXPECT_EQ(host->status().beside[0].state, State::kUnloaded);
  EXPECT_EQ(host->status().beside[1].state, State::kReady);
  EXPECT_EQ(host->status().beside[1].model, "tiny");
  EXPECT_EQ(host->status().beside[1].memory_bytes, 7U);
  use(host->of(Purpose::kNextEdit));
  use(*host);
  EXPECT_EQ(loaded_, (std::vector<std::string>{"next edits", "target"}));
  EXPECT_EQ(host->status().beside[1].state, State::kReady);
}

TEST_F(HostsBesideTest, TwoPurposesMayHaveOne) {
  const auto both = own("both");
  const auto host = host_with(both, both);
  EXPECT_EQ(&host->of(Purpose::kCompletion), &host->of(Purpose::kNextEdit));
  ASSERT_EQ(host->status().beside.size(), 1U);
  EXPECT_EQ(host->status().beside[0].what, "completions and next edits");
}

TEST_F(HostsBesideTest, TheyAreUnloadedTogether) {
  const auto host = host_with(own("completions"), nullptr);
  const EngineHost::ObserverId observer = host->observe([](const EngineStatus&) {});
  use(host->of(Purpose::kCompletion));
  EXPECT_EQ(host->status().beside[0].state, State::kReady);
  host->unload_after(observer, 1ms);
  use(*host);
  run_until([&] { return host->status().at_rest; });
  run_until([&] { return host->status().beside[0].state == State::kUnloaded; });
  use(host->of(Purpose::kCompletion));
  EXPECT_EQ(loaded_, (std::vector<std::string>{"completions", "target", "completions"}));
}

TEST_F(EngineHostTest, NothingIsLoadedToSaveWhatWasRead) {
  const auto save = [this] {
    save_when_idle(host_, {byte_tokenizer()->encode("a prompt of some length")}, "/a.py");
    host_.queue().wait_until_idle();
  };
  save();
  EXPECT_EQ(made_, 0);
  EXPECT_EQ(request(), 0);
  current_ = false;
  save();
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(request(), 0);
  EXPECT_EQ(made_, 2) << "the next request loads what is there";
}

TEST_F(EngineHostTest, AModelWhoseFilesChangedIsLoadedAgainAndKnowsNothingOfBefore) {
  EXPECT_EQ(request(), 0);
  EXPECT_GT(request(), 10);
  EXPECT_EQ(made_, 1);
  current_ = false;
  EXPECT_EQ(request(), 0) << "keys and values of other weights";
  EXPECT_EQ(made_, 2);
  EXPECT_TRUE(was_said("The files of the model changed, so it is loaded again."));
  EXPECT_EQ(host_.status().state, State::kReady);
  EXPECT_EQ(host_.status().notice, "") << "that is over";
  EXPECT_FALSE(failed_before_);
  EXPECT_GT(request(), 10);
  EXPECT_EQ(made_, 2);
}

TEST_F(EngineHostTest, TheNextRequestRetriesAFailedReload) {
  EXPECT_EQ(request(), 0);
  current_ = false;
  load_error_ = "a.gguf: changed while it was read";
  EXPECT_EQ(request(), -1);
  EXPECT_EQ(host_.status().state, State::kFailed);
  EXPECT_EQ(host_.status().error, load_error_);
  load_error_.clear();
  EXPECT_EQ(request(), 0);
  EXPECT_EQ(host_.status().state, State::kReady);
}

TEST_F(EngineHostTest, AnEngineThatIsInUseIsNotReplaced) {
  std::promise<bool> same;
  host_.queue().add(
      [&](const DecodeQueue::Control&) {
        const EngineHost::Use edit(host_);
        const Result<Engine*> first = host_.engine();
        current_ = false;
        const EngineHost::Use completion(host_);
        const Result<Engine*> second = host_.engine();
        same.set_value(first && second && *first == *second);
      },
      Urgency::kEdit);
  EXPECT_TRUE(same.get_future().get());
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(request(), 0);
  EXPECT_EQ(made_, 2);
}

TEST_F(EngineHostTest, IsUnloadedAtRestAndLoadedByTheNextRequest) {
  host_.unload_after(observer_, 1ms);
  EXPECT_EQ(request(), 0);
  run_until([&] { return host_.status().at_rest; });
  EXPECT_EQ(host_.status().state, State::kUnloaded);
  EXPECT_EQ(host_.status().target, "");
  host_.unload_after(observer_, 0ms);
  EXPECT_EQ(request(), 0) << "as at an ordinary start";
  EXPECT_EQ(host_.status().state, State::kReady);
  EXPECT_FALSE(host_.status().at_rest);
  EXPECT_EQ(made_, 2);
}

TEST_F(EngineHostTest, TheLongestTimeThatAnEditorWishesCounts) {
  const EngineHost::ObserverId other = host_.observe([](const EngineStatus&) {});
  host_.unload_after(observer_, 1ms);
  host_.unload_after(other, 0ms);  // never
  EXPECT_EQ(request(), 0);
  EXPECT_GT(request(), 10);
  EXPECT_EQ(made_, 1);
  host_.forget(other);
  run_until([&] { return host_.status().at_rest; });
}

}  // namespace
}  // namespace redraft
