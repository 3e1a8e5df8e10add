// FastFixer's rule on originals of a few lines. Token 0 ends a line; the others are text.
#include "bench/methods/fastfixer.h"

#include <gtest/gtest.h>

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

constexpr int kNoLimit = 1000;

const LineTable& lines() {
  static const LineTable kTable(
      100, [](TokenId token) { return std::string_view(token == 0 ? "\n" : "x"); });
  return kTable;
}

// A plan in the middle of a decode: what it drafts after each piece of output.
class Session {
 public:
  explicit Session(Tokens original, const FastFixerOptions& options = {.key = 2, .chunk = kNoLimit},
                   const LineTable* table = &lines())
      : plan_(options, {.prompt = {99}, .original = std::move(original), .stop_tokens = {}},
              table) {}

  // The draft after `written`, the tokens of the last pass; empty: a plain step.
  Tokens after(const Tokens& written) {
    context_.insert(context_.end(), written.begin(), written.end());
    phase_ = plan_.next(context_);
    if (!phase_.source) return {};
    const DraftTree draft = phase_.source->draft(context_, kNoLimit);
    return {draft.tokens().begin(), draft.tokens().end()};
  }
  bool continues_pass() const { return phase_.continues_pass; }

 private:
  Tokens context_ = {99};
  FastFixerPlan plan_;
  Phase phase_;
};

TEST(FastFixer, DraftsTheWholeOriginalFirst) {
  EXPECT_EQ(Session({1, 2, 0, 3, 4, 0}).after({}), (Tokens{1, 2, 0, 3, 4, 0}));
  EXPECT_EQ(Session({}).after({}), Tokens());
}

TEST(FastFixer, ResumesAtTheFirstLineThatBeginsLikeTheNewOne) {
  Session session({1, 2, 0, 3, 4, 5, 0, 6, 7, 8, 0, 6, 7, 9, 0});
  session.after({});
  EXPECT_EQ(session.after({1, 50}), Tokens()) << "to the end of the line in plain steps";
  EXPECT_EQ(session.after({3}), Tokens());
  EXPECT_EQ(session.after({4}), Tokens()) << "not a line's beginning";
  EXPECT_EQ(session.after({0}), Tokens());
  EXPECT_EQ(session.after({6}), Tokens());
  EXPECT_EQ(session.after({7}), (Tokens{8, 0, 6, 7, 9, 0}));
  EXPECT_FALSE(session.continues_pass());
}

TEST(FastFixer, NeverGoesBackBehindWhereReuseStopped) {
  Session session({1, 2, 0, 3, 4, 5, 0});
  session.after({});
  session.after({1, 2, 0, 3, 50});
  session.after({0});
  session.after({1});
  EXPECT_EQ(session.after({2}), Tokens()) << "the first line is behind";
  session.after({0});
  session.after({3});
  EXPECT_EQ(session.after({4}), Tokens()) << "and so is the one that was begun";
}

TEST(FastFixer, ALineThatIsShorterThanTheKeyFindsNothing) {
  Session session({1, 2, 0, 3, 0, 4, 5, 6, 0});
  session.after({});
  session.after({50});
  session.after({0});
  session.after({3});
  EXPECT_EQ(session.after({0}), Tokens()) << "line 3 is too short, and a new line begins";
  session.after({4});
  EXPECT_EQ(session.after({5}), (Tokens{6, 0}));
}

TEST(FastFixer, ACorrectionThatEndsTheLineIsFollowedByAKey) {
  Session session({1, 2, 3, 0, 4, 5, 6});
  session.after({});
  session.after({1, 0});
  session.after({4});
  EXPECT_EQ(session.after({5}), Tokens{6});
}

TEST(FastFixer, ChunksOfOneReuseCountAsOnePass) {
  Session session({1, 2, 0, 3, 4, 0, 5}, {.key = 2, .chunk = 2});
  EXPECT_EQ(session.after({}), (Tokens{1, 2}));
  EXPECT_FALSE(session.continues_pass());
  EXPECT_EQ(session.after({1, 2, 0}), (Tokens{3, 4}));
  EXPECT_TRUE(session.continues_pass());
}

TEST(FastFixer, WithoutLinesReuseEndsAtTheFirstMismatch) {
  Session session({1, 2, 0, 3, 4, 0}, {.key = 1, .chunk = kNoLimit}, nullptr);
  EXPECT_EQ(session.after({}).size(), 6U);
  session.after({1, 50});
  session.after({0});
  EXPECT_EQ(session.after({3}), Tokens());
}

}  // namespace
}  // namespace redraft
