// The rule of LLMA: which place of which document is copied, how much, and in how many passes.
#include "bench/methods/llma.h"

#include <gtest/gtest.h>

#include "tests/kit/lossless_case.h"

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

constexpr int kNoLimit = 1000;

// After a prompt of one token that is in no document.
Tokens copied(const LlmaOptions& options, const std::vector<Tokens>& documents,
              const Tokens& output, int limit = kNoLimit) {
  LlmaSource source(options, documents, 1);
  Tokens context = {99};
  context.insert(context.end(), output.begin(), output.end());
  const DraftTree draft = source.draft(context, limit);
  EXPECT_TRUE(draft.is_chain());
  return {draft.tokens().begin(), draft.tokens().end()};
}

TEST(Llma, PrefersMoreTokensThenTheFirstDocumentThenTheFirstPlace) {
  const std::vector<Tokens> documents = {{3, 10, 11, 3, 12, 13}, {3, 20, 2, 3, 21, 2, 3, 22}};
  const LlmaOptions options{.shortest = 1, .longest = 5, .rows = 2};
  EXPECT_EQ(copied(options, documents, {7, 3}), Tokens{10});
  EXPECT_EQ(copied(options, documents, {2, 3}), Tokens{21});
  EXPECT_EQ(copied({.shortest = 1, .longest = 1, .rows = 2}, documents, {2, 3}), Tokens{10});
}

TEST(Llma, NeedsTheFewestTokensAndComparesTheMost) {
  const std::vector<Tokens> documents = {{1, 2, 3, 10, 9, 2, 3, 20}};
  EXPECT_EQ(copied({.shortest = 3, .longest = 3, .rows = 2}, documents, {8, 2, 3}), Tokens());
  EXPECT_EQ(copied({.shortest = 2, .longest = 2, .rows = 2}, documents, {9, 2, 3}), Tokens{10});
  EXPECT_EQ(copied({.shortest = 2, .longest = 3, .rows = 2}, documents, {9, 2, 3}), Tokens{20});
}

TEST(Llma, CopiesOneTokenLessThanRowsAndNothingBeyondTheDocument) {
  const std::vector<Tokens> documents = {{1, 2, 3, 4, 5}, {6, 7}};
  EXPECT_EQ(copied({.rows = 4}, documents, {1}), (Tokens{2, 3, 4}));
  EXPECT_EQ(copied({.rows = 20}, documents, {3}), (Tokens{4, 5}));
  EXPECT_EQ(copied({.rows = 20}, documents, {5}), Tokens()) << "the next document does not follow";
  EXPECT_EQ(copied({.rows = 20}, documents, {1}, 2), (Tokens{2, 3}));
}

// What the prompt ends with is no match: only the output is looked up.
TEST(Llma, WaitsForTheFirstTokenOfTheOutput) {
  LlmaSource source({}, {{1, 2, 3}}, 2);
  EXPECT_TRUE(source.draft(Tokens{5, 1}, kNoLimit).empty());
  EXPECT_EQ(source.draft(Tokens{5, 1, 2}, kNoLimit).size(), 1);
}

DecodeResult decoded(const std::string& name, const DecodeRequest& request,
                     const Tokens& reference) {
  ScriptedModel model = ScriptedModel::replay(400, static_cast<int>(request.prompt.size()),
                                              reference, LosslessCase::kStop, 1000);
  const auto cache = model.new_cache(1000);
  return decode(name, {&model, cache.get()}, {}, request);
}

// 41 tokens of the original are written as they stand: one alone, then 19 copied ones and one more
// a pass.
TEST(Llma, ItsDefaultsAreThoseOfTheAuthorsProgram) {
  Tokens reference;
  for (TokenId token = 100; token < 141; ++token) reference.push_back(token);
  DecodeRequest request{.prompt = {1, 2}, .original = reference, .max_new_tokens = 41};
  int rows = 0;
  request.on_emitted = [&](const EmittedToken& token) {
    if (token.pass == 2) rows = token.rows;
  };
  const DecodeResult result = decoded("llma", request, reference);
  EXPECT_EQ(result.tokens, reference);
  EXPECT_EQ(result.statistics.passes, 3) << "1, 20, 20";
  EXPECT_EQ(rows, 20);
}

// One copied token a pass leads to 11 2 3 4 5 6 exactly. Its last five tokens stand first before
// 50, all six before 60.
TEST(Llma, FiveTokensAreTheMostThatCount) {
  const Tokens reference = {11, 2, 3, 4, 5, 6, 50, 51, 52};
  const DecodeRequest request{
      .prompt = {1},
      .original = {11, 9, 12, 2, 3, 4, 5, 6, 50, 51, 52, 11, 2, 3, 4, 5, 6, 60, 61},
      .stop_tokens = {LosslessCase::kStop}};
  const DecodeResult five = decoded("llma:k=2", request, reference);
  EXPECT_EQ(five.tokens, reference);
  EXPECT_EQ(five.statistics.passes, 6) << "11; 2; 3 4; 5 6; 50 51; 52 and the end";
  EXPECT_EQ(decoded("llma:k=2:longest=6", request, reference).statistics.passes, 7);
}

// Turns and retrieved code stand in the prompt, so a request without an original copies from there.
TEST(Llma, ThePromptIsADocumentAndTheOriginalComesBeforeIt) {
  const Tokens reference = {5, 6, 7, 8, 9};
  DecodeRequest request{.prompt = {5, 6, 7, 8, 9, 1}, .stop_tokens = {LosslessCase::kStop}};
  const DecodeResult copied = decoded("llma", request, reference);
  EXPECT_EQ(copied.tokens, reference);
  EXPECT_EQ(copied.statistics.passes, 2) << "5; 6 to 9 and the end, for a wrong 1";
  request.original = {5, 60, 61};
  EXPECT_EQ(decoded("llma", request, reference).statistics.passes, 3) << "60 is drafted after 5";
}

}  // namespace
}  // namespace redraft
