// Suggestions while the user types, without a protocol: the scripted model waits where told.
#include "workspace/completion/completions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "tests/kit/fill_script.h"
#include "tests/kit/hang_limit.h"
#include "tests/kit/scripted_model.h"
#include "workspace/engine/local_engine.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

std::shared_ptr<const Document> document(const std::string& text,
                                         const char* uri = "file:///a.py") {
  return *Document::make(uri, 1, text, "python");
}

// The model's context after prefill for "x = |\n", before any output: the text after the cursor
// comes last.
constexpr const char* kReading = "x = \n";

// "|" marks the cursor.
struct Marked {
  explicit Marked(std::string marked, const char* uri = "file:///a.py") {
    offset = marked.find('|');
    marked.erase(offset, 1);
    text = document(marked, uri);
  }
  std::shared_ptr<const Document> text;
  std::size_t offset;
};

std::optional<std::string> carried(const char* then, const std::string& suggestion,
                                   const char* now) {
  const Marked a(then), b(now);
  return carried_forward(*a.text, a.offset, suggestion, *b.text, b.offset);
}

TEST(CarriedForward, IsWhatTheUserHasNotTypedYet) {
  EXPECT_EQ(carried("x = |\n", "foo(1)", "x = |\n"), "foo(1)");
  EXPECT_EQ(carried("x = |\n", "foo(1)", "x = fo|\n"), "o(1)");
  EXPECT_EQ(carried("x = |\n", "a\n  b", "x = a\n  |\n"), "b") << "the editor indented";
  EXPECT_EQ(carried("x = |\n", "foo(1)", "x = foo(1)|\n"), std::nullopt) << "nothing is left";
  EXPECT_EQ(carried("x = |\n", "foo(1)", "x = fa|\n"), std::nullopt);
  EXPECT_EQ(carried("x = |\n", "foo(1)", "y = fo|\n"), std::nullopt);
  EXPECT_EQ(carried("x = |\n", "foo(1)", "x = fo|\nmore"), std::nullopt);
  EXPECT_EQ(carried("x = |\n", "foo(1)", "x =| fo\n"), std::nullopt);
}

TEST(CarriedForward, DeletedCharactersComeBack) {
  EXPECT_EQ(carried("x = fo|\n", "o(1)", "x = f|\n"), "oo(1)");
  EXPECT_EQ(carried("x = |\n", "foo(1)", "x |\n"), std::nullopt) << "undone, not mistyped";
  EXPECT_EQ(carried("x =\n|\n", "foo", "x =|\n"), std::nullopt) << "another line is another place";
}

TEST(CarriedForward, AutomaticallyClosedBracketsAreNotAChange) {
  EXPECT_EQ(carried("x = |\n", "foo(1)", "x = foo(|)\n"), "1");
  EXPECT_EQ(carried("x = |\n", "d[\"k\"] + 1", "x = d[\"|\"]\n"), "k");
  EXPECT_EQ(carried("x = |\n", "foo(1)", "x = foo(|]y\n"), std::nullopt);
}

TEST(CarriedForward, IsOfTheSameDocument) {
  const Marked a("x = |\n"), b("x = |\n", "file:///b.py");
  EXPECT_EQ(carried_forward(*a.text, a.offset, "foo", *b.text, b.offset), std::nullopt);
}

class CompletionsTest : public testing::Test {
 protected:
  CompletionsTest()
      : host_(factory(), post()),
        completions_(
            std::make_unique<Completions>(host_, OwnerPost(post(), alive_), OnReadAhead())) {}
  ~CompletionsTest() override { open_gate(); }

  // Writes "width * height" after "= ", and further texts elsewhere.
  EngineHost::Factory factory() {
    return [this](const LoadControl&) -> Result<std::unique_ptr<Engine>> {
      ++loads_;
      const auto tokenizer = fill_tokenizer();
      LocalEngine::Model target;
      target.name = "scripted";
      target.tokenizer = tokenizer;
      auto model = std::make_unique<ScriptedModel>(
          tokenizer->vocabulary_size(), 1 << 14,
          [this, tokenizer](std::span<const TokenId> sequence) {
            if (!is_fill_prompt(*tokenizer, sequence)) return TokenId{0};
            const TokenId next = next_fill_token(*tokenizer, script_, sequence);
            pass_gate(tokenizer->decode(sequence));
            return next;
          });
      model->set_certainty([this, tokenizer](std::span<const TokenId> sequence) {
        return certainty_of_fill(*tokenizer, script_, sequence);
      });
      target.model = std::move(model);
      target.find_cost = [](LanguageModel&) { return CostCurve({{1, 0.010}, {2, 1.0}}); };
      return as_engine(LocalEngine::make(std::move(target), {}, {.context_limit = 1 << 14}));
    };
  }
  Post post() {
    return [this](std::function<void()> function) {
      const std::lock_guard lock(mutex_);
      posted_.push_back(std::move(function));
      changed_.notify_all();
    };
  }
  // The model waits once its text ends with this.
  void close_gate(const std::string& text) {
    const std::lock_guard lock(mutex_);
    gate_ = text;
  }
  void open_gate() {
    const std::lock_guard lock(mutex_);
    gate_.clear();
    changed_.notify_all();
  }
  void pass_gate(const std::string& text) {
    std::unique_lock lock(mutex_);
    if (gate_.empty() || !text.ends_with(gate_)) return;
    at_gate_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, kHangLimit, [&] { return gate_.empty(); });
    at_gate_ = false;
  }
  void wait_for_gate() {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, kHangLimit, [&] { return at_gate_; }));
  }
  void run_posted() {
    for (;;) {
      std::function<void()> function;
      {
        const std::lock_guard lock(mutex_);
        if (posted_.empty()) return;
        function = std::move(posted_.front());
        posted_.erase(posted_.begin());
      }
      function();
    }
  }

  CompletionId ask(const Marked& place, int alternatives = 1,
                   std::chrono::milliseconds delay = {}) {
    CompletionRequest request{.document = place.text,
                              .offset = place.offset,
                              .decoder = *parse_decoder_name("ar"),
                              .alternatives = alternatives,
                              .min_probability = min_probability_};
    const std::size_t number = answers_.size();
    answers_.emplace_back();
    return completions_->ask(std::move(request), delay,
                             [this, number](const CompletionAnswer& answer) {
                               EXPECT_FALSE(answers_[number]) << "answered twice";
                               answers_[number] = answer;
                             });
  }
  // Waits until every request has ended.
  void finish() {
    for (int i = 0; i < 3; ++i) {  // a result may start another run
      host_.queue().wait_until_idle();
      run_posted();
    }
  }
  const CompletionAnswer& answer(std::size_t number) {
    static const CompletionAnswer kNone{.error = "not answered"};
    return answers_[number] ? *answers_[number] : kNone;
  }

  double min_probability_ = 0;
  FillScript script_{{{"= ", "width * height"}, {"def f():\n    ", "return None"}}};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> posted_;
  std::string gate_;
  bool at_gate_ = false;
  int loads_ = 0;
  std::vector<std::optional<CompletionAnswer>> answers_;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  EngineHost host_;
  std::unique_ptr<Completions> completions_;
};

TEST_F(CompletionsTest, SuggestsAndCarriesForwardTheModelsText) {
  ask(Marked("x = |\n"));
  finish();
  EXPECT_THAT(answer(0).texts, ElementsAre("width * height"));
  EXPECT_FALSE(answer(0).carried);
  EXPECT_GT(answer(0).statistics->passes, 0);
  for (const char* typed : {"x = w|\n", "x = wid|\n", "x = width *|\n", "x = w|\n"}) {
    ask(Marked(typed));
    ASSERT_TRUE(answers_.back()) << "it needs no model, so no waiting";
    EXPECT_TRUE(answers_.back()->carried);
    EXPECT_EQ("x = width * height\n", std::string(typed).replace(std::string(typed).find('|'), 1,
                                                                 answers_.back()->texts.front()));
  }
  EXPECT_EQ(loads_, 1);
}

// What the gate held back is no part of the answer: behind what was shown the model is asked again.
TEST_F(CompletionsTest, TypingPastTheEndGetsANewAnswer) {
  script_.doubts = {{"width ", 0.4}};
  min_probability_ = 0.5;
  ask(Marked("x = |\n"));
  finish();
  EXPECT_THAT(answer(0).texts, ElementsAre("width"));
  ask(Marked("x = wid|\n"));
  ASSERT_TRUE(answers_[1]) << "it needs no model, so no waiting";
  EXPECT_THAT(answer(1).texts, ElementsAre("th"));
  ask(Marked("x = width *|\n"));
  EXPECT_FALSE(answers_[2]);
  finish();
  EXPECT_THAT(answer(2).texts, ElementsAre(" height"));
  EXPECT_FALSE(answer(2).carried);
}

TEST_F(CompletionsTest, ARequestForAlternativesIsNotAnsweredFromMemory) {
  script_.doubts = {{"width ", 0.4}};
  min_probability_ = 0.5;
  ask(Marked("x = |\n"));
  finish();
  EXPECT_THAT(answer(0).texts, ElementsAre("width"));
  min_probability_ = 0;
  ask(Marked("x = |\n"));
  finish();
  EXPECT_THAT(answer(1).texts, ElementsAre("width * height"));
  min_probability_ = 0.5;
  ask(Marked("x = w|\n"));
  ASSERT_TRUE(answers_[2]);
  EXPECT_THAT(answer(2).texts, ElementsAre("idth * height")) << "which the user has seen";
}

// The run under way ends at the gate, while the user has typed beyond it.
TEST_F(CompletionsTest, TypingPastTheEndOfARunGetsANewAnswer) {
  script_.doubts = {{"width ", 0.4}};
  min_probability_ = 0.5;
  close_gate(kReading);
  ask(Marked("x = |\n"));
  wait_for_gate();
  ask(Marked("x = width *|\n"));
  open_gate();
  finish();
  EXPECT_THAT(answer(1).texts, ElementsAre(" height"));
}

TEST_F(CompletionsTest, TheNewestRequestWins) {
  close_gate("wid");
  ask(Marked("x = |\n"));
  wait_for_gate();
  ask(Marked("def f():\n    |\n"));
  EXPECT_THAT(answer(0).texts, ElementsAre());
  EXPECT_THAT(answer(0).why_none, HasSubstr("newer"));
  open_gate();
  finish();
  EXPECT_THAT(answer(1).texts, ElementsAre("return None"));
}

TEST_F(CompletionsTest, TypingTheModelsTextJoinsTheRun) {
  close_gate("width * ");
  const CompletionId first = ask(Marked("x = |\n"));
  wait_for_gate();
  run_posted();
  completions_->cancel(first);  // as clients do before the next request
  ask(Marked("x = wi|\n"));
  open_gate();
  finish();
  EXPECT_FALSE(answers_[0]) << "a cancelled request is never answered";
  EXPECT_THAT(answer(1).texts, ElementsAre("dth * height"));
  EXPECT_EQ(answer(1).statistics->new_tokens, 14) << "written once, from the first place";
}

TEST_F(CompletionsTest, TypingDuringPrefillJoinsTheRun) {
  close_gate(kReading);
  ask(Marked("x = |\n"));
  wait_for_gate();
  for (const char* typed : {"x = w|\n", "x = wi|\n", "x = wid|\n"}) ask(Marked(typed));
  EXPECT_THAT(answer(2).why_none, HasSubstr("newer"));
  open_gate();
  finish();
  EXPECT_THAT(answer(3).texts, ElementsAre("th * height"));
  EXPECT_EQ(answer(3).statistics->new_tokens, 14) << "read and written once";
}

TEST_F(CompletionsTest, AWrongGuessStartsANewRun) {
  close_gate(kReading);
  ask(Marked("x = |\n"));
  wait_for_gate();
  ask(Marked("x = a; y = |\n"));
  EXPECT_FALSE(answers_[1]);
  open_gate();
  finish();
  EXPECT_THAT(answer(1).texts, ElementsAre("width * height"));
  ask(Marked("x = w|\n"));
  EXPECT_FALSE(answers_[2]) << "the first run was not written to its end";
  finish();
}

TEST_F(CompletionsTest, TypingAheadOfTheModelIsAnsweredAtTheNewPosition) {
  close_gate(kReading);
  ask(Marked("x = |\n"));
  wait_for_gate();
  ask(Marked("x = width * height; z = |\n"));
  open_gate();
  finish();
  EXPECT_THAT(answer(1).texts, ElementsAre("width * height"));
  EXPECT_TRUE(answer(1).error.empty());
}

TEST_F(CompletionsTest, ARunWhoseDelayIsNotOverGivesWayToTheNewer) {
  ask(Marked("x = |\n"), 1, 1h);
  ask(Marked("x = w|\n"));
  finish();
  EXPECT_THAT(answer(0).why_none, HasSubstr("newer"));
  EXPECT_THAT(answer(1).texts, ElementsAre("idth * height"));
}

TEST_F(CompletionsTest, TypingOtherTextGetsANewAnswer) {
  close_gate("width * ");
  ask(Marked("x = |\n"));
  wait_for_gate();
  run_posted();
  ask(Marked("x = a; y = |\n"));
  open_gate();
  finish();
  EXPECT_THAT(answer(1).texts, ElementsAre("width * height"));
}

TEST_F(CompletionsTest, ARunThatNobodyWaitsForStops) {
  close_gate("wid");
  const CompletionId id = ask(Marked("x = |\n"));
  wait_for_gate();
  completions_->cancel(id);
  std::this_thread::sleep_for(120ms);
  open_gate();
  finish();
  EXPECT_FALSE(answers_[0]);
  ask(Marked("x = |\n"));
  EXPECT_FALSE(answers_[1]) << "it was not written to its end, so there is nothing to carry";
  finish();
  EXPECT_THAT(answer(1).texts, ElementsAre("width * height"));
}

TEST_F(CompletionsTest, ARequestThatComesWhileItsRunStopsGetsARunOfItsOwn) {
  close_gate("wid");
  const CompletionId id = ask(Marked("x = |\n"));
  wait_for_gate();
  run_posted();
  completions_->cancel(id);
  std::this_thread::sleep_for(120ms);
  open_gate();
  host_.queue().wait_until_idle();  // it has stopped, but the owner's thread does not know yet
  ask(Marked("x = w|\n"));
  finish();
  EXPECT_THAT(answer(1).texts, ElementsAre("idth * height"));
}

TEST_F(CompletionsTest, ADelayedRequestThatIsCancelledNeverAsksTheModel) {
  std::promise<void> cancelled;
  host_.queue().add([&](const DecodeQueue::Control&) { cancelled.get_future().wait(); },
                    Urgency::kCompletion);
  const CompletionId id = ask(Marked("x = |\n"), 1, 30ms);
  completions_->cancel(id);
  cancelled.set_value();
  finish();
  EXPECT_FALSE(answers_[0]);
  EXPECT_EQ(loads_, 0);
}

TEST_F(CompletionsTest, AlternativesAreDifferentAndAskedForOnce) {
  ask(Marked("x = |\n"), 3);
  finish();
  EXPECT_EQ(answer(0).texts.front(), "width * height");
  EXPECT_GT(answer(0).texts.size(), 1U);
  for (std::size_t i = 1; i < answer(0).texts.size(); ++i)
    EXPECT_NE(answer(0).texts[i], answer(0).texts.front());
}

TEST_F(CompletionsTest, ADocumentThatIsClosedIsForgotten) {
  ask(Marked("x = |\n"));
  finish();
  completions_->forget("file:///a.py");
  ask(Marked("x = |\n"));
  EXPECT_FALSE(answers_[1]) << "nothing is remembered";
  completions_->forget("file:///a.py");
  EXPECT_THAT(answer(1).why_none, HasSubstr("closed"));
}

TEST_F(CompletionsTest, NothingIsCalledBackAfterwards) {
  close_gate("wid");
  ask(Marked("x = |\n"));
  wait_for_gate();
  completions_.reset();
  alive_.reset();
  open_gate();
  finish();
  EXPECT_FALSE(answers_[0]);
}

}  // namespace
}  // namespace redraft
