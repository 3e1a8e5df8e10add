#include "tuning/head/row_recorder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "decoding/kernels/half.h"
#include "decoding/kernels/linear.h"
#include "decoding/model/transformer.h"
#include "decoding/model_powers.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/tuning/head/rows_kit.h"

namespace redraft {
namespace {

class Recorder : public ::testing::Test {
 protected:
  void SetUp() override {
    auto model = load_transformer(gguf_model(*GgufFile::parse("tiny.gguf", bytes_)),
                                  kernels::best_isa(), pool_);
    ASSERT_TRUE(model) << model.error().message();
    model_ = std::move(*model);
    ASSERT_TRUE(model_->layer_capture()->capture_layers(layers_));
  }

  // A text of which the target wrote a part, so that rows of every count occur.
  std::vector<TokenId> text(int written) {
    std::vector<TokenId> out = some_tokens(150, 3);
    const auto cache = model_->new_cache(512);
    const std::vector<TokenId> own = model_->continue_greedily(out, written, *cache);
    out.insert(out.end(), own.begin(), own.end());
    for (int i = 0; i < 40; ++i) {
      out.push_back(static_cast<TokenId>(17 * i % 300));
      const auto fresh = model_->new_cache(512);
      const auto next = model_->continue_greedily(out, 1 + i % 4, *fresh);
      out.insert(out.end(), next.begin(), next.end());
    }
    return out;
  }

  std::vector<std::uint8_t> bytes_ = TinyModel().writer().bytes();
  std::vector<int> layers_ = {0, 1};
  ThreadPool pool_{2};
  std::unique_ptr<LanguageModel> model_;
};

// All rows of one pass over the whole text, and each row judged by itself.
TEST_F(Recorder, RowsAreThoseOfADirectRun) {
  const std::vector<TokenId> tokens = text(60);
  const auto length = static_cast<int>(tokens.size());
  ASSERT_GT(length, 280);  // several chunks
  for (const int first : {1, 140}) {
    const TextRows rows = record_rows(*model_, tokens, first, 3, 12);
    const auto cache = model_->new_cache(length);
    const Predictions all = model_->forward(
        std::span(tokens).first(1),
        DraftTree::chain(std::span(tokens).subspan(1), DraftOrigin::kOther), *cache, {});
    std::size_t at = 0;
    std::array<int, 4> counts{};
    for (int p = first - 1; p + 1 < length; ++p) {
      int count = 0;
      while (count < 3 && p + 2 + count < length &&
             all.argmax[static_cast<std::size_t>(p + 1 + count)] ==
                 tokens[static_cast<std::size_t>(p + 2 + count)])
        ++count;
      ++counts[static_cast<std::size_t>(count)];
      if (count == 0) continue;
      ASSERT_LT(at, rows.labels.size());
      const RowLabels& labels = rows.labels[at];
      EXPECT_EQ(labels.count, count);
      EXPECT_EQ(labels.source, 12);
      EXPECT_EQ(labels.newest, tokens[static_cast<std::size_t>(p + 1)]);
      EXPECT_EQ(labels.own, all.argmax[static_cast<std::size_t>(p)] == labels.newest);
      for (int k = 0; k < 3; ++k) {
        const int where = p + 2 + k;
        EXPECT_EQ(labels.next[static_cast<std::size_t>(k)],
                  where < length ? tokens[static_cast<std::size_t>(where)] : 0);
      }
      const std::span<const float> wanted = model_->layer_capture()->captured(p);
      ASSERT_EQ(wanted.size(), 128U);
      for (std::size_t i = 0; i < 128; ++i)
        ASSERT_EQ(rows.features[at * 128 + i], kernels::float_to_half(wanted[i])) << p << " " << i;
      ++at;
    }
    EXPECT_EQ(at, rows.labels.size());
    EXPECT_EQ(rows.features.size(), at * 128);
    for (const int count : counts) EXPECT_GT(count, 0);
  }
}

TEST_F(Recorder, ShortTextsHaveFewRows) {
  const std::vector<TokenId> tokens = text(10);
  for (const int length : {2, 3, 4}) {
    const TextRows rows = record_rows(
        *model_, std::span(tokens).subspan(148, static_cast<std::size_t>(length)), 1, 3, 0);
    EXPECT_LT(rows.labels.size(), static_cast<std::size_t>(length - 1) + 1);
    EXPECT_TRUE(length > 2 || rows.labels.empty());
  }
}

}  // namespace
}  // namespace redraft
