// That the default decoder asks each source of its list: texts that only one of them can continue.
// (The original, copies, what is remembered and open files: redraft_source_test.cpp.)
#include "decoding/drafting/redraft/sources/source_list.h"

#include <gtest/gtest.h>

#include <map>

#include "decoding/decoder.h"
#include "indexing/store/memory_datastore.h"
#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

constexpr int kVocabulary = 3000;
constexpr TokenId kStop = 0;

// Tokens of `text` that were guessed by `origin`, where `target` writes it.
std::int64_t accepted_of(DraftOrigin origin, DecodeRequest request, ScriptedModel& target,
                         const std::vector<TokenId>& text, DecoderMemory* memory = nullptr,
                         const char* name = "redraft", ScriptedModel* draft_model = nullptr) {
  request.stop_tokens = {kStop};
  request.max_new_tokens = static_cast<int>(text.size());
  const auto cache = target.new_cache(4096);
  const auto draft_cache = target.new_cache(4096);
  const ModelSlot draft = draft_model ? ModelSlot{draft_model, draft_cache.get()} : ModelSlot{};
  const CostCurve wide({{1, 1}, {64, 1.3}});
  auto decoder =
      Decoder::make(*DecoderName::parse(name), {&target, cache.get()}, draft, wide, memory);
  const auto result = (*decoder)->run(request, nullptr, {});
  EXPECT_EQ(result->tokens, text);
  return result->statistics.accepted_by_origin[static_cast<std::size_t>(origin)];
}

// No token comes twice.
std::vector<TokenId> new_text(int count) {
  std::vector<TokenId> text;
  for (int i = 0; i < count; ++i) text.push_back(10 + (i * 37) % 2000);
  return text;
}

ScriptedModel writing(const std::vector<TokenId>& text, int vocabulary = kVocabulary) {
  return ScriptedModel::replay(vocabulary, 2, text, kStop, 4096);
}

TEST(SourceList, RetrievesFromTheDatastores) {
  const auto text = new_text(120);
  const auto store = std::make_shared<MemoryDatastore>(std::vector<std::vector<TokenId>>{text});
  for (const bool common : {false, true}) {
    DecodeRequest request{.prompt = {1, 2}};
    (common ? request.common : request.repository) = store;
    ScriptedModel target = writing(text);
    EXPECT_GT(accepted_of(DraftOrigin::kRetrieval, request, target, text), 80);
  }
}

TEST(SourceList, CopiesFromTheRestOfTheFile) {
  const auto text = new_text(120);
  DecoderMemory memory;
  const auto accepted = [&](std::vector<std::vector<TokenId>> rest) {
    DecodeRequest request{.prompt = {1, 2}};
    if (!rest.empty())
      request.rest_of_file =
          std::make_shared<const std::vector<std::vector<TokenId>>>(std::move(rest));
    ScriptedModel target = writing(text);
    return accepted_of(DraftOrigin::kCopy, request, target, text, &memory);
  };
  EXPECT_GT(accepted({{9, 9, 9}, text}), 80);
  memory.forget();
  EXPECT_EQ(accepted({}), 0) << "that of an earlier request is gone";
}

TEST(SourceList, HasTheDraftModelsProposal) {
  const auto text = new_text(120);
  ScriptedModel target = writing(text);
  ScriptedModel draft_model = writing(text);
  EXPECT_GT(accepted_of(DraftOrigin::kModel, {.prompt = {1, 2}}, target, text, nullptr,
                        "redraft:model", &draft_model),
            80);
}

TEST(SourceList, HasTheDraftHeadsProposal) {
  const auto text = new_text(120);
  ScriptedModel target = writing(text);
  target.set_head(
      3,
      [script = writing(text)](std::span<const TokenId> sequence) { return script.next(sequence); },
      [](std::span<const TokenId>) { return 0.9F; });
  const DecodeRequest request{.prompt = {1, 2}};
  EXPECT_GT(accepted_of(DraftOrigin::kHead, request, target, text), 60);
  EXPECT_EQ(accepted_of(DraftOrigin::kHead, request, target, text, nullptr, "redraft:no-head"), 0);
}

// What the head thinks second likeliest is an alternative in the tree.
TEST(SourceList, HasTheDraftHeadsSecondChoices) {
  const auto text = new_text(120);
  ScriptedModel target = writing(text);
  target.set_head(
      1,
      [script = writing(text)](std::span<const TokenId> sequence) {
        return (script.next(sequence) + kVocabulary - 1) % kVocabulary;
      },
      [](std::span<const TokenId>) { return 0.05F; });
  EXPECT_GT(accepted_of(DraftOrigin::kHead, {.prompt = {1, 2}}, target, text), 20);
}

TEST(SourceList, IndentsNewLines) {
  const auto tokenizer = word_tokenizer({"   "});
  std::vector<TokenId> text;
  for (int i = 0; i < 40; ++i) {  // four blanks, the last of them in the next word's token
    const std::string word = {static_cast<char>('a' + i % 26), static_cast<char>('a' + i * 7 % 26)};
    for (const TokenId token : tokenizer->encode("    " + word + "\n")) text.push_back(token);
  }
  DecoderMemory memory(nullptr, tokenizer);
  ScriptedModel target = writing(text, tokenizer->vocabulary_size());
  EXPECT_GT(accepted_of(DraftOrigin::kLayout, {.prompt = {1, 2}}, target, text, &memory), 20);
}

// The original has only every other token, so at first it is wrong. But the target says what comes
// after each token that was guessed in vain, and later these tokens come.
TEST(SourceList, RecyclesWhatTheTargetSaid) {
  const auto text = new_text(200);
  std::map<TokenId, TokenId> after;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) after[text[i]] = text[i + 1];
  ScriptedModel target(kVocabulary, 4096, [&](std::span<const TokenId> sequence) {
    const auto known = after.find(sequence.back());
    return known != after.end() ? known->second : text.front();
  });
  DecodeRequest request{.prompt = {1, 2}};
  for (std::size_t i = 0; i < text.size(); i += 2) request.original.push_back(text[i]);
  EXPECT_GT(accepted_of(DraftOrigin::kRecycled, request, target, text), 20);
}

}  // namespace
}  // namespace redraft
