// Every architecture compared with transformers in fp32, logit by logit, on tiny models that
// tools/reference/make_tiny_models.py, make_tiny_hybrids.py, make_tiny_lfm2.py,
// make_tiny_dense.py and make_tiny_windows.py wrote as GGUF files and as Hugging Face folders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/model/model_files.h"
#include "decoding/model/transformer.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(REDRAFT_CASES) / "tiny_models";

// In units of the spread of a position's logits. Attention rounds queries, keys, values and weights
// to 16 bits, which the reference does not; everything else is single precision in both.
constexpr double kTolerance = 5e-4;
constexpr double kMeanTolerance = 5e-5;

enum class Forms { kBoth, kGgufOnly, kFolderOnly };
struct Case {
  const char* name;
  Forms forms = Forms::kBoth;  // in which the model is there
};
constexpr Case kCases[] = {{"qwen2"},
                           {"qwen2_yarn"},
                           {"qwen3"},
                           {"llama_linear"},
                           {"llama3"},
                           {"llama_yarn"},
                           {"qwen3moe"},
                           {"qwen35"},
                           {"qwen35_even"},
                           {"qwen35moe"},
                           {"qwen3next"},
                           {"lfm2"},
                           {"lfm2_older"},
                           {"smollm3"},
                           {"smollm3_list", Forms::kFolderOnly},
                           {"smollm3_interval", Forms::kFolderOnly},
                           {"mistral3"},
                           {"mistral3_seeing"},
                           {"mistral3_plain"},
                           {"granite"},
                           {"granite_biased"},
                           {"granite_unrotated", Forms::kGgufOnly},
                           {"seed_oss"},
                           {"seed_oss_biased"},
                           {"mellum"},
                           {"mellum_even"},
                           {"gptoss", Forms::kGgufOnly},
                           {"gptoss_even", Forms::kGgufOnly},
                           {"gemma4", Forms::kGgufOnly},
                           {"gemma4_values", Forms::kGgufOnly},
                           {"gemma4_experts", Forms::kGgufOnly},
                           {"gemma4_e", Forms::kGgufOnly},
                           {"gemma4_e_unshared", Forms::kGgufOnly}};

std::unique_ptr<LanguageModel> load(const fs::path& path, kernels::Isa isa, ThreadPool& pool) {
  Result<std::unique_ptr<const ModelFiles>> files = open_model_files(path);
  EXPECT_TRUE(files) << files.error().message();
  if (!files) return nullptr;
  auto model = load_transformer(std::move(*files), isa, pool);
  EXPECT_TRUE(model) << model.error().message();
  return model ? std::move(*model) : nullptr;
}

// [tokens, vocabulary], by id.
std::vector<std::vector<float>> logits_of(LanguageModel& model, const std::vector<TokenId>& ids) {
  const int vocabulary = model.vocabulary_size();
  const std::unique_ptr<KvCache> cache = model.new_cache(static_cast<int>(ids.size()));
  const DraftTree draft = DraftTree::chain(std::span(ids).subspan(1), DraftOrigin::kOther);
  const Predictions all = model.forward({ids.data(), 1}, draft, *cache, {.top_k = vocabulary});
  std::vector<std::vector<float>> out(ids.size(),
                                      std::vector<float>(static_cast<std::size_t>(vocabulary)));
  for (std::size_t i = 0; i < all.top_ids.size(); ++i) {
    out[i / out[0].size()][static_cast<std::size_t>(all.top_ids[i])] = all.top_logits[i];
  }
  return out;
}

struct Difference {
  double mean = 0;
  double largest = 0;
};

// Differences of logits, in units of the spread of each position.
Difference compare(const std::vector<std::vector<float>>& ours,
                   const std::vector<std::vector<float>>& reference) {
  Difference out;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto [least, most] = std::minmax_element(reference[i].begin(), reference[i].end());
    for (std::size_t j = 0; j < ours[i].size(); ++j) {
      const double off = std::fabs(ours[i][j] - reference[i][j]) / (*most - *least);
      out.largest = std::max(out.largest, off);
      out.mean += off / static_cast<double>(ours.size() * ours[i].size());
    }
  }
  return out;
}

class TinyModels : public ::testing::TestWithParam<Case> {
 protected:
  static fs::path folder() { return kFolder / GetParam().name; }
  static std::vector<fs::path> paths() {
    std::vector<fs::path> out;
    if (GetParam().forms != Forms::kFolderOnly) out.push_back(folder() / "model.gguf");
    if (GetParam().forms != Forms::kGgufOnly) out.push_back(folder());
    return out;
  }
  static nlohmann::json golden() {
    std::ifstream stream(folder() / "logits.json");
    return nlohmann::json::parse(stream);
  }
};

TEST_P(TinyModels, GiveTheLogitsOfTheReference) {
  const auto ids = golden().at("ids").get<std::vector<TokenId>>();
  const auto reference = golden().at("logits").get<std::vector<std::vector<float>>>();
  ThreadPool pool(2);
  for (const kernels::Isa isa : kernels::available_isas()) {
    for (const fs::path& path : paths()) {
      const auto model = load(path, isa, pool);
      ASSERT_TRUE(model);
      const Difference off = compare(logits_of(*model, ids), reference);
      std::printf("%-17s %-12s %-7s mean %.1e, largest %.1e of the spread\n", GetParam().name,
                  kernels::to_string(isa), path == folder() ? "folder" : "GGUF", off.mean,
                  off.largest);
      EXPECT_LT(off.mean, kMeanTolerance);
      EXPECT_LT(off.largest, kTolerance);
    }
  }
}

// The comparison can fail: logits of other positions are very different.
TEST_P(TinyModels, OtherTokensGiveOtherLogits) {
  auto ids = golden().at("ids").get<std::vector<TokenId>>();
  const auto reference = golden().at("logits").get<std::vector<std::vector<float>>>();
  constexpr std::ptrdiff_t kReversed = 8;
  std::reverse(ids.begin(), ids.begin() + kReversed);
  ThreadPool pool(1);
  const auto model = load(paths()[0], kernels::best_isa(), pool);
  ASSERT_TRUE(model);
  std::vector<std::vector<float>> ours = logits_of(*model, ids);
  // Positions that see the same tokens, a few of them in another order.
  ours.erase(ours.begin(), ours.begin() + kReversed);
  EXPECT_GT(compare(ours, {reference.begin() + kReversed, reference.end()}).mean,
            10 * kMeanTolerance);
}

INSTANTIATE_TEST_SUITE_P(Cases, TinyModels, ::testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace redraft
