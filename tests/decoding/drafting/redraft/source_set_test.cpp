// That adding a source to the list is enough: its kinds, priors, states and origins follow from it.
#include "decoding/drafting/redraft/source_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "decoding/drafting/redraft/redraft_source.h"
#include "decoding/drafting/redraft/sources/copy_source.h"
#include "decoding/verifier.h"
#include "indexing/store/memory_datastore.h"
#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

constexpr int kVocabulary = 3000;
constexpr TokenId kStop = 0;
constexpr TokenId kWrong = 2999;  // no text has it

// What else must not compile: guess_kinds_test.py.
static_assert(!std::is_constructible_v<GuessKind, const char*, DraftOrigin>);
static_assert(!std::is_default_constructible_v<GuessKindId>);

// The text that the target writes, for sources that know it.
std::vector<TokenId> told;

constexpr GuessKind kOracle("oracle", DraftOrigin::kOther, WhenFirst::same(.5),
                            WhenLater::same(.3));

// Always right as long as a branch follows the text; its State says where it is.
class Oracle final : public SourceWith<int> {
 public:
  explicit Oracle(const SourceInputs& inputs) : oracle_(inputs.kinds.add(kOracle)) {}

  void follow(const Branch&) override { ++at_; }
  int at_end() const override { return at_; }
  int advance(int at, const Branch& branch) const override {
    const bool right = at >= 0 && at < std::ssize(told) &&
                       told[static_cast<std::size_t>(at)] == branch.tokens.back();
    return right ? at + 1 : -1;
  }
  void add_guesses(const int& at, const Branch&, std::vector<Guess>& out) const override {
    if (at >= 0 && at < std::ssize(told))
      out.push_back({told[static_cast<std::size_t>(at)], oracle_, 1});
  }

 private:
  GuessKindId oracle_;
  int at_ = 0;
};

constexpr GuessKind kLie("lie", DraftOrigin::kOther, WhenFirst::same(.9), WhenLater::same(.5));

class Liar final : public StatelessSource {
 public:
  explicit Liar(const SourceInputs& inputs) : lie_(inputs.kinds.add(kLie)) {}
  void add_guesses(const Branch&, std::vector<Guess>& out) const override {
    out.push_back({kWrong, lie_, 3});
  }

 private:
  GuessKindId lie_;
};

// Right where the text counts up, but only with a guess that is never nearly certain.
class Unsure final : public StatelessSource {
 public:
  explicit Unsure(const SourceInputs& inputs) : oracle_(inputs.kinds.add(kOracle)) {}
  void add_guesses(const Branch&, std::vector<Guess>&) const override {}
  void add_unlikely_guesses(const Branch& branch, std::vector<Guess>& out) const override {
    EXPECT_TRUE(branch.original.in_sync);
    out.push_back({branch.tokens.back() + 1, oracle_, 1});
  }

 private:
  GuessKindId oracle_;
};

// Guesses nothing, but its State must be the last two tokens wherever it is asked.
class Witness final : public SourceWith<std::array<TokenId, 2>> {
 public:
  explicit Witness(const SourceInputs& inputs) {
    const auto& prompt = inputs.request.prompt;
    at_end_ = {prompt[prompt.size() - 2], prompt.back()};
  }

  void follow(const Branch& end) override { at_end_ = {at_end_[1], end.tokens.back()}; }
  std::array<TokenId, 2> at_end() const override { return at_end_; }
  std::array<TokenId, 2> advance(std::array<TokenId, 2> last, const Branch& branch) const override {
    return {last[1], branch.tokens.back()};
  }
  void add_guesses(const std::array<TokenId, 2>& last, const Branch& branch,
                   std::vector<Guess>&) const override {
    ++asked;
    EXPECT_TRUE(std::ranges::equal(last, branch.tokens.last(2)));
  }
  static inline int asked = 0;

 private:
  std::array<TokenId, 2> at_end_;
};

template <typename Source>
std::unique_ptr<GuessSource> made(const SourceInputs& inputs) {
  return std::make_unique<Source>(inputs);
}

std::vector<SourceMaker> all_and(SourceMaker added, std::size_t place) {
  std::vector<SourceMaker> makers(all_sources().begin(), all_sources().end());
  makers.insert(makers.begin() + static_cast<std::ptrdiff_t>(place), added);
  return makers;
}

std::vector<TokenId> tokens_from(int first, int count) {
  std::vector<TokenId> tokens(static_cast<std::size_t>(count));
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

struct Outcome {
  int passes = 0;
  std::vector<int> drafted;  // nodes of each pass
  std::array<int, kDraftOriginCount> accepted{};
};

// A target that writes `text`, with drafts of these sources; if `on_device`, it calls back during a
// pass.
Outcome replay(const std::vector<SourceMaker>& makers, const std::vector<TokenId>& text,
               const CostCurve& curve, bool on_device = false) {
  DecodeRequest request;
  request.prompt = {1, 2};
  request.original = text;
  std::rotate(request.original.begin(), request.original.begin() + 7, request.original.end());
  ScriptedModel model = ScriptedModel::replay(kVocabulary, 2, text, kStop, 1 << 16);
  const auto cache = model.new_cache(static_cast<int>(text.size()) + 600);
  Verifier verifier(model, *cache);
  RedraftMemory memory(curve);
  RedraftSource source(request, {}, memory, nullptr, {}, makers);
  std::vector<TokenId> context = request.prompt;
  Outcome outcome;
  while (context.back() != kStop) {
    const DraftTree draft = source.draft(context, 512);
    if (on_device) source.look_ahead();
    const Acceptance accepted = verifier.verify(context, draft, {});
    source.observe({draft, verifier.predictions(), verifier.rows(), 0});
    for (const int node : accepted.path)
      ++outcome.accepted[static_cast<std::size_t>(draft.origins()[node])];
    context.insert(context.end(), accepted.tokens.begin(), accepted.tokens.end());
    outcome.drafted.push_back(draft.size());
    ++outcome.passes;
  }
  const auto end = std::ranges::find(context, kStop);
  EXPECT_TRUE(std::ranges::equal(std::span(context.begin() + 2, end), text));
  return outcome;
}

int of_other(const Outcome& outcome) {
  return outcome.accepted[static_cast<std::size_t>(DraftOrigin::kOther)];
}

CostCurve cpu_curve() {
  return CostCurve({{1, 1}, {4, 1.15}, {8, 1.35}, {16, 2.5}, {32, 4.9}, {64, 9.7}});
}

TEST(SourceSet, TakesAnAddedSourceFromTheListAlone) {
  // Nothing repeats, and nothing is where the original has it.
  told = tokens_from(10, 300);
  std::ranges::reverse(told);
  const std::vector<SourceMaker> without(all_sources().begin(), all_sources().end());
  const int plain = replay(without, told, cpu_curve()).passes;
  for (std::size_t place = 0; place <= all_sources().size(); ++place) {
    const Outcome with = replay(all_and(made<Oracle>, place), told, cpu_curve());
    EXPECT_LT(with.passes, 60) << "place " << place;
    EXPECT_EQ(of_other(replay(without, told, cpu_curve())), 0);
    EXPECT_GT(of_other(with) + with.passes, plain - 40) << "place " << place;
  }
}

// A row costs 0.8 of a pass, so a guess must be right in four of five cases. The prior of Liar
// counts as 60 observations; a dozen more refute it. Each wrong try costs what 80 plain passes may
// lose: without learning, it would be tried fifty times.
TEST(SourceSet, ASourceThatIsAlwaysWrongFallsSilent) {
  std::vector<TokenId> text(4000);
  for (std::size_t i = 0; i < text.size(); ++i)
    text[i] = static_cast<TokenId>(5 + hash_of(i, {}) % 2900);
  const CostCurve dear({{1, 1}, {2, 1.8}, {64, 60}});
  const Outcome outcome = replay({made<Liar>}, text, dear);
  const auto tries = outcome.passes - std::ranges::count(outcome.drafted, 0);
  EXPECT_GE(tries, 3) << "its prior says that it is worth a try";
  EXPECT_LT(tries, 20);
  EXPECT_EQ(std::accumulate(outcome.drafted.end() - 2000, outcome.drafted.end(), 0), 0);
}

TEST(SourceSet, ALiarDoesNotSilenceASourceThatIsRight) {
  told = tokens_from(10, 2400);
  std::ranges::reverse(told);
  const Outcome alone = replay({made<Oracle>}, told, cpu_curve());
  for (const std::vector<SourceMaker>& makers :
       {std::vector<SourceMaker>{made<Oracle>, made<Liar>}, {made<Liar>, made<Oracle>}}) {
    const Outcome both = replay(makers, told, cpu_curve());
    EXPECT_LT(both.passes, alone.passes + 250);
    EXPECT_GT(of_other(both), 1800);
  }
}

TEST(SourceSet, EachBranchHasAStateOfItsOwn) {
  std::vector<TokenId> text;  // continues in several ways after the same tokens
  for (int i = 0; i < 400; ++i)
    text.push_back(static_cast<TokenId>(5 + hash_of(static_cast<std::uint64_t>(i / 3), {}) % 6));
  const CostCurve cheap({{1, 1}, {64, 1.3}});
  for (std::size_t place = 0; place <= all_sources().size(); ++place) {
    for (const bool on_device : {false, true}) {
      Witness::asked = 0;
      const Outcome outcome = replay(all_and(made<Witness>, place), text, cheap, on_device);
      EXPECT_GT(Witness::asked, 5 * outcome.passes);
    }
  }
}

TEST(SourceSet, UnlikelyGuessesAreAskedForInSync) {
  EXPECT_GT(of_other(replay({made<Unsure>}, tokens_from(10, 300), cpu_curve())), 200);
}

TEST(SourceSet, EverySourceOfTheListHasKindsWhereTheRequestGivesItSomething) {
  const auto tokenizer = byte_tokenizer();
  DecodeRequest request;
  request.prompt = tokenizer->encode("a = 1\n");
  request.original = request.prompt;
  request.open_files = std::make_shared<const std::vector<std::vector<TokenId>>>(
      std::vector<std::vector<TokenId>>{request.prompt});
  request.rest_of_file = request.open_files;
  request.repository = std::make_shared<MemoryDatastore>(*request.open_files);
  const Proposal proposal;
  const Proposals proposals{.model = &proposal, .head = &proposal};
  SourceMemory memory;
  for (const SourceMaker make : all_sources()) {
    const SourceSet alone({&make, 1}, request, memory, tokenizer.get(), proposals);
    EXPECT_GT(alone.kinds().size(), 0);
  }
  // No two of them have the same name.
  const SourceSet all(all_sources(), request, memory, tokenizer.get(), proposals);
  EXPECT_GE(all.kinds().size(), static_cast<int>(all_sources().size()));
}

TEST(SourceSet, TwoKindsOfOneNameAreRefused) {
  DecodeRequest request;
  request.prompt = {1};
  SourceMemory memory;
  const SourceMaker twice[] = {copy_source, copy_source};
  EXPECT_THROW(SourceSet(twice, request, memory), std::logic_error);
}

TEST(SourceSet, WithoutSourcesThereAreNoDrafts) {
  const Outcome outcome = replay({}, tokens_from(10, 50), cpu_curve());
  EXPECT_EQ(outcome.passes, 51);
  EXPECT_EQ(std::accumulate(outcome.drafted.begin(), outcome.drafted.end(), 0), 0);
}

}  // namespace
}  // namespace redraft
