#include "decoding/perplexity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

// Text that the model would write itself.
std::vector<TokenId> written_by(const ScriptedModel& model, int size) {
  std::vector<TokenId> text = {1};
  while (static_cast<int>(text.size()) < size) text.push_back(model.next(text));
  return text;
}

Perplexity measure(ScriptedModel& model, const std::vector<TokenId>& text, int context,
                   const std::function<void(const Perplexity&)>& on_progress = {},
                   const std::stop_token& stop = {}) {
  return measure_perplexity(model, text, context, on_progress, stop);
}

// ScriptedModel gives its own next token a probability of 0.9.
TEST(Perplexity, IsTheInverseOfTheMeanProbability) {
  ScriptedModel model = ScriptedModel::random(1, {});
  const Perplexity result = measure(model, written_by(model, 300), 1000);
  EXPECT_EQ(result.tokens, 300);
  EXPECT_EQ(result.scored, 299);
  EXPECT_EQ(result.windows, 1);
  EXPECT_NEAR(result.value(), 1 / 0.9, 1e-5);
}

TEST(Perplexity, RisesWithATokenThatTheModelWouldNotWrite) {
  ScriptedModel model = ScriptedModel::random(1, {});
  std::vector<TokenId> text = written_by(model, 20);
  const double before = measure(model, text, 1000).log_probability;
  text.back() = text.back() == 2 ? 3 : 2;
  EXPECT_LT(measure(model, text, 1000).log_probability, before - 1);
}

TEST(Perplexity, ScoresALongTextInIndependentWindows) {
  ScriptedModel model = ScriptedModel::random(1, {});
  const Perplexity result = measure(model, written_by(model, 101), 25);
  EXPECT_EQ(result.windows, 4) << "the last token has none before it in its window";
  EXPECT_EQ(result.scored, 4 * 24);
}

TEST(Perplexity, AStopEndsItBeforeTheNextPass) {
  ScriptedModel model = ScriptedModel::random(1, {});
  std::stop_source source;
  int passes = 0;
  const Perplexity result = measure(
      model, written_by(model, 200), 50,
      [&](const Perplexity&) {
        ++passes;
        source.request_stop();
      },
      source.get_token());
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(passes, 1);
}

}  // namespace
}  // namespace redraft
