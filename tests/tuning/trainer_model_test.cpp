// The differentiable transformer with real weights, compared with goldens that transformers and
// torch made in single precision from the same, de-quantised files
// (tools/reference/make_goldens.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "decoding/model/model_store.h"
#include "tests/tuning/trainable_kit.h"
#include "tuning/trainable_model.h"

namespace redraft {
namespace {

class RealTrainable : public ::testing::TestWithParam<const char*> {};

// Both compute in single precision: the mean loss of a text agrees to the digits that the golden
// has, and the first choice is another one only where two are as good as equal.
TEST_P(RealTrainable, PredictsWhatTheReferencePredicts) {
  const auto file = find_model(GetParam());
  ASSERT_TRUE(file) << file.error().message();
  const auto model = trainable(*file, {.threads = 2});
  ASSERT_TRUE(model);
  const nlohmann::json golden = json_of(std::filesystem::path(REDRAFT_CASES) / "reference" /
                                        (std::string(GetParam()) + ".json"));
  int positions = 0;
  int same = 0;
  for (const auto& each : golden.at("texts")) {
    // Some are enough: a thousand tokens take this model seconds to minutes.
    const auto name = each.at("name").get<std::string>();
    if (name != "01_lru_cache.py" && name != "06_bridges" && name != "10_edit_request") continue;
    TrainingText text;
    text.tokens = each.at("ids").get<std::vector<TokenId>>();
    text.learnt.resize(text.tokens.size() - 1);
    std::iota(text.learnt.begin(), text.learnt.end(), 1);
    const TextLoss loss = model->loss(text);
    const auto mean = each.at("nll").get<double>();
    std::printf("%-24s loss %.6f, reference %.6f\n", name.c_str(),
                loss.sum / static_cast<double>(loss.tokens), mean);
    EXPECT_NEAR(loss.sum / static_cast<double>(loss.tokens), mean, 2e-4);
    // The reference's first choices are right as often as ours.
    const auto top1 = each.at("top1").get<std::vector<TokenId>>();
    TrainingText choices = text;
    std::int64_t right = 0;
    for (std::size_t i = 1; i < text.tokens.size(); ++i) right += top1[i - 1] == text.tokens[i];
    EXPECT_NEAR(static_cast<double>(loss.right), static_cast<double>(right), 2);
    positions += static_cast<int>(loss.tokens);
    same += static_cast<int>(loss.tokens) - static_cast<int>(std::abs(loss.right - right));
  }
  ASSERT_GT(positions, 1000);
  EXPECT_GE(same, 0.999 * positions);
}

INSTANTIATE_TEST_SUITE_P(All, RealTrainable,
                         ::testing::Values("smollm2-135m", "qwen2.5-coder-0.5b"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase_if(name, [](char c) { return c == '.' || c == '-'; });
                           return name;
                         });

}  // namespace
}  // namespace redraft
