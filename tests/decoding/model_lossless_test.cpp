// Strict decoding with a mixture of experts, whose rows share experts with whatever else is in
// their pass, with hybrids, whose state every token changes, and with models whose layers, scores
// or logits are special: every strict decoder writes what plain greedy decoding writes. The target
// has a draft head or an MTP block; the draft model has the target's weights, or others.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoding/decoder_definition.h"
#include "decoding/model/model_files.h"
#include "decoding/model/transformer.h"
#include "decoding/model_powers.h"
#include "indexing/store/memory_datastore.h"
#include "tests/decoding/model/tiny_draft_head.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/kit/lossless_case.h"
#include "tests/kit/strict_decoders.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

constexpr int kContext = 512;
constexpr int kOutput = 60;

// An architecture, with an MTP block in place of the draft head or without.
using Param = std::pair<const char*, bool>;

TinyModel tiny_model(const Param& param, std::uint32_t seed) {
  const std::string name = param.first;
  const bool shares = name.ends_with("_e");
  return {.architecture = name.substr(0, name.find("_e")),
          .layers = 4,
          .feed_forward = 64,
          .vocabulary = 48,
          .sharing_layers = shares ? 2 : 0,
          .layer_input = shares ? 32 : 0,
          .experts = 16,
          .experts_used = 4,
          .mtp = param.second,
          .tokenizer = "",
          .seed = seed};
}

class ModelLossless : public testing::TestWithParam<Param> {
 protected:
  std::unique_ptr<LanguageModel> load(std::uint32_t seed, int threads, bool headed) {
    const std::string name = "tiny" + std::to_string(seed) + ".gguf";
    const std::vector<std::uint8_t> bytes = tiny_model(GetParam(), seed).writer().bytes();
    folder_.write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    ModelLocation location(folder_ / name);
    if (headed && !GetParam().second) {
      const TinyDraftHead head({.hidden = 64,
                                .target_layers = 4,
                                .target_vocabulary = 48,
                                .layers = {0, 3},
                                .tokens = 3,
                                .width = 96,
                                .vocabulary = 24,
                                .target = "tiny"});
      EXPECT_TRUE(head.write(folder_ / "head"));
      location.head = folder_ / "head";
    }
    auto files = open_model_files(location);
    EXPECT_TRUE(files) << files.error().message();
    auto model =
        load_transformer(std::move(*files), kernels::best_isa(), threads == 1 ? one_ : two_);
    EXPECT_TRUE(model) << model.error().message();
    return std::move(*model);
  }

  // The text with a few tokens replaced, left out or added.
  std::vector<TokenId> near_miss(const std::vector<TokenId>& text) {
    std::vector<TokenId> out;
    for (const TokenId token : text) {
      const int dice = between(random_, 0, 19);
      if (dice == 0) continue;
      if (dice == 1) out.push_back(between(random_, 0, 47));
      out.push_back(dice == 2 ? between(random_, 0, 47) : token);
    }
    return out;
  }

  DecodeRequest random_request() {
    DecodeRequest request;
    // Longer than what a sliding window keeps.
    const int longest = tiny_model(GetParam(), 1).has_windows() ? 250 : 40;
    const int length = between(random_, 1, longest);
    for (int i = 0; i < length; ++i) request.prompt.push_back(between(random_, 0, 47));
    request.max_new_tokens = kOutput;
    request.log_probabilities = 2;
    return request;
  }

  TempFolder folder_;
  ThreadPool one_{1}, two_{2};
  Random random_{7};
};

TEST_P(ModelLossless, EveryStrictDecoderWritesWhatPlainDecodingWrites) {
  const auto plain_target = load(1, 1, false);
  const auto target = load(1, 2, true);
  const std::unique_ptr<LanguageModel> drafters[] = {load(1, 1, false), load(2, 1, false)};
  const CostCurve curves[] = {CostCurve(), CostCurve({{1, 1}, {8, 1.35}, {16, 2.5}, {64, 9.7}})};
  std::set<std::string> drafting;  // decoders of which a draft was accepted
  for (int round = 0; round < 4; ++round) {
    DecodeRequest request = random_request();
    const auto plain_cache = plain_target->new_cache(kContext);
    const DecodeResult plain = decode("ar", {plain_target.get(), plain_cache.get()}, {}, request);
    ASSERT_EQ(plain.tokens.size(), static_cast<std::size_t>(kOutput));
    request.original = near_miss(plain.tokens);
    request.repository = std::make_shared<MemoryDatastore>(
        std::vector<std::vector<TokenId>>{near_miss(plain.tokens), near_miss(request.prompt)});
    DecoderMemory memory;
    for (const char* name : kStrictDecoders) {
      if (!target->layer_skipping() && std::string_view(name).starts_with("selfspec")) continue;
      SCOPED_TRACE(testing::Message() << name << ", round " << round);
      const auto cache = target->new_cache(kContext);
      LanguageModel& drafter = *drafters[between(random_, 0, 1)];
      const auto draft_cache = drafter.new_cache(kContext);
      const DecodeResult result =
          decode(name, {target.get(), cache.get()}, {&drafter, draft_cache.get()}, request,
                 curves[between(random_, 0, 1)], nullptr, {}, &memory);
      EXPECT_EQ(result.tokens, plain.tokens);
      EXPECT_EQ(result.log_probabilities, plain.log_probabilities);
      expect_sums(result);
      if (result.statistics.passes < kOutput) drafting.insert(name);
    }
  }
  EXPECT_GT(drafting.size(), std::size(kStrictDecoders) / 2) << "too few drafts to mean anything";
}

// Drafts change no sampled token and no probability.
TEST_P(ModelLossless, SampledTextIsThatOfPlainSampling) {
  const auto target = load(1, 2, false);
  for (const std::uint64_t seed : {1, 2}) {
    DecodeRequest request = random_request();
    request.sampling = {.temperature = 0.7, .top_p = 0.95, .seed = seed};
    const auto plain_cache = target->new_cache(kContext);
    const DecodeResult plain = decode("ar", {target.get(), plain_cache.get()}, {}, request);
    request.original = near_miss(plain.tokens);
    for (const char* name : {"redraft", "pld"}) {
      SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
      const auto cache = target->new_cache(kContext);
      const DecodeResult result =
          decode(name, {target.get(), cache.get()}, {}, request, CostCurve({{1, 1}, {64, 3}}));
      EXPECT_EQ(result.tokens, plain.tokens);
      EXPECT_EQ(result.log_probabilities, plain.log_probabilities);
    }
  }
}

// This decoder verifies nothing and so proves that the comparison would see a difference.
TEST_P(ModelLossless, ADecoderThatIsNotStrictWritesSomethingElse) {
  const auto target = load(1, 1, false);
  const auto drafter = load(2, 1, false);
  DecodeRequest request = random_request();
  request.log_probabilities.reset();  // it reports none
  const auto cache = target->new_cache(kContext);
  const DecodeResult plain = decode("ar", {target.get(), cache.get()}, {}, request);
  request.original = near_miss(plain.tokens);
  const auto other_cache = target->new_cache(kContext);
  const auto draft_cache = drafter->new_cache(kContext);
  EXPECT_NE(decode("efficientedit:direct", {target.get(), other_cache.get()},
                   {drafter.get(), draft_cache.get()}, request)
                .tokens,
            plain.tokens);
}

INSTANTIATE_TEST_SUITE_P(, ModelLossless,
                         testing::Values(Param("qwen3moe", false), Param("qwen35", false),
                                         Param("qwen35moe", false), Param("qwen3next", false),
                                         Param("qwen35", true), Param("qwen35moe", true),
                                         Param("qwen3next", true), Param("lfm2", false),
                                         Param("mellum", false), Param("gpt-oss", false),
                                         Param("gemma4", false), Param("gemma4_e", false),
                                         Param("smollm3", false), Param("mistral3", false),
                                         Param("granite", false), Param("seed_oss", false)),
                         [](const auto& each) {
                           std::string name = each.param.first;
                           std::erase(name, '-');
                           return name + (each.param.second ? "_mtp" : "");
                         });

}  // namespace
}  // namespace redraft
