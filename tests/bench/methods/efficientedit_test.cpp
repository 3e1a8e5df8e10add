// EfficientEdit's phases (section III), pass by pass, with the constants that it has by default.
// A letter is a token. The draft model always proposes what the target writes, so a pass of the
// generate phase makes 7 tokens of its draft and the target's own eighth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/methods/lossy_rules.h"
#include "decoding/acceptance.h"
#include "decoding/decoder.h"
#include "tests/kit/lossless_case.h"

namespace redraft {
namespace {

using testing::ElementsAre;

constexpr TokenId kStop = 0;
constexpr int kVocabulary = 128;
constexpr int kContext = 512;

std::vector<TokenId> tokens_of(const std::string& text) { return {text.begin(), text.end()}; }

struct Edited {
  // "PHASE ROWS: TOKENS" for each pass; the target's own token in brackets.
  std::vector<std::string> passes;
  DecodeResult result;

  int drafted(DraftOrigin origin) const {
    return static_cast<int>(result.statistics.drafted_by_origin[static_cast<std::size_t>(origin)]);
  }
};

// Edits `original` with a target that writes `output`.
Edited edit(const std::string& decoder, const std::string& original, const std::string& output) {
  ScriptedModel target = ScriptedModel::replay(kVocabulary, 1, tokens_of(output), kStop, kContext);
  ScriptedModel draft = target;
  const auto target_cache = target.new_cache(kContext);
  const auto draft_cache = draft.new_cache(kContext);
  Edited edited;
  DecodeRequest request;
  request.prompt = tokens_of(">");
  request.original = tokens_of(original);
  request.stop_tokens = {kStop};
  request.on_emitted = [&](const EmittedToken& token) {
    edited.passes.resize(static_cast<std::size_t>(token.pass));
    std::string& pass = edited.passes.back();
    if (pass.empty()) pass = token.phase + (" " + std::to_string(token.rows)) + ": ";
    const std::string text(1, static_cast<char>(token.token));
    pass += token.origin ? text : "(" + text + ")";
  };
  edited.result =
      decode(decoder, {&target, target_cache.get()}, {&draft, draft_cache.get()}, request);
  EXPECT_EQ(edited.result.tokens, tokens_of(output)) << decoder;
  return edited;
}

// The original has the key twice.
const std::string kOriginal = "abcdefghij1234567klm1234567no";

TEST(EfficientEdit, ReuseContinuesAfterTheFirstOccurrenceOfTheKey) {
  const Edited edited = edit("efficientedit", kOriginal, "abcX1234567klm1234567no");
  EXPECT_THAT(edited.passes, ElementsAre("reuse 30: abc",             // all of it, and "d" is wrong
                                         "generate 8: X123456(7)",    // ends with the key
                                         "reuse 13: klm1234567no"));  // after its first place
  EXPECT_EQ(edited.result.statistics.passes, 3);
  EXPECT_EQ(edited.drafted(DraftOrigin::kReuse), 29 + 12)
      << "what was skipped is not drafted again";
  EXPECT_EQ(edited.drafted(DraftOrigin::kModel), 7);
}

TEST(EfficientEdit, TheTargetsTokenAtAMismatchIsDropped) {
  const std::string output = "abcX1234567klm1234567no";
  EXPECT_EQ(edit("efficientedit", kOriginal, output).result.statistics.bonus_tokens, 1)
      << "that of the generate phase";
  // Kept, it moves all that follows on by one token.
  EXPECT_THAT(edit("efficientedit:keep-correction", kOriginal, output).passes,
              ElementsAre("reuse 30: abc(X)", "generate 8: 1234567(k)", "reuse 12: lm1234567no"));
}

TEST(EfficientEdit, SixMatchingTokensAreTooFewForAKey) {
  const std::string output = "abcXY234567klmpqrstuvw";
  EXPECT_THAT(edit("efficientedit", kOriginal, output).passes,
              ElementsAre("reuse 30: abc", "generate 8: XY23456(7)", "generate 8: klmpqrs(t)",
                          "generate 4: uvw"));
  EXPECT_THAT(edit("efficientedit:key=6", kOriginal, output).passes,
              ElementsAre("reuse 30: abc", "generate 8: XY23456(7)", "reuse 13: klm",
                          "generate 8: pqrstuv(w)"));
}

TEST(EfficientEdit, TheKeyIsOfTheEditAlone) {
  // "123456X" occurs further on, but all of it except the "X" was reused.
  const Edited edited = edit("efficientedit:reuse-only", "123456ab123456Xcdef", "123456Xcdef");
  EXPECT_THAT(edited.passes, ElementsAre("reuse 20: 123456", "generate 1: (X)", "generate 1: (c)",
                                         "generate 1: (d)", "generate 1: (e)", "generate 1: (f)"));
}

TEST(EfficientEdit, SkippedTextIsNotDraftedAgain) {
  const Edited edited = edit("efficientedit", kOriginal, "abcX1234567kYdefghijZ");
  EXPECT_THAT(edited.passes, ElementsAre("reuse 30: abc", "generate 8: X123456(7)", "reuse 13: k",
                                         "generate 8: Ydefghi(j)",  // the last seven were skipped
                                         "generate 2: Z"));
}

TEST(EfficientEdit, AfterTheWholeOriginalTheDraftModelWrites) {
  EXPECT_THAT(edit("efficientedit", "abc", "abcdefghijk").passes,
              ElementsAre("reuse 4: abc", "generate 8: defghij(k)"));
}

TEST(EfficientEdit, WithoutADraftModelTheGeneratePhaseIsPlain) {
  EXPECT_THAT(edit("efficientedit:reuse-only:key=2", "abcdefgh", "abXfgh").passes,
              ElementsAre("reuse 9: ab", "generate 1: (X)", "generate 1: (f)", "generate 1: (g)",
                          "reuse 2: h"));
}

// A target of which the draft model proposes the candidate of that rank everywhere.
DecodeResult propose(const std::string& decoder, int rank, std::vector<TokenId> original = {}) {
  constexpr int kLength = 300;
  ScriptedModel target = ScriptedModel::random(5, {.context_length = kContext});
  ScriptedModel draft(target.vocabulary_size(), kContext, [&](std::span<const TokenId> sequence) {
    return target.ranking(sequence, rank).ids.back();
  });
  const auto target_cache = target.new_cache(kContext);
  const auto draft_cache = draft.new_cache(kContext);
  DecodeRequest request;
  request.prompt = {1};
  request.original = std::move(original);
  request.max_new_tokens = kLength;
  return decode(decoder, {&target, target_cache.get()}, {&draft, draft_cache.get()}, request);
}

int accepted(const DecodeResult& result) {
  return static_cast<int>(
      result.statistics.accepted_by_origin[static_cast<std::size_t>(DraftOrigin::kModel)]);
}

// Table III: k is 3 for Qwen, the default, and 5 for DeepSeek.
TEST(EfficientEdit, TopKAcceptsTheThirdBestAndNotTheFourth) {
  EXPECT_GT(accepted(propose("efficientedit:top-k", 3)), 200);
  EXPECT_EQ(accepted(propose("efficientedit:top-k", 4)), 0);
  EXPECT_GT(accepted(propose("efficientedit:top-k:k=5", 5)), 200);
  EXPECT_EQ(accepted(propose("efficientedit:top-k:k=5", 6)), 0);
}

// Whether equations 9 and 10 let the second best pass after `sequence`.
bool second_passes(const ScriptedModel& target, std::span<const TokenId> sequence, int k,
                   bool floor) {
  const auto ranking = target.ranking(sequence, k);
  const Rounding rounding = floor ? Rounding::kDown : Rounding::kUp;
  return entropy_threshold(normalised_entropy(ranking.logits), k, rounding) >= 2;
}

TEST(EfficientEdit, EntropyLooksAtThreeCandidatesAndRoundsUp) {
  const ScriptedModel target = ScriptedModel::random(5, {.context_length = kContext});
  const auto accepted_by_rule = [&](const std::string& decoder, int k, bool floor) {
    const DecodeResult result = propose(decoder, 2);
    // Where the second best stands in the output, the rule let it pass; where the target's own
    // token stands, it came after a draft that the rule ended.
    std::vector<TokenId> sequence = {1};
    int expected = 0;
    for (const TokenId token : result.tokens) {
      const bool second = token == target.ranking(sequence, 2).ids[1];
      EXPECT_TRUE(!second || second_passes(target, sequence, k, floor)) << decoder;
      expected += second ? 1 : 0;
      sequence.push_back(token);
    }
    EXPECT_EQ(accepted(result), expected) << decoder;
    return expected;
  };
  const int by_default = accepted_by_rule("efficientedit:entropy", 3, false);
  EXPECT_EQ(by_default, accepted_by_rule("efficientedit:entropy:k=3", 3, false));
  EXPECT_GT(by_default, accepted_by_rule("efficientedit:entropy:floor", 3, true));
}

TEST(EfficientEdit, ReuseIsStrictWhateverTheRuleOfTheGeneratePhase) {
  for (const char* rule : {"direct", "top-k", "entropy"}) {
    const DecodeResult result = propose(std::string("efficientedit:") + rule, 1, {2, 3, 4, 5, 6});
    const auto reuse = static_cast<std::size_t>(DraftOrigin::kReuse);
    EXPECT_EQ(result.statistics.accepted_by_origin[reuse], 0) << rule;
    EXPECT_EQ(result.tokens, propose("ar", 1).tokens) << rule;
  }
}

}  // namespace
}  // namespace redraft
