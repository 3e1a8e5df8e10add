#include "decoding/model/transformer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/model/architecture.h"
#include "decoding/model_powers.h"
#include "decoding/pass_profile.h"
#include "tests/decoding/model/archive_bits.h"
#include "tests/decoding/model/cache_bits.h"
#include "tests/decoding/model/cache_checks.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/decoding/model/transformer_checks.h"

namespace redraft {
namespace {

// A tiny model on every instruction set of this machine, on one thread and on three.
class TinyTransformer : public ::testing::TestWithParam<kernels::Isa> {
 protected:
  std::unique_ptr<LanguageModel> load(const TinyModel& tiny, ThreadPool& pool) {
    files_.push_back(tiny.writer().bytes());
    Result<GgufFile> file = GgufFile::parse("tiny.gguf", files_.back());
    EXPECT_TRUE(file) << file.error().message();
    Result<std::unique_ptr<LanguageModel>> model =
        load_transformer(gguf_model(std::move(*file)), GetParam(), pool);
    EXPECT_TRUE(model) << model.error().message();
    return std::move(*model);
  }

  ThreadPool one_{1};
  ThreadPool three_{3};

 private:
  std::vector<std::vector<std::uint8_t>> files_;
};

TEST_P(TinyTransformer, ChunksAndThreadsLeaveNoTrace) {
  const auto model = load({}, one_);
  const auto other = load({}, three_);
  check_chunking(*model, *other, 150);
}

TEST_P(TinyTransformer, ChunksAndThreadsLeaveTheCacheAsItIs) {
  const auto model = load({}, one_);
  const auto other = load({}, three_);
  check_cache_bits(*model, *other, TinyModel().layers, 300);
}

// Longer than a block of the context, which forward() splits by itself.
TEST_P(TinyTransformer, LongContextsAreSplitWithoutATrace) {
  const auto model = load({}, three_);
  const std::vector<TokenId> tokens = random_tokens(*model, 400, 1);
  const auto run = [&](int chunk) {
    const std::unique_ptr<KvCache> cache = model->new_cache(400);
    return prefill(*model, *cache, tokens, chunk);
  };
  EXPECT_TRUE(run(400) == run(50));
}

TEST_P(TinyTransformer, TreeRowsAreChainRows) {
  const auto model = load({}, three_);
  for (const int prefix : {1, 2, 63, 64, 65, 200}) {
    SCOPED_TRACE(prefix);
    check_trees(*model, prefix, 24);
  }
}

TEST_P(TinyTransformer, KeptAndTruncatedCachesAreAsGoodAsNew) {
  const auto model = load({}, three_);
  check_keep_and_truncate(*model, 40, 30);
}

TEST_P(TinyTransformer, AnyHistoryOfACacheIsAFreshPrefill) {
  const auto model = load({}, three_);
  check_cache_histories(*model, 6, 40, 60);
  check_cache_comparison(*model);
}

TEST_P(TinyTransformer, RowsFromTheArchiveAreThoseOfAFreshPrefill) {
  const auto model = load({}, three_);
  check_archive_bits(*model, TinyModel().layers, 200);
}

TEST_P(TinyTransformer, CachesGiveTheirMemoryBack) {
  const auto model = load({.kv_heads = 4}, three_);
  check_cache_memory(*model);
}

TEST_P(TinyTransformer, ScoresAreLogProbabilities) {
  const auto model = load({}, three_);
  check_scores(*model);
}

TEST_P(TinyTransformer, LogitsAreThoseOfThePredictions) {
  const auto model = load({}, three_);
  check_logits(*model);
}

// What draft_step() predicts after `tokens`, the last three of them as steps of its own.
DraftedToken drafted(LanguageModel& model, std::span<const TokenId> tokens,
                     const SkippedLayers& skipped) {
  const std::unique_ptr<KvCache> cache = model.new_cache(static_cast<int>(tokens.size()));
  const std::size_t before = tokens.size() - 3;
  model.forward(tokens.first(before), DraftTree(), *cache, {});
  DraftedToken last;
  for (std::size_t i = before; i < tokens.size(); ++i)
    last = model.layer_skipping()->draft_step(tokens.subspan(i, 1), skipped, *cache);
  EXPECT_EQ(cache->length(), std::ssize(tokens));
  return last;
}

DraftedToken drafted_from_the_start(LanguageModel& model, std::span<const TokenId> tokens,
                                    const SkippedLayers& skipped) {
  const std::unique_ptr<KvCache> cache = model.new_cache(static_cast<int>(tokens.size()));
  DraftedToken last;
  for (const TokenId& token : tokens)
    last = model.layer_skipping()->draft_step({&token, 1}, skipped, *cache);
  return last;
}

TEST_P(TinyTransformer, ADraftStepWithoutSkippedLayersIsAPass) {
  const auto model = load({}, one_);
  ASSERT_EQ(model->layer_skipping()->skippable_layers(), 2);
  const std::vector<TokenId> tokens = random_tokens(*model, 30, 1);
  const DraftedToken step = drafted(*model, tokens, SkippedLayers(2));
  const std::unique_ptr<KvCache> cache = model->new_cache(30);
  const Predictions pass =
      model->forward(tokens, DraftTree(), *cache, {.every_row = false, .scored = {&step.token, 1}});
  EXPECT_EQ(step.token, pass.argmax[0]);
  EXPECT_NEAR(step.probability, std::exp(pass.log_probability[0]), 1e-6);
}

// A sublayer whose last matrix is zero adds nothing to a row.
TEST_P(TinyTransformer, ASkippedSublayerIsOneThatAddsNothing) {
  const auto model = load({}, one_);
  const std::vector<TokenId> tokens = random_tokens(*model, 3, 2);
  const DraftedToken all = drafted_from_the_start(*model, tokens, SkippedLayers(2));
  for (const auto& [text, zeros] : std::initializer_list<std::pair<const char*, const char*>>{
           {"a0", "blk.0.attn_output.weight"},
           {"m0", "blk.0.ffn_down.weight"},
           {"a1", "blk.1.attn_output.weight"},
           {"m1", "blk.1.ffn_down.weight"}}) {
    const auto without = load({.zeros = {zeros}}, one_);
    const DraftedToken expected = drafted_from_the_start(*without, tokens, SkippedLayers(2));
    const DraftedToken skipped =
        drafted_from_the_start(*model, tokens, *parse_skipped_layers(text, 2));
    EXPECT_EQ(skipped.token, expected.token) << text;
    EXPECT_EQ(skipped.probability, expected.probability) << text;
    EXPECT_NE(skipped.probability, all.probability) << text;
  }
}

TEST_P(TinyTransformer, SkippedLayersAreNotRead) {
  const auto model = load({}, one_);
  const TinyModel tiny;
  const double attention = 3.0 * tiny.hidden * tiny.hidden;
  const double feed_forward = 3.0 * tiny.hidden * tiny.feed_forward;
  const double all = 2 * (attention + feed_forward) + tiny.vocabulary * tiny.hidden;
  EXPECT_DOUBLE_EQ(model->layer_skipping()->drafting_share(SkippedLayers(2)), 1);
  EXPECT_NEAR(model->layer_skipping()->drafting_share(*parse_skipped_layers("a0", 2)),
              1 - attention / all, 0.02);
  EXPECT_NEAR(model->layer_skipping()->drafting_share(*parse_skipped_layers("m0-1", 2)),
              1 - 2 * feed_forward / all, 0.02);
}

TEST_P(TinyTransformer, KnowsTheWorkOfAPass) {
  const auto model = load({}, one_);
  const TinyModel tiny;
  const double matrices =
      tiny.layers * (2.0 * tiny.hidden * tiny.hidden + 2.0 * tiny.hidden * tiny.hidden / 2 +
                     3.0 * tiny.hidden * tiny.feed_forward);
  const double weights = matrices + 1.0 * tiny.vocabulary * tiny.hidden;
  const PassWork one = model->measuring()->work(1, 0);
  EXPECT_DOUBLE_EQ(over_all_widths(one.integer_macs), weights);
  EXPECT_GE(one.bytes, weights);  // one byte per code, and scales
  EXPECT_LE(one.bytes, 1.2 * weights);
  EXPECT_DOUBLE_EQ(over_all_widths(model->measuring()->work(7, 0).integer_macs), 7 * weights);
  EXPECT_DOUBLE_EQ(model->measuring()->work(7, 0).bytes, one.bytes);
  const PassWork far = model->measuring()->work(3, 100);
  const int kv_width = tiny.hidden / tiny.heads * tiny.kv_heads;
  const double values = 100.0 * tiny.layers * kv_width * 2;  // two bytes each, or slightly more
  EXPECT_GE(far.bytes - one.bytes, 2 * values);
  EXPECT_LE(far.bytes - one.bytes, 2.5 * values);
  EXPECT_DOUBLE_EQ(far.float_macs, 2.0 * tiny.layers * tiny.hidden * (101 + 102 + 103));
}

TEST_P(TinyTransformer, APassOnAFilledCacheRunsLikeAnyOther) {
  const auto model = load({}, one_);
  const std::unique_ptr<KvCache> cache = model->filled_cache(200, 150);
  EXPECT_EQ(cache->length(), 150);
  EXPECT_EQ(cache->capacity(), 200);
  const std::vector<TokenId> tokens = random_tokens(*model, 50, 1);
  const Predictions once = model->forward(tokens, DraftTree(), *cache, {.top_k = 3});
  for (const float logit : once.top_logits) EXPECT_TRUE(std::isfinite(logit));
  const std::unique_ptr<KvCache> other = model->filled_cache(200, 150);
  EXPECT_EQ(model->forward(tokens, DraftTree(), *other, {.top_k = 3}).top_logits, once.top_logits);
}

TEST_P(TinyTransformer, ProbabilitiesOfTheWholeVocabularyAddUpToOne) {
  const auto model = load({}, one_);
  const TokenId token = 5;
  double sum = 0;
  for (TokenId id = 0; id < model->vocabulary_size(); ++id) {
    const std::unique_ptr<KvCache> cache = model->new_cache(1);
    sum +=
        std::exp(model->forward({&token, 1}, {}, *cache, {.scored = {&id, 1}}).log_probability[0]);
  }
  EXPECT_NEAR(sum, 1.0, 1e-4);
}

// A file without an output matrix uses the embedding: the same as a file that repeats it.
TEST_P(TinyTransformer, TiedHeadsAreTheEmbedding) {
  const auto tied = load({.tied = true}, one_);
  GgufWriter writer = TinyModel{.tied = true}.writer();
  GgufWriter::Tensor head = writer.tensors()[0];
  ASSERT_EQ(head.name, "token_embd.weight");
  head.name = "output.weight";
  writer.tensor(head);
  const std::vector<std::uint8_t> bytes = writer.bytes();
  auto untied =
      load_transformer(gguf_model(*GgufFile::parse("untied.gguf", bytes)), GetParam(), one_);
  ASSERT_TRUE(untied) << untied.error().message();
  const std::vector<TokenId> tokens = random_tokens(*tied, 20, 9);
  EXPECT_TRUE(verify_all(*tied, tokens, 20) == verify_all(**untied, tokens, 20));
}

// Every architecture, in formats that mix floats and blocks in one layer.
TEST_P(TinyTransformer, EveryArchitectureKeepsTheRowsPromises) {
  std::vector<TinyModel> models = {
      {.architecture = "qwen3", .heads = 6, .kv_heads = 3, .head_dim = 32},
      {.architecture = "qwen3", .kv_heads = 1, .head_dim = 32, .mixed_formats = true},
      {.architecture = "qwen3moe", .head_dim = 32},
      {.architecture = "qwen3moe", .feed_forward = 32, .experts = 5, .mixed_formats = true},
      {.architecture = "qwen35",
       .layers = 3,
       .key_heads = 1,
       .value_heads = 3,
       .key_dim = 16,
       .value_dim = 32},
      {.architecture = "qwen35", .value_heads = 2, .value_dim = 48, .taps = 2},
      {.architecture = "qwen35moe", .layers = 4, .attention_every = 4},
      {.architecture = "qwen3next", .attention_every = 1},  // no recurrent layer
      {.architecture = "qwen35", .attention_every = 1, .mtp = true},
      {.architecture = "gemma4", .layers = 3, .beside_experts = true, .mixed_formats = true},
      {.architecture = "gemma4",
       .layers = 5,
       .sharing_layers = 3,
       .layer_input = 64,
       .mixed_formats = true},
      {.architecture = "gemma4", .layers = 3, .layer_input = 32},
      {.architecture = "gemma4", .layers = 4, .sharing_layers = 1},
      {.architecture = "lfm2", .layers = 3, .taps = 3, .tied = true},
      {.architecture = "lfm2", .hidden = 96, .heads = 6, .kv_heads = 3, .attention_every = 1},
      {.architecture = "smollm3", .layers = 4, .tied = true},
      {.architecture = "granite", .tied = true},
      {.architecture = "seed_oss", .head_dim = 32},
      {.architecture = "llama", .kv_heads = 4, .tied = true},
      {.architecture = "llama", .heads = 2, .kv_heads = 1, .head_dim = 32, .mixed_formats = true},
  };
  for (const Architecture& row : architectures())
    models.push_back({.architecture = std::string(row.name), .mixed_formats = true});
  for (const TinyModel& tiny : models) {
    SCOPED_TRACE(tiny.architecture);
    const auto model = load(tiny, one_);
    const auto other = load(tiny, three_);
    check_chunking(*model, *other, 70);
    check_trees(*other, 20, 16);
    check_keep_and_truncate(*other, 20, 16);
    check_scores(*model);
    check_logits(*model);
  }
}

TEST_P(TinyTransformer, WorksAtTheFullContextLength) {
  const auto model = load({.context_length = 128}, one_);
  const std::unique_ptr<KvCache> cache = model->new_cache(model->context_length());
  const std::vector<TokenId> tokens = random_tokens(*model, 128, 1);
  prefill(*model, *cache, tokens, 100);
  EXPECT_EQ(cache->length(), 128);
}

// A profile is filled by the passes for which it is set, without gaps, and changes nothing.
TEST_P(TinyTransformer, ProfilesSayWhereTheTimeGoes) {
  const auto model = load({}, one_);
  const std::vector<TokenId> tokens = random_tokens(*model, 300, 1);
  const RowBits expected = verify_all(*model, tokens, 300);
  PassProfile profile;
  model->measuring()->set_profile(&profile);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(verify_all(*model, tokens, 300) == expected);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  model->measuring()->set_profile(nullptr);
  EXPECT_EQ(profile.passes(), 1);
  EXPECT_GT(profile.total(), 0);
  EXPECT_LE(profile.total(), wall.count());
  for (int part = 0; part < kPassParts; ++part) {
    EXPECT_GT(profile.seconds(static_cast<PassPart>(part)), 0)
        << to_string(static_cast<PassPart>(part));
  }
  const double total = profile.total();
  verify_all(*model, tokens, 300);
  EXPECT_EQ(profile.total(), total) << "no longer set";
  profile.clear();
  EXPECT_EQ(profile.total(), 0);
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, TinyTransformer, ::testing::ValuesIn(kernels::available_isas()),
                         [](const auto& isa) {
                           return std::string("isa") + std::to_string(static_cast<int>(isa.param));
                         });

std::string load_error(const GgufWriter& writer) {
  const std::vector<std::uint8_t> bytes = writer.bytes();
  Result<GgufFile> file = GgufFile::parse("m.gguf", bytes);
  if (!file) return file.error().message();
  ThreadPool pool(1);
  const auto model = load_transformer(gguf_model(std::move(*file)), kernels::best_isa(), pool);
  return model ? "(loaded)" : model.error().message();
}

TEST(TransformerFile, ErrorsNameTheTensor) {
  const auto error_with = [](std::string_view tensor, auto change) {
    GgufWriter writer = TinyModel().writer();
    auto& tensors = writer.tensors();
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const auto& t) { return t.name == tensor; });
    EXPECT_NE(found, tensors.end());
    change(*found);
    return load_error(writer);
  };
  using Tensor = GgufWriter::Tensor;
  const auto error_without = [](std::string_view tensor) {
    GgufWriter writer = TinyModel().writer();
    const std::size_t erased =
        std::erase_if(writer.tensors(), [&](const auto& t) { return t.name == tensor; });
    EXPECT_EQ(erased, 1U);
    return load_error(writer);
  };
  EXPECT_EQ(error_without("blk.1.attn_k.weight"), "m.gguf: tensor 'blk.1.attn_k.weight': missing");
  EXPECT_EQ(
      error_with("blk.1.attn_k.weight",
                 [](Tensor& t) {
                   t.shape = {32, 64};
                 }),
      "m.gguf: tensor 'blk.1.attn_k.weight': its shape is [32, 64] where [64, 32] is expected");
  EXPECT_EQ(error_with("blk.0.attn_q.bias", [](Tensor& t) { t.shape = {32}; }),
            "m.gguf: tensor 'blk.0.attn_q.bias': its shape is [32] where [64] is expected");
  EXPECT_EQ(error_without("token_embd.weight"), "m.gguf: tensor 'token_embd.weight': missing");
  EXPECT_EQ(error_without("output_norm.weight"), "m.gguf: tensor 'output_norm.weight': missing");
  EXPECT_EQ(
      error_with("blk.0.ffn_up.weight", [](Tensor& t) { t.name = "blk.0.ffn_gate_inp.weight"; }),
      "m.gguf: tensor 'blk.0.ffn_gate_inp.weight': has no part in a qwen2 model as redraft "
      "computes it");
}

TEST(TransformerFile, ErrorsNameTheKey) {
  const auto error_with = [](const TinyModel& tiny) { return load_error(tiny.writer()); };
  EXPECT_EQ(error_with({.kv_heads = 3}),
            "m.gguf: key 'qwen2.attention.head_count_kv': key-value heads do not divide the heads");
  EXPECT_EQ(error_with({.heads = 8, .head_dim = 8}),
            "m.gguf: key 'qwen2.attention.head_count': heads are not a multiple of 16 wide");
  EXPECT_EQ(error_with({.context_length = 0}),
            "m.gguf: key 'qwen2.context_length': 0 is outside 2..4194304");
  GgufWriter foreign;
  foreign.text("general.architecture", "mamba");
  EXPECT_EQ(load_error(foreign), "m.gguf: " + unsupported_architecture("mamba"));
  GgufWriter bare;
  bare.text("general.architecture", "qwen2");
  EXPECT_EQ(load_error(bare), "m.gguf: key 'qwen2.block_count': missing");
}

}  // namespace
}  // namespace redraft
