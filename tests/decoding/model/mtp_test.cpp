// The MTP block: what it proposes, compared with the reference that
// tools/reference/mtp_reference.py wrote, and that a proposal depends on the committed tokens
// alone.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "decoding/kv_archive.h"
#include "decoding/model/model_files.h"
#include "decoding/model/mtp_block.h"
#include "decoding/model/transformer.h"
#include "decoding/model_powers.h"
#include "tests/decoding/model/row_invariance.h"
#include "tests/decoding/model/tiny_draft_head.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/decoding/model/transformer_checks.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr int kMost = 4;

std::unique_ptr<LanguageModel> load(const ModelLocation& location, kernels::Isa isa,
                                    ThreadPool& pool) {
  auto files = open_model_files(location);
  EXPECT_TRUE(files) << files.error().message();
  auto model = load_transformer(std::move(*files), isa, pool);
  EXPECT_TRUE(model) << model.error().message();
  return std::move(*model);
}

nlohmann::json read_json(const fs::path& path) {
  std::ifstream stream(path);
  return nlohmann::json::parse(stream);
}

class MtpReference : public testing::TestWithParam<const char*> {};

// In logarithms of probabilities: attention rounds to 16 bits, which the reference does not.
constexpr double kTolerance = 5e-3;

TEST_P(MtpReference, GivesTheSameProposals) {
  const fs::path folder = fs::path(REDRAFT_CASES) / "tiny_models" / GetParam();
  const auto ids = read_json(folder / "logits.json").at("ids").get<std::vector<TokenId>>();
  const nlohmann::json golden = read_json(folder / "mtp.json");
  ThreadPool pool(2);
  for (const kernels::Isa isa : kernels::available_isas()) {
    for (const fs::path& path : {folder / "model.gguf", folder}) {
      SCOPED_TRACE(path.string() + ", " + kernels::to_string(isa));
      const auto model = load(path, isa, pool);
      ASSERT_NE(model->head_drafting(), nullptr);
      double largest = 0;
      for (const nlohmann::json& place : golden) {
        const auto committed = place.at("committed").get<std::size_t>();
        const std::unique_ptr<KvCache> cache = model->new_cache(40);
        model->forward(std::span(ids).first(committed), {}, *cache, {});
        const auto drafted = model->head_drafting()->head_draft(0, ids[committed], kMost, *cache);
        ASSERT_EQ(drafted.size(), place.at("steps").size());
        for (std::size_t step = 0; step < drafted.size(); ++step) {
          const DraftedToken* const ours[] = {&drafted[step].first, &drafted[step].second};
          for (std::size_t i = 0; i < 2; ++i) {
            const nlohmann::json& reference = place.at("steps").at(step).at(i);
            EXPECT_EQ(ours[i]->token, reference.at(0)) << committed << ", step " << step;
            largest = std::max(
                largest, std::abs(std::log(ours[i]->probability / reference.at(1).get<double>())));
          }
        }
      }
      std::printf("%s: logarithms differ by at most %.1e\n", path.c_str(), largest);
      EXPECT_LT(largest, kTolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, MtpReference, testing::Values("qwen35_even", "qwen35moe", "qwen3next"),
                         [](const auto& each) { return std::string(each.param); });

class Mtp : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<LanguageModel> load_tiny(const std::function<void(GgufWriter&)>& change = {},
                                           bool headed = false) {
    GgufWriter writer = tiny().writer();
    if (change) change(writer);
    const std::vector<std::uint8_t> bytes = writer.bytes();
    folder_.write("tiny.gguf", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    ModelLocation location(folder_ / "tiny.gguf");
    if (headed) location.head = folder_ / "head";
    return load(location, kernels::best_isa(), pool_);
  }
  virtual TinyModel tiny() const {
    return {.architecture = GetParam(), .layers = 4, .mtp = true, .tokenizer = ""};
  }

  TempFolder folder_;
  ThreadPool pool_{2};
};

INSTANTIATE_TEST_SUITE_P(, Mtp, testing::Values("qwen35", "qwen35moe", "qwen3next"),
                         [](const auto& each) { return std::string(each.param); });

std::vector<HeadPlace> proposal(LanguageModel& model, KvCache& cache, TokenId token) {
  return model.head_drafting()->head_draft(0, token, kMost, cache);
}

// Bit by bit.
void expect_same(const std::vector<HeadPlace>& a, const std::vector<HeadPlace>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(std::memcmp(&a[i], &b[i], sizeof a[i]), 0) << "step " << i;
}

TEST_P(Mtp, AProposalIsTheSameHoweverTheTokensWereRead) {
  const auto model = load_tiny();
  const std::vector<TokenId> tokens = random_tokens(*model, 20, 1);
  const DraftTree tree = random_tree(*model, 9, 2);
  const std::unique_ptr<KvCache> cache = model->new_cache(300);
  prefill(*model, *cache, std::span(tokens).first(13), 4);
  cache->remember();
  prefill(*model, *cache, random_tokens(*model, 6, 3), 6);
  cache->truncate(13);
  model->forward(std::span(tokens).subspan(13), tree, *cache, {});
  proposal(*model, *model->new_cache(30), 5);  // for another sequence, before the draft is kept
  cache->keep(path_to(tree, 7));
  const std::vector<TokenId> all(cache->tokens().begin(), cache->tokens().end());
  const std::unique_ptr<KvCache> fresh = model->new_cache(300);
  prefill(*model, *fresh, all, static_cast<int>(all.size()));
  const std::vector<HeadPlace> expected = proposal(*model, *fresh, 5);
  expect_same(proposal(*model, *cache, 5), expected);
  expect_same(proposal(*model, *cache, 5), expected);  // a proposal changes nothing
  expect_same(proposal(*model, *cache->fork(cache->length()), 5), expected);
  EXPECT_NE(proposal(*model, *cache, 6)[0].first.probability, expected[0].first.probability);
}

TEST_P(Mtp, ComesBackFromDisk) {
  const auto model = load_tiny();
  const std::vector<TokenId> tokens = random_tokens(*model, 130, 8);
  const std::unique_ptr<KvCache> read = model->new_cache(140);
  prefill(*model, *read, tokens, 64);
  const KvCache& source = *read;
  KvArchive archive = *KvArchive::open(folder_ / "kv", {"model", "build"});
  ASSERT_TRUE(archive.save(tokens, "/a", 0, [&] { return source.storage(); }));
  const std::unique_ptr<KvCache> restored = model->new_cache(150);
  ASSERT_TRUE(archive.load(archive.find(tokens), tokens, *restored->storage()));
  restored->append(tokens, DraftTree());
  expect_same(proposal(*model, *restored, 3), proposal(*model, *read, 3));
}

TEST_P(Mtp, ChangesNothingThatTheModelSays) {
  const auto model = load_tiny();
  const auto plain = load_tiny([](GgufWriter& writer) {
    std::erase_if(writer.tensors(),
                  [](const auto& each) { return each.name.starts_with("blk.4."); });
  });
  EXPECT_EQ(plain->head_drafting(), nullptr) << "the metadata names a block that is not there";
  const std::vector<TokenId> tokens = random_tokens(*model, 60, 8);
  EXPECT_TRUE(verify_all(*plain, tokens, 7) == verify_all(*model, tokens, 7));
}

TEST_P(Mtp, DraftsNoFurtherThanTheCacheGoes) {
  const auto model = load_tiny();
  const std::unique_ptr<KvCache> cache = model->new_cache(12);
  prefill(*model, *cache, random_tokens(*model, 10, 1), 10);
  EXPECT_EQ(proposal(*model, *cache, 1).size(), 2U);
  prefill(*model, *cache, random_tokens(*model, 2, 1), 2);
  EXPECT_EQ(proposal(*model, *cache, 1).size(), 0U);
  EXPECT_EQ(model->head_drafting()->head_draft(0, 1, 1, *model->new_cache(12)).size(), 1U)
      << "before the first token";
}

class MtpOfALargeVocabulary : public Mtp {
 protected:
  static constexpr int kBeyond = 4000;
  TinyModel tiny() const override {
    TinyModel out = Mtp::tiny();
    out.vocabulary = MtpBlock::kAlwaysDrafted + kBeyond;
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(, MtpOfALargeVocabulary, testing::Values("qwen35"));

TEST_P(MtpOfALargeVocabulary, DraftsItsFirstTokens) {
  const auto model = load_tiny();
  int late = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const std::unique_ptr<KvCache> cache = model->new_cache(40);
    prefill(*model, *cache, random_tokens(*model, 10, seed), 10);
    for (const HeadPlace& place : proposal(*model, *cache, 1)) {
      EXPECT_LT(place.first.token, MtpBlock::kAlwaysDrafted);
      EXPECT_LT(place.second.token, MtpBlock::kAlwaysDrafted);
    }
    late += model->forward(std::vector<TokenId>{1}, {}, *cache, {}).argmax[0] >=
            MtpBlock::kAlwaysDrafted;
  }
  EXPECT_GT(late, 0) << "the model itself writes every token";
  EXPECT_EQ(MtpBlock::drafted_vocabulary(48), 48);
  EXPECT_EQ(MtpBlock::drafted_vocabulary(248320), 99328);
}

TEST_P(Mtp, UsesAnEmbeddingAndAHeadOfItsOwn) {
  const auto add = [](GgufWriter& writer, const char* role, const char* like, bool negate) {
    for (const GgufWriter::Tensor& tensor : std::vector(writer.tensors())) {
      if (tensor.name != like) continue;
      GgufWriter::Tensor own = tensor;
      own.name = std::string("blk.4.nextn.") + role + ".weight";
      for (std::size_t i = 1; negate && i < own.data.size(); i += 34) own.data[i] ^= 0x80;
      writer.tensor(std::move(own));
    }
  };
  const auto first = [&](const char* role, const char* like, bool negate) {
    const auto model = load_tiny([&](GgufWriter& writer) {
      if (role) add(writer, role, like, negate);
    });
    const std::unique_ptr<KvCache> cache = model->new_cache(12);
    prefill(*model, *cache, random_tokens(*model, 10, 1), 10);
    return proposal(*model, *cache, 1);
  };
  const std::vector<HeadPlace> plain = first(nullptr, nullptr, false);
  for (const auto& [role, like] : {std::pair("embed_tokens", "token_embd.weight"),
                                   std::pair("shared_head_head", "output.weight")}) {
    SCOPED_TRACE(role);
    expect_same(first(role, like, false), plain);
    EXPECT_NE(first(role, like, true)[0].first.probability, plain[0].first.probability);
  }
}

TEST_P(Mtp, ATrainedHeadTakesItsPlace) {
  const TinyDraftHead head({.hidden = 64,
                            .target_layers = 4,
                            .target_vocabulary = 300,
                            .layers = {0, 3},
                            .tokens = 3,
                            .width = 96,
                            .vocabulary = 24,
                            .target = "tiny"});
  ASSERT_TRUE(head.write(folder_ / "head"));
  const auto headed = load_tiny({}, true);
  EXPECT_FALSE(headed->head_drafting()->head_takes_steps());
  EXPECT_EQ(headed->head_drafting()->head_tokens(), 3);
  const auto own = load_tiny();
  EXPECT_TRUE(own->head_drafting()->head_takes_steps());
  EXPECT_EQ(own->head_drafting()->head_tokens(), kMost);
  EXPECT_GT(own->new_cache(10)->storage()->bytes_per_slot(),
            headed->new_cache(10)->storage()->bytes_per_slot());
}

TEST_P(Mtp, AnIncompleteBlockIsRefused) {
  const std::vector<std::uint8_t> bytes = [this] {
    GgufWriter writer = tiny().writer();
    std::erase_if(writer.tensors(),
                  [](const auto& each) { return each.name == "blk.4.nextn.hnorm.weight"; });
    return writer.bytes();
  }();
  folder_.write("tiny.gguf", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const auto model = load_transformer(std::move(*open_model_files(folder_ / "tiny.gguf")),
                                      kernels::best_isa(), pool_);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message(),
            (folder_ / "tiny.gguf").string() + ": tensor 'blk.4.nextn.hnorm.weight': missing");
}

}  // namespace
}  // namespace redraft
