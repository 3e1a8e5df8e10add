// What a round of drafting costs a real transformer: one pass of the draft's rows and one row
// besides, whatever part of the draft is accepted. Nothing is read again, although rejected rows
// leave a recurrent state or a sliding window behind them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decoding/language_model.h"
#include "decoding/model/model_files.h"
#include "decoding/model/transformer.h"
#include "decoding/model_powers.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/kit/lossless_case.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

constexpr int kVocabulary = 48;
constexpr int kContext = 512;
constexpr int kPrompt = 300;  // longer than what a sliding window keeps
constexpr int kOutput = 100;
constexpr int kWrongEvery = 9;  // tokens of the text from which drafts are copied

// A model that counts what each of its passes reads.
class CountedModel final : public LanguageModel {
 public:
  struct Pass {
    int context = 0;
    int draft = 0;
  };

  explicit CountedModel(std::unique_ptr<LanguageModel> model) : model_(std::move(model)) {}

  std::string name() const override { return model_->name(); }
  int vocabulary_size() const override { return model_->vocabulary_size(); }
  int context_length() const override { return model_->context_length(); }
  std::unique_ptr<KvCache> new_cache(int capacity) const override {
    return model_->new_cache(capacity);
  }
  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    passes.push_back({static_cast<int>(context.size()), draft.size()});
    return model_->forward(context, draft, cache, needs);
  }
  HeadDrafting* head_drafting() override { return model_->head_drafting(); }

  std::vector<Pass> passes;

 private:
  std::unique_ptr<LanguageModel> model_;
};

struct Rounds {
  DecodeResult result;
  std::vector<CountedModel::Pass> passes;

  std::int64_t drafted() const {
    std::int64_t sum = 0;
    for (const CountedModel::Pass& pass : passes) sum += pass.draft;
    return sum;
  }
  int accepted() const { return result.statistics.new_tokens - result.statistics.bonus_tokens; }
};

class ModelRounds : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<CountedModel> load() {
    const std::string name = GetParam();
    const bool shares = name.ends_with("_e");
    const TinyModel tiny{.architecture = name.substr(0, name.find("_e")),
                         .layers = 4,
                         .feed_forward = 64,
                         .vocabulary = kVocabulary,
                         .sharing_layers = shares ? 2 : 0,
                         .layer_input = shares ? 32 : 0,
                         .experts = 16,
                         .experts_used = 4,
                         .tokenizer = ""};
    const std::vector<std::uint8_t> bytes = tiny.writer().bytes();
    folder_.write("tiny.gguf", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    auto files = open_model_files(ModelLocation(folder_ / "tiny.gguf"));
    EXPECT_TRUE(files) << files.error().message();
    auto model = load_transformer(std::move(*files), kernels::best_isa(), pool_);
    EXPECT_TRUE(model) << model.error().message();
    return std::make_unique<CountedModel>(std::move(*model));
  }

  // One token in `wrong_every` of the text that drafts are copied from is wrong.
  Rounds run(int wrong_every, const CostCurve& curve) {
    CountedModel& model = *model_;
    const auto cache = model.new_cache(kContext);
    DecodeRequest request;
    for (int i = 0; i < kPrompt; ++i)
      request.prompt.push_back(between(random_, 0, kVocabulary - 1));
    request.max_new_tokens = kOutput;
    const auto plain_cache = model.new_cache(kContext);
    request.original = decode("ar", {&model, plain_cache.get()}, {}, request).tokens;
    for (std::size_t i = 0; i < request.original.size(); i += static_cast<std::size_t>(wrong_every))
      request.original[i] = (request.original[i] + 1) % kVocabulary;
    model.passes.clear();
    DecodeResult result = decode("redraft", {&model, cache.get()}, {}, request, curve);
    return {std::move(result), std::move(model.passes)};
  }

  // Once the prompt was read, the only row of each pass beside its draft is the token that the
  // target added to the draft before.
  static void expect_one_row_of_context(const Rounds& rounds) {
    auto pass = rounds.passes.begin();
    int read = 0;
    while (pass != rounds.passes.end() && read < kPrompt) read += (pass++)->context;
    EXPECT_EQ(read, kPrompt);
    for (; pass != rounds.passes.end(); ++pass)
      EXPECT_EQ(pass->context, 1) << "pass " << pass - rounds.passes.begin();
  }

  TempFolder folder_;
  ThreadPool pool_{1};
  Random random_{7};
  std::unique_ptr<CountedModel> model_ = load();
};

TEST_P(ModelRounds, CostOnePassWhateverIsAccepted) {
  // Rows cost next to nothing, so much is drafted.
  const Rounds rounds = run(kWrongEvery, CostCurve({{1, 1}, {64, 1.1}}));
  const DecodeStatistics& statistics = rounds.result.statistics;
  EXPECT_GT(rounds.accepted(), kOutput / 2);
  EXPECT_GT(rounds.drafted(), rounds.accepted() + kOutput / kWrongEvery / 2) << "some is rejected";
  EXPECT_EQ(rounds.accepted() + statistics.passes, kOutput);
  expect_one_row_of_context(rounds);
}

// A text of which nothing is right costs at most 3 % more than plain decoding, by the price of the
// passes, whether further rows are cheap or not.
TEST_P(ModelRounds, CostLittleIfTheTextIsWrong) {
  for (const CostCurve& curve : {CostCurve({{1, 1}, {2, 1.05}, {8, 1.35}, {16, 2.5}, {64, 9.7}}),
                                 CostCurve({{1, 1}, {2, 1.6}, {8, 2.3}, {16, 4.2}, {64, 16}}),
                                 CostCurve({{1, 1}, {2, 1.8}, {8, 5}, {16, 9}, {64, 30}})}) {
    const Rounds rounds = run(1, curve);
    EXPECT_EQ(rounds.accepted() + rounds.result.statistics.passes, kOutput);
    expect_one_row_of_context(rounds);
    double price = 0;
    for (const CountedModel::Pass& pass : rounds.passes) price += curve.seconds(1 + pass.draft);
    constexpr int kPlain = kOutput + 1;  // one pass reads the first part of the prompt
    EXPECT_LE(price, 1.03 * kPlain)
        << "drafted " << rounds.drafted() << ", accepted " << rounds.accepted();
  }
}

INSTANTIATE_TEST_SUITE_P(, ModelRounds,
                         testing::Values("qwen35", "lfm2", "mellum", "gpt-oss", "gemma4",
                                         "gemma4_e", "smollm3", "mistral3", "granite", "seed_oss"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace redraft
