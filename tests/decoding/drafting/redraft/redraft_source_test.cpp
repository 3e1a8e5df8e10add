// What the default decoder does with typical edits, and that bad guesses never make it slow.
#include "decoding/drafting/redraft/redraft_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "decoding/decoder.h"
#include "decoding/drafting/lookup/open_text.h"
#include "tests/kit/priced_model.h"

namespace redraft {
namespace {

constexpr TokenId kStop = 0;
constexpr int kVocabulary = 2000;

// Costs in plain steps; one takes as long as with a 1.5B model on two cores.
constexpr double kPlainStep = 0.05;

CostCurve in_plain_steps(std::vector<CostCurve::Point> points) {
  for (CostCurve::Point& point : points) point.seconds *= kPlainStep;
  return CostCurve(std::move(points));
}

CostCurve cpu_curve() {
  return in_plain_steps({{1, 1}, {4, 1.15}, {8, 1.35}, {16, 2.5}, {32, 4.9}, {64, 9.7}});
}

std::vector<TokenId> tokens_from(int first, int count) {
  std::vector<TokenId> tokens(count);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

constexpr GuessKind kNextNumber("next number", DraftOrigin::kOther, WhenFirst::same(.89),
                                WhenLater::same(.70));

// The next number is as likely as the original in sync.
class CountingSource : public StatelessSource {
 public:
  explicit CountingSource(const SourceInputs& inputs) : next_(inputs.kinds.add(kNextNumber)) {}
  void add_guesses(const Branch& branch, std::vector<Guess>& out) const override {
    ++asked;
    out.push_back({branch.tokens.back() + 1, next_, 8});
  }
  bool foresees(const Branch& branch) const override { return branch.tokens.back() < unforeseen; }
  static inline int asked = 0;
  static inline TokenId unforeseen = kVocabulary;  // numbers from this one on are not foreseen

 private:
  GuessKindId next_;
};

// That source alone, after a prompt of this many tokens.
struct Counting {
  explicit Counting(std::size_t prompt_size) { request.prompt.resize(prompt_size); }

  DecodeRequest request;
  SourceMemory memory;
  const SourceMaker make = [](const SourceInputs& inputs) -> std::unique_ptr<GuessSource> {
    return std::make_unique<CountingSource>(inputs);
  };
};

struct Outcome {
  DecodeStatistics statistics;
  double cost;
};

// Decodes `after` with `original` as the text before; if `in_prompt`, the prompt contains it too.
Outcome replay(const std::vector<TokenId>& original, const std::vector<TokenId>& after,
               const CostCurve& curve, bool in_prompt = true, DecoderMemory* memory = nullptr,
               std::vector<std::vector<TokenId>> open_files = {}) {
  DecodeRequest request;
  request.open_files =
      std::make_shared<const std::vector<std::vector<TokenId>>>(std::move(open_files));
  request.prompt = {1, 2};
  if (in_prompt) request.prompt.insert(request.prompt.end(), original.begin(), original.end());
  request.original = original;
  request.stop_tokens = {kStop};
  request.max_new_tokens = static_cast<int>(after.size()) + 1;
  const int prompt_size = static_cast<int>(request.prompt.size());
  PricedModel model(ScriptedModel::replay(kVocabulary, prompt_size, after, kStop, 1 << 16), curve);
  const auto cache = model.new_cache(prompt_size + static_cast<int>(after.size()) + 8);
  auto decoder = Decoder::make({}, {&model, cache.get()}, {}, curve, memory);
  EXPECT_TRUE(decoder);
  const auto result = (*decoder)->run(request, nullptr, {});
  EXPECT_TRUE(result);
  EXPECT_EQ(result->tokens, after);
  return {result->statistics, model.cost()};
}

TEST(Redraft, AnUnchangedTextCostsFewPasses) {
  const auto text = tokens_from(10, 500);
  EXPECT_LE(replay(text, text, CostCurve(), false).statistics.passes, 8);
  EXPECT_LT(replay(text, text, cpu_curve(), false).cost, kPlainStep * 500 / 5.5);
}

TEST(Redraft, FindsBackAtOnceAfterEachKindOfEdit) {
  const auto text = tokens_from(10, 400);
  const auto passes = [&text](const std::vector<TokenId>& after) {
    return replay(text, after, CostCurve(), false).statistics.passes;
  };
  const int unchanged = passes(text);
  auto replaced = text;
  replaced[200] = 1500;
  EXPECT_LE(passes(replaced), unchanged + 3);
  auto inserted = text;
  inserted.insert(inserted.begin() + 200, {1500, 1501, 1502});
  EXPECT_LE(passes(inserted), unchanged + 6);
  auto deleted = text;
  deleted.erase(deleted.begin() + 200, deleted.begin() + 240);
  EXPECT_LE(passes(deleted), unchanged + 4);
}

TEST(Redraft, ReturnsToSkippedText) {
  const auto text = tokens_from(10, 400);
  auto moved = text;
  std::rotate(moved.begin() + 100, moved.begin() + 250,
              moved.begin() + 350);  // a block moves up by over 150 tokens
  const int unchanged = replay(text, text, CostCurve(), false).statistics.passes;
  EXPECT_LE(replay(text, moved, CostCurve(), false).statistics.passes, unchanged + 9);
}

TEST(Redraft, CopiesFromAnywhereInPromptAndOutput) {
  auto after = tokens_from(1000, 60);
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (const TokenId token : tokens_from(1000, 60)) after.push_back(token);
  }
  const Outcome outcome = replay({}, after, cpu_curve());
  EXPECT_GT(outcome.statistics.accepted_by_origin[static_cast<int>(DraftOrigin::kCopy)], 150);
  EXPECT_LT(outcome.cost, kPlainStep * (60 + 180 / 4.5));
}

TEST(Redraft, BranchesWhereTheTextWentOnInSeveralWays) {
  // After 7 came 8, 9 and 10, each with a different continuation.
  std::vector<TokenId> after;
  for (int round = 0; round < 4; ++round) {
    for (const TokenId way : {100, 200, 300}) {
      after.push_back(7);
      for (const TokenId token : tokens_from(way + 40 * (round % 2), 6)) after.push_back(token);
    }
  }
  const CostCurve wide = in_plain_steps({{1, 1}, {64, 1.5}});
  EXPECT_LT(replay({}, after, wide).statistics.passes, 60);
}

TEST(Redraft, ExpectsAReplacementToRepeat) {
  std::vector<TokenId> text;
  for (int place = 0; place < 12; ++place) {
    for (const TokenId token : tokens_from(10 + 30 * place, 25)) text.push_back(token);
    text.push_back(1500);
  }
  std::vector<TokenId> after = text;
  for (auto at = after.begin(); (at = std::find(at, after.end(), 1500)) != after.end();)
    at = after.insert(after.erase(at), {1600, 1601}) + 2;
  const Outcome outcome = replay(text, after, CostCurve(), false);
  EXPECT_GE(outcome.statistics.accepted_by_origin[static_cast<int>(DraftOrigin::kSubstitution)],
            2 * 9);
  EXPECT_LE(outcome.statistics.passes,
            replay(text, text, CostCurve(), false).statistics.passes + 8);
}

TEST(Redraft, CopiesWhatAnEarlierRequestWrote) {
  DecoderMemory memory;
  const auto text = tokens_from(1000, 80);
  const auto passes = [&] {
    return replay({}, text, cpu_curve(), true, &memory).statistics.passes;
  };
  const int first = passes();
  EXPECT_LT(passes(), first / 3);
  memory.forget();
  EXPECT_EQ(passes(), first);
}

// Where attention makes rows expensive, fewer rows are spent on the same guess.
TEST(Redraft, CopiesFromTheOtherOpenFiles) {
  const auto text = tokens_from(10, 300);
  const auto plain = replay({}, text, cpu_curve(), false).statistics;
  EXPECT_EQ(plain.passes, 301);
  const auto open = replay({}, text, cpu_curve(), false, nullptr, {tokens_from(400, 90), text});
  EXPECT_LT(open.statistics.passes, 60);
  EXPECT_GT(open.statistics.accepted_by_origin[static_cast<int>(DraftOrigin::kCopy)], 240);
}

TEST(Redraft, KnowsTheFirstOpenFilesAndMatchesNothingAcrossTheirEnds) {
  OpenText open;
  const auto length_of = [&](const std::vector<TokenId>& tokens) {
    SuffixAutomaton::Cursor cursor;
    for (const TokenId token : tokens) cursor = open.text().advance(cursor, token);
    return cursor.length;
  };
  open.follow(std::make_shared<const std::vector<std::vector<TokenId>>>(
      std::vector<std::vector<TokenId>>{{1, 2}, {3, 4}}));
  EXPECT_EQ(length_of({1, 2}), 2);
  EXPECT_EQ(length_of({2, 3}), 1);
  open.follow(
      std::make_shared<const std::vector<std::vector<TokenId>>>(std::vector<std::vector<TokenId>>{
          {5}, std::vector<TokenId>(2 * OpenText::kMaxTokens, 6), {7}}));
  EXPECT_EQ(open.text().size(), OpenText::kMaxTokens);
  EXPECT_EQ(length_of({5}), 1);
  EXPECT_EQ(length_of({7}), 0);
  EXPECT_EQ(length_of({1}), 0) << "of the files before nothing is left";
  open.follow(nullptr);
  EXPECT_EQ(open.text().size(), 0);
}

TEST(Redraft, DraftsLessAboveALongContextWhereRowsCostMore) {
  const CostCurve curve(
      {{1, 1.0}, {2, 1.01}, {64, 1.2}, {1, 1.0, 1000}, {2, 1.9, 1000}, {64, 60, 1000}});
  const PassPace pace(curve);
  Counting counting(0);
  const SourceSet sources({&counting.make, 1}, counting.request, counting.memory);
  const auto nodes_above = [&](int context) {
    const std::vector<TokenId> written(static_cast<std::size_t>(context), 5);
    return PricedDraft(sources, pace, 64).choose(written, 0, 64).size();
  };
  EXPECT_GT(nodes_above(1), 8);
  EXPECT_LT(nodes_above(1000), 2);
}

// The example in draft_growth.cpp and priced_draft.cpp.
enum Word : TokenId { kEnd = 10, kFoo, kBar, kOpen, kX, kClose };
constexpr GuessKind kFooAtEnd("foo", DraftOrigin::kCopy, WhenFirst::same(.8), WhenLater::same(.8));
constexpr GuessKind kBarAtEnd("bar", DraftOrigin::kReuse, WhenFirst::same(.4), WhenLater::same(.4));
constexpr GuessKind kBehindFoo("(", DraftOrigin::kCopy, WhenFirst::same(.9), WhenLater::same(.9));
constexpr GuessKind kXInside("x", DraftOrigin::kCopy, WhenFirst::same(.5), WhenLater::same(.5));
constexpr GuessKind kCloseInside(")", DraftOrigin::kCopy, WhenFirst::same(.3), WhenLater::same(.3));

class ExampleSource : public StatelessSource {
 public:
  explicit ExampleSource(const SourceInputs& inputs)
      : foo_(inputs.kinds.add(kFooAtEnd)),
        bar_(inputs.kinds.add(kBarAtEnd)),
        open_(inputs.kinds.add(kBehindFoo)),
        x_(inputs.kinds.add(kXInside)),
        close_(inputs.kinds.add(kCloseInside)) {}
  void add_guesses(const Branch& branch, std::vector<Guess>& out) const override {
    const TokenId last = branch.tokens.back();
    if (last == kEnd) out.insert(out.end(), {{kBar, bar_, 0}, {kFoo, foo_, 0}});
    if (last == kFoo) out.push_back({kOpen, open_, 0});
    if (last == kOpen) out.insert(out.end(), {{kX, x_, 0}, {kClose, close_, 0}});
  }

 private:
  GuessKindId foo_, bar_, open_, x_, close_;
};

TEST(Redraft, ADraftIsGrownAndPricedAsItsCommentSays) {
  const PassPace pace(CostCurve({{1, .050}, {6, .060}}));
  const SourceMaker make = [](const SourceInputs& inputs) -> std::unique_ptr<GuessSource> {
    return std::make_unique<ExampleSource>(inputs);
  };
  DecodeRequest request;
  SourceMemory memory;
  const SourceSet sources({&make, 1}, request, memory);
  PricedDraft priced(sources, pace, 64);
  const std::vector<TokenId> context = {kEnd};
  const auto verified = [&] {
    const DraftTree draft = priced.choose(context, 0, 64);
    return std::vector<TokenId>(draft.tokens().begin(), draft.tokens().end());
  };
  EXPECT_EQ(verified(), (std::vector<TokenId>{kFoo, kOpen})) << "all that is affordable yet";
  EXPECT_NEAR(priced.rate(), 46.7, .05);
  priced.learn(std::vector<TokenId>{kFoo, kOpen, kEnd});
  EXPECT_EQ(verified(), (std::vector<TokenId>{kFoo, kOpen, kX, kClose}));
}

// While a pass runs, the next draft is made, exactly as it would be made afterwards.
TEST(Redraft, LooksAheadToWhatIsExpected) {
  const CostCurve curve({{1, 1.0}, {2, 1.01}, {64, 1.2}});
  const PassPace pace(curve);
  Counting counting(1);
  const SourceSet sources({&counting.make, 1}, counting.request, counting.memory);
  PricedDraft ahead(sources, pace, 8), later(sources, pace, 8);
  std::vector<TokenId> text = {1, 2, 3};
  const auto choose = [&](PricedDraft& draft) { return draft.choose(text, 1, 64); };
  const auto same = [](const DraftTree& a, const DraftTree& b) {
    return std::ranges::equal(a.tokens(), b.tokens()) &&
           std::ranges::equal(a.parents(), b.parents()) && !a.empty();
  };
  EXPECT_TRUE(same(choose(ahead), choose(later)));
  ahead.look_ahead();
  const std::vector<TokenId> written = tokens_from(4, 9);  // all of it, plus the target's own token
  for (PricedDraft* draft : {&ahead, &later}) draft->learn(written);
  text.insert(text.end(), written.begin(), written.end());
  CountingSource::asked = 0;
  const DraftTree prepared = choose(ahead);
  EXPECT_EQ(CountingSource::asked, 0);
  EXPECT_TRUE(same(prepared, choose(later)));
  ASSERT_FALSE(prepared.empty());
  EXPECT_EQ(prepared.tokens().front(), 13);
  // What a source does not foresee is not prepared for.
  CountingSource::unforeseen = 21;
  ahead.look_ahead();
  const std::vector<TokenId> more = tokens_from(13, 9);
  for (PricedDraft* draft : {&ahead, &later}) draft->learn(more);
  text.insert(text.end(), more.begin(), more.end());
  CountingSource::asked = 0;
  const DraftTree asked_for = choose(ahead);
  EXPECT_GT(CountingSource::asked, 0);
  EXPECT_TRUE(same(asked_for, choose(later)));
  CountingSource::unforeseen = kVocabulary;
  // Something else was written: nothing of the prepared draft is used.
  ahead.look_ahead();
  const std::vector<TokenId> other = {22, 100};
  for (PricedDraft* draft : {&ahead, &later}) draft->learn(other);
  text.insert(text.end(), other.begin(), other.end());
  EXPECT_TRUE(same(choose(ahead), choose(later)));
}

TEST(Redraft, OnADeviceLooksAheadInReusedText) {
  const auto text = tokens_from(10, 1500);
  DecodeRequest request;
  request.prompt = {1, 2};
  request.original = text;
  request.stop_tokens = {kStop};
  request.max_new_tokens = 1501;
  const auto passes = [&](int steps) {
    ScriptedModel model = ScriptedModel::replay(kVocabulary, 2, text, kStop, 1 << 16);
    model.set_on_device(steps);
    const auto cache = model.new_cache(1600);
    auto decoder = Decoder::make({}, {&model, cache.get()}, {}, CostCurve());
    const auto result = (*decoder)->run(request, nullptr, {});
    EXPECT_EQ(result->tokens, text);
    return result->statistics.passes;
  };
  EXPECT_LE(passes(1), passes(0) + 1);
}

// A model whose draft head is always wrong and takes a twentieth of a plain step.
class WronglyHeaded : public PricedModel {
 public:
  WronglyHeaded(ScriptedModel model, const CostCurve& curve)
      : PricedModel(std::move(model), curve) {
    set_head(
        3, [](std::span<const TokenId>) { return kVocabulary - 1; },
        [](std::span<const TokenId>) { return 0.7F; });
  }
  std::vector<HeadPlace> head_draft(int row, TokenId token, int most, KvCache& cache) override {
    seconds_ += 0.05 * kPlainStep;
    return PricedModel::head_draft(row, token, most, cache);
  }
  double compute_seconds() const override { return seconds_; }

 private:
  double seconds_ = 0;  // in the head
};

TEST(Redraft, AHeadThatIsWrongCostsLittleAndSilencesNoOtherSource) {
  auto after = tokens_from(1000, 60);
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (const TokenId token : tokens_from(1000, 60)) after.push_back(token);
  }
  const auto decode = [&](const char* name) {
    WronglyHeaded model(ScriptedModel::replay(kVocabulary, 2, after, kStop, 1 << 16), cpu_curve());
    const auto cache = model.new_cache(1000);
    auto decoder =
        Decoder::make(*DecoderName::parse(name), {&model, cache.get()}, {}, cpu_curve(), nullptr);
    const auto result = (*decoder)->run(
        {.prompt = {1, 2}, .stop_tokens = {kStop}, .max_new_tokens = 241}, nullptr, {});
    EXPECT_EQ(result->tokens, after);
    return std::pair(result->statistics.passes, model.cost() + model.compute_seconds());
  };
  const auto [passes, cost] = decode("redraft:no-head");
  const auto [headed_passes, headed_cost] = decode("redraft");
  EXPECT_GT(headed_cost, cost) << "it was asked";
  EXPECT_LT(headed_cost, cost + 2 * kPlainStep);
  EXPECT_LT(headed_passes, passes + 3);
}

// Writes `text` behind a prompt of two tokens; a pass takes a tenth of a plain step, each row a
// hundredth of that.
class DraftModel : public ScriptedModel {
 public:
  explicit DraftModel(const std::vector<TokenId>& text)
      : ScriptedModel(ScriptedModel::replay(kVocabulary, 2, text, kStop, 1 << 16)) {}
  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    seconds_ += kPlainStep * (0.1 + 0.001 * static_cast<double>(context.size() + draft.size()));
    return ScriptedModel::forward(context, draft, cache, needs);
  }
  double compute_seconds() const override { return seconds_; }

 private:
  double seconds_ = 0;
};

TEST(Redraft, ADraftModelsTimeDoesNotBlockItsProposals) {
  const auto text = tokens_from(1000, 400);  // nothing else guesses any of it
  const auto decode = [&](const std::vector<TokenId>& drafted) {
    PricedModel model(ScriptedModel::replay(kVocabulary, 2, text, kStop, 1 << 16), cpu_curve());
    DraftModel draft(drafted);
    const auto cache = model.new_cache(1000);
    const auto draft_cache = draft.new_cache(1000);
    auto decoder = Decoder::make(*DecoderName::parse("redraft:model"), {&model, cache.get()},
                                 {&draft, draft_cache.get()}, cpu_curve(), nullptr);
    const auto result = (*decoder)->run(
        {.prompt = {1, 2}, .stop_tokens = {kStop}, .max_new_tokens = 401}, nullptr, {});
    EXPECT_EQ(result->tokens, text);
    return (model.cost() + draft.compute_seconds()) / kPlainStep;
  };
  EXPECT_LT(decode(text), 250) << "plain decoding takes 401 steps";
  EXPECT_LT(decode(tokens_from(1500, 400)), 410) << "one that is always wrong";
}

// Invariant: at worst 0.99 of the speed of plain decoding by the measured cost of rows, apart
// from half a step.
TEST(Redraft, IsNeverSlowerThanPlainDecodingByMoreThanAHundredth) {
  std::mt19937 random(11);
  const CostCurve curves[] = {cpu_curve(), in_plain_steps({{1, 1}, {2, 1.8}, {64, 60}}),
                              in_plain_steps({{1, 1}, {8, 1.05}, {64, 3}})};
  for (int round = 0; round < 120; ++round) {
    const CostCurve& curve = curves[round % 3];
    const int vocabulary = std::uniform_int_distribution<int>(2, 30)(random);
    const auto random_text = [&](int count) {
      std::vector<TokenId> text(count);
      for (TokenId& token : text)
        token = std::uniform_int_distribution<TokenId>(1, vocabulary)(random);
      return text;
    };
    const auto after = random_text(400);
    auto original = random_text(400);
    if (round % 2 == 0) {  // one token in every few is wrong
      original = after;
      const int step = std::uniform_int_distribution<int>(2, 5)(random);
      for (std::size_t i = step - 1; i < original.size(); i += step) original[i] = 1999;
    }
    const Outcome outcome = replay(original, after, curve, round % 4 < 2);
    const double plain = 401 * curve.seconds(1);
    EXPECT_LE(outcome.cost, 1.01 * plain + 0.5 * curve.seconds(1)) << "round " << round;
  }
}

}  // namespace
}  // namespace redraft
