// A draft head's numbers: those of plain float arithmetic, whatever else the pass computed.
#include "decoding/model/draft_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "decoding/kernels/weight_rounding.h"
#include "decoding/model/transformer.h"
#include "tests/decoding/model/row_invariance.h"
#include "tests/decoding/model/tiny_draft_head.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;
using Floats = std::vector<float>;

constexpr double kEpsilon = 1e-6;  // that of TinyModel

// The same head in floats, from the weights that it holds.
class Reference {
 public:
  explicit Reference(const TinyDraftHead& head) : head_(head) {
    std::size_t at = 0;
    for (const DraftHeadTensor& tensor : draft_head_tensors(head.shape)) {
      Floats values(head.parameters.begin() + static_cast<std::ptrdiff_t>(at),
                    head.parameters.begin() + static_cast<std::ptrdiff_t>(at + tensor.size()));
      at += static_cast<std::size_t>(tensor.size());
      const int columns = static_cast<int>(tensor.columns);
      std::vector<std::uint8_t> row(weight_bytes(WeightFormat::kQ4_0, 1, columns));
      for (std::int64_t r = 0; r < tensor.rows; ++r) {
        quantize_row(WeightFormat::kQ4_0, values.data() + r * columns, columns, row.data());
        dequantize_row(WeightFormat::kQ4_0, row.data(), columns, values.data() + r * columns);
      }
      tensors_.emplace_back(tensor.name, std::move(values));
    }
  }

  // [tokens][vocabulary] natural-log probabilities.
  std::vector<Floats> places(std::span<const float> features, std::span<const float> embedding) {
    const auto hidden = static_cast<std::size_t>(head_.shape.hidden);
    Floats joined;
    for (std::size_t i = 0; i < head_.shape.layers.size(); ++i) {
      const auto part = features.subspan(i * hidden, hidden);
      const Floats normed = norm(part, "input_norm.feature." + std::to_string(i));
      joined.insert(joined.end(), normed.begin(), normed.end());
    }
    const Floats normed = norm(embedding, "input_norm.token");
    joined.insert(joined.end(), normed.begin(), normed.end());
    Floats x = times("input.weight", joined);
    const Floats n = norm(x, "mlp_norm");
    Floats gate = times("mlp.gate.weight", n);
    const Floats up = times("mlp.up.weight", n);
    for (std::size_t i = 0; i < gate.size(); ++i) gate[i] *= up[i] / (1 + std::exp(-gate[i]));
    add(x, times("mlp.down.weight", gate));
    const Floats p = norm(x, "place_norm");
    std::vector<Floats> out;
    for (int place = 0; place < head_.shape.tokens; ++place) {
      Floats y = times("place." + std::to_string(place) + ".weight", p);
      add(y, x);
      Floats logits = times("vocabulary.weight", norm(y, "output_norm"));
      double sum = 0;
      for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
      for (float& logit : logits) logit -= static_cast<float>(std::log(sum));
      out.push_back(std::move(logits));
    }
    return out;
  }

 private:
  const Floats& tensor(const std::string& name) const {
    return std::ranges::find(tensors_, name, &std::pair<std::string, Floats>::first)->second;
  }
  Floats norm(std::span<const float> x, const std::string& name) const {
    double squares = 0;
    for (const float each : x) squares += static_cast<double>(each) * each;
    const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + kEpsilon);
    Floats out = tensor(name);
    for (std::size_t i = 0; i < x.size(); ++i) out[i] *= static_cast<float>(x[i] * scale);
    return out;
  }
  Floats times(const std::string& name, const Floats& x) const {
    const Floats& weights = tensor(name);
    Floats out(weights.size() / x.size());
    for (std::size_t r = 0; r < out.size(); ++r) {
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i)
        sum += static_cast<double>(weights[r * x.size() + i]) * x[i];
      out[r] = static_cast<float>(sum);
    }
    return out;
  }
  static void add(Floats& x, const Floats& y) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  }

  const TinyDraftHead& head_;
  std::vector<std::pair<std::string, Floats>> tensors_;
};

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// What a row looks like inside and what the head proposes after it and `token`.
struct HeadBits {
  Floats features;
  std::vector<TokenId> tokens;
  Floats shares;

  bool operator==(const HeadBits& other) const {
    return tokens == other.tokens && same_bits(features, other.features) &&
           same_bits(shares, other.shares);
  }
};

HeadBits bits_of(LanguageModel& model, int row, TokenId token) {
  HeadBits bits;
  const std::span<const float> features = model.layer_capture()->captured(row);
  bits.features.assign(features.begin(), features.end());
  const std::unique_ptr<KvCache> none = model.new_cache(1);  // such a head does not read it
  for (const HeadPlace& place : model.head_drafting()->head_draft(row, token, 8, *none)) {
    for (const DraftedToken& each : {place.first, place.second}) {
      bits.tokens.push_back(each.token);
      bits.shares.push_back(each.probability);
    }
  }
  return bits;
}

class DraftHeadTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::vector<std::uint8_t> bytes = tiny_.writer().bytes();
    folder_.write("tiny.gguf", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    ASSERT_TRUE(head_.write(folder_ / "head"));
  }
  ModelLocation location(bool headed = true) const {
    ModelLocation location(folder_ / "tiny.gguf");
    if (headed) location.head = folder_ / "head";
    return location;
  }
  std::unique_ptr<LanguageModel> load(ThreadPool& pool, kernels::Isa isa = kernels::best_isa(),
                                      bool headed = true) {
    auto files = open_model_files(location(headed));
    EXPECT_TRUE(files) << files.error().message();
    auto model = load_transformer(std::move(*files), isa, pool);
    EXPECT_TRUE(model) << model.error().message();
    return std::move(*model);
  }
  std::string error() const {
    const auto files = open_model_files(location());
    return files ? "(opened)" : files.error().message();
  }

  TinyModel tiny_;
  TinyDraftHead head_;
  TempFolder folder_;
  ThreadPool one_{1}, three_{3};
};

TEST_F(DraftHeadTest, ComputesWhatFloatsDo) {
  const auto files = open_model_files(location());
  ASSERT_TRUE(files);
  const StoredTensor& table = *(*files)->find_tensor("token_embd.weight");
  const std::size_t row_bytes = weight_bytes(table.format, 1, tiny_.hidden);
  Reference reference(head_);
  for (const kernels::Isa isa : kernels::available_isas()) {
    SCOPED_TRACE(kernels::to_string(isa));
    const auto model = load(three_, isa);
    ASSERT_EQ(model->head_drafting()->head_tokens(), 3);
    const std::vector<TokenId> tokens = random_tokens(*model, 12, 3);
    const std::unique_ptr<KvCache> cache = model->new_cache(12);
    model->forward(std::span(tokens).first(1),
                   DraftTree::chain(std::span(tokens).subspan(1), DraftOrigin::kOther), *cache, {});
    double apart = 0;
    for (int row = 0; row < 12; ++row) {
      const TokenId token = tokens[static_cast<std::size_t>((row + 1) % 12)];
      Floats embedding(static_cast<std::size_t>(tiny_.hidden));
      dequantize_row(table.format, table.data.data() + static_cast<std::size_t>(token) * row_bytes,
                     tiny_.hidden, embedding.data());
      const std::vector<Floats> expected =
          reference.places(model->layer_capture()->captured(row), embedding);
      const std::vector<HeadPlace> places =
          model->head_drafting()->head_draft(row, token, 3, *cache);
      ASSERT_EQ(places.size(), expected.size());
      for (std::size_t i = 0; i < places.size(); ++i) {
        Floats order = expected[i];
        std::ranges::sort(order, std::greater());
        const auto log_share = [&](TokenId full) {
          const auto at = std::ranges::find(head_.vocabulary, full) - head_.vocabulary.begin();
          return expected[i].at(static_cast<std::size_t>(at));
        };
        const HeadPlace& place = places[i];
        EXPECT_NEAR(std::log(place.first.probability), log_share(place.first.token), 0.12);
        EXPECT_NEAR(std::log(place.second.probability), log_share(place.second.token), 0.12);
        EXPECT_NEAR(log_share(place.first.token), order[0], 0.12) << "not the likeliest";
        EXPECT_NEAR(log_share(place.second.token), order[1], 0.12) << "not the second";
        EXPECT_NE(place.first.token, place.second.token);
        apart += std::abs(std::log(place.first.probability) - log_share(place.first.token));
      }
    }
    EXPECT_LT(apart / 36, 0.03);
  }
}

TEST_F(DraftHeadTest, ARowIsTheSameHoweverItWasComputed) {
  const auto model = load(one_);
  const auto other = load(three_);
  constexpr int kLength = 300;  // more than the rows of one block
  const std::vector<TokenId> tokens = random_tokens(*model, kLength, 5);
  const auto after = [&](int row) { return tokens[static_cast<std::size_t>(row + 1) % kLength]; };
  std::vector<HeadBits> expected;  // token by token
  const std::unique_ptr<KvCache> cache = model->new_cache(kLength);
  for (int i = 0; i < kLength; ++i) {
    model->forward(std::span(tokens).subspan(static_cast<std::size_t>(i), 1), DraftTree(), *cache,
                   {});
    expected.push_back(bits_of(*model, 0, after(i)));
  }
  EXPECT_FALSE(expected[7] == expected[8]) << "the comparison can fail";
  for (LanguageModel* each : {model.get(), other.get()}) {
    for (const int length : {1, 7, 64, 257, kLength}) {
      const std::unique_ptr<KvCache> own = each->new_cache(kLength);
      each->forward(std::span(tokens).first(static_cast<std::size_t>(length)), DraftTree(), *own,
                    {});
      EXPECT_TRUE(bits_of(*each, 0, after(length - 1)) ==
                  expected[static_cast<std::size_t>(length - 1)])
          << "read in one go: " << length;
    }
    for (const std::size_t context : {1, 40}) {
      const std::unique_ptr<KvCache> own = each->new_cache(kLength);
      const auto chain = std::span(tokens).subspan(context, 30);
      each->forward(std::span(tokens).first(context), DraftTree::chain(chain, DraftOrigin::kOther),
                    *own, {});
      for (int row = 0; row <= 30; ++row) {
        const int at = static_cast<int>(context) - 1 + row;
        EXPECT_TRUE(bits_of(*each, row, after(at)) == expected[static_cast<std::size_t>(at)])
            << "drafted behind " << context << ": row " << row;
      }
    }
  }
}

TEST_F(DraftHeadTest, ANodeOfATreeIsThatOfAChain) {
  const auto model = load(three_);
  const std::vector<TokenId> tokens = random_tokens(*model, 20, 2);
  const DraftTree tree = random_tree(*model, 24, 3);
  const auto run = [&](const DraftTree& draft) {
    const std::unique_ptr<KvCache> cache = model->new_cache(64);
    model->forward(tokens, draft, *cache, {});
  };
  std::vector<HeadBits> rows;
  run(tree);
  for (int row = 0; row <= tree.size(); ++row) rows.push_back(bits_of(*model, row, 7));
  for (int node = 0; node < tree.size(); ++node) {
    const std::vector<TokenId> path = tokens_of(tree, path_to(tree, node));
    run(DraftTree::chain(path, DraftOrigin::kOther));
    EXPECT_TRUE(bits_of(*model, static_cast<int>(path.size()), 7) ==
                rows[static_cast<std::size_t>(node) + 1])
        << "node " << node;
  }
}

TEST_F(DraftHeadTest, ChangesNothingThatTheModelSays) {
  const auto plain = load(three_, kernels::best_isa(), false);
  EXPECT_EQ(plain->head_drafting(), nullptr);
  const auto headed = load(three_);
  const std::vector<TokenId> tokens = random_tokens(*plain, 60, 8);
  EXPECT_TRUE(verify_all(*plain, tokens, 7) == verify_all(*headed, tokens, 7));
}

TEST_F(DraftHeadTest, LayersAreCapturedOnRequestOrForTheHead) {
  const auto plain = load(three_, kernels::best_isa(), false);
  EXPECT_FALSE(plain->layer_capture()->capture_layers(std::vector{2}));
  EXPECT_FALSE(plain->layer_capture()->capture_layers(std::vector{-1}));
  EXPECT_FALSE(plain->layer_capture()->capture_layers(std::vector{1, 0}));
  EXPECT_FALSE(plain->layer_capture()->capture_layers(std::vector{1, 1}));
  ASSERT_TRUE(plain->layer_capture()->capture_layers(head_.shape.layers));
  const auto headed = load(three_);
  EXPECT_TRUE(headed->layer_capture()->capture_layers(head_.shape.layers));
  EXPECT_FALSE(headed->layer_capture()->capture_layers(std::vector{1})) << "the head reads others";
  const std::vector<TokenId> tokens = random_tokens(*plain, 9, 8);
  Floats rows[2];
  for (const bool with_head : {false, true}) {
    LanguageModel& model = with_head ? *headed : *plain;
    const std::unique_ptr<KvCache> cache = model.new_cache(9);
    model.forward(tokens, DraftTree(), *cache, {});
    const std::span<const float> row = model.layer_capture()->captured(0);
    rows[with_head].assign(row.begin(), row.end());
  }
  EXPECT_EQ(rows[0].size(), 2U * 64);
  EXPECT_TRUE(same_bits(rows[0], rows[1]));
}

TEST_F(DraftHeadTest, OneThatKnowsATokenOnlyProposesThat) {
  head_ = TinyDraftHead({.hidden = 64,
                         .target_layers = 2,
                         .target_vocabulary = 300,
                         .layers = {1},
                         .tokens = 1,
                         .width = 32,
                         .vocabulary = 1,
                         .target = ""});
  ASSERT_TRUE(head_.write(folder_ / "head"));
  const auto model = load(one_);
  const std::unique_ptr<KvCache> cache = model->new_cache(4);
  model->forward(std::vector<TokenId>{1, 2}, DraftTree(), *cache, {});
  const std::vector<HeadPlace> places = model->head_drafting()->head_draft(0, 5, 1, *cache);
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].first.token, head_.vocabulary[0]);
  EXPECT_FLOAT_EQ(places[0].first.probability, 1);
  EXPECT_NE(places[0].second.token, head_.vocabulary[0]);
  EXPECT_EQ(places[0].second.probability, 0);
}

TEST_F(DraftHeadTest, OneOfAnotherTargetIsRefused) {
  EXPECT_EQ(error(), "(opened)");
  head_ = TinyDraftHead({.hidden = 96,
                         .target_layers = 2,
                         .target_vocabulary = 300,
                         .layers = {0, 1},
                         .tokens = 3,
                         .width = 96,
                         .vocabulary = 70,
                         .target = "other"});
  ASSERT_TRUE(head_.write(folder_ / "head"));
  EXPECT_EQ(error(), (folder_ / "head/draft_head.json").string() +
                         ": hidden: the head is for a target with 96 (it was trained for "
                         "'other'), and " +
                         (folder_ / "tiny.gguf").string() + " has 64");
}

TEST_F(DraftHeadTest, AWeightBeyondTheFormatIsRefusedWhenItIsLoaded) {
  head_.parameters[5] = 3e38F;  // finite, but no scale can hold it
  ASSERT_TRUE(head_.write(folder_ / "head"));
  auto files = open_model_files(location());
  ASSERT_TRUE(files);
  const auto model = load_transformer(std::move(*files), kernels::best_isa(), one_);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message(),
            (folder_ / "head/draft_head.safetensors").string() +
                ": tensor 'input.weight': holds a number that is too large");
}

}  // namespace
}  // namespace redraft
