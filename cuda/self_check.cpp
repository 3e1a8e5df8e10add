#include "cuda/self_check.h"

#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cuda/linear.h"
#include "cuda/reference.h"
#include "cuda/runtime.h"
#include "decoding/acceptance.h"
#include "decoding/model/packing.h"
#include "decoding/model/weight_plan.h"

namespace redraft::cuda {
namespace {

constexpr int kRows = 9;  // more than a matrix instruction has columns
constexpr int kTokens = 6;
constexpr int kTop = 4;

// One tile of a matrix as it is held, times a few rows.
class TileCheck {
 public:
  TileCheck(DeviceQueue& queue, const PlannedMatrix& matrix)
      : queue_(queue),
        format_(matrix.format),
        k_(matrix.k),
        held_(first_tile(matrix)),
        weight_(tile_bytes(format_, k_)),
        x_(static_cast<std::size_t>(kRows) * static_cast<std::size_t>(k_) * sizeof(float)),
        values_(static_cast<std::size_t>(kRows) * static_cast<std::size_t>(padded_width(k_)) * 2),
        scales_(kRows * sizeof(float)),
        y_(std::size_t{kRows} * kTileOutputs * sizeof(float)) {}

  // Empty, or what is wrong.
  std::string difference() {
    send();
    const std::vector<float> together = multiply(0, kRows);
    std::vector<float> alone;
    for (int r = 0; r < kRows; ++r) {
      const std::vector<float> row = multiply(r, 1);
      alone.insert(alone.end(), row.begin(), row.end());
    }
    if (std::memcmp(alone.data(), together.data(), alone.size() * sizeof(float)) != 0)
      return "a row's bits depend on the rows beside it";
    return near_reference(together) ? "" : "products are not those of the reference";
  }

 private:
  static std::vector<std::uint8_t> first_tile(const PlannedMatrix& matrix) {
    const PackingJob job{matrix.source, matrix.paired_head_dim, nullptr, matrix.delta};
    std::vector<std::uint8_t> rows;
    read_held_rows(job, 0, kTileOutputs, rows);  // finite: they are loaded already
    return rows;
  }

  void send() {
    std::vector<std::uint8_t> packed(weight_.bytes());
    pack_tile(format_, kTileOutputs, k_, held_.data(), 0, packed.data());
    std::mt19937 random(1);
    std::vector<float> x(static_cast<std::size_t>(kRows) * static_cast<std::size_t>(k_));
    for (float& number : x) number = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
    queue_.copy_in(weight_.as<void>(), packed.data(), packed.size());
    queue_.copy_in(x_.as<void>(), x.data(), x.size() * sizeof(float));
    round_rows(x_.as<float>(), k_, kRows, k_, {values_.as<std::uint16_t>(), scales()},
               queue_.stream());
    queue_.wait();  // before what was sent goes
  }

  float* scales() const { return reads_bfloats(format_) ? nullptr : scales_.as<float>(); }

  std::vector<float> multiply(int first, int rows) {
    const auto width = static_cast<std::size_t>(padded_width(k_));
    const Rows from{values_.as<std::uint16_t>() + static_cast<std::size_t>(first) * width,
                    scales() ? scales() + first : nullptr};
    linear({format_, kTileOutputs, k_, weight_.as<std::uint8_t>()}, from, rows, nullptr,
           y_.as<float>(), kTileOutputs, queue_.stream());
    std::vector<float> y(static_cast<std::size_t>(rows) * kTileOutputs);
    queue_.copy_out(y.data(), y_.as<float>(), y.size() * sizeof(float));
    queue_.wait();
    return y;
  }

  bool near_reference(const std::vector<float>& y) {
    std::vector<std::uint16_t> values(values_.bytes() / 2);
    std::vector<float> scales(kRows);
    queue_.copy_out(values.data(), values_.as<void>(), values_.bytes());
    queue_.copy_out(scales.data(), scales_.as<void>(), scales_.bytes());
    queue_.wait();
    const Rows x{values.data(), reads_bfloats(format_) ? nullptr : scales.data()};
    for (std::size_t i = 0; i < y.size(); ++i) {
      const int row = static_cast<int>(i) / kTileOutputs,
                output = static_cast<int>(i) % kTileOutputs;
      const Bounded expected = linear_reference(format_, k_, held_.data(), output, x, row, nullptr);
      // Written so that NaN counts as wrong.
      if (!(std::fabs(static_cast<double>(y[i]) - expected.value) <= expected.bound)) return false;
    }
    return true;
  }

  DeviceQueue& queue_;
  WeightFormat format_;
  int k_;
  std::vector<std::uint8_t> held_;
  DeviceMemory weight_, x_, values_, scales_, y_;
};

// Checks the first matrix of each format in the first layer, and the head.
Result<void> check_linears(const ModelFiles& files) {
  const Result<TransformerShape> shape = files.shape();
  if (!shape) return shape.error();
  Result<WeightPlan> plan = WeightPlan::make(files, *shape);
  if (!plan) return plan.error();
  std::vector<const PlannedMatrix*> matrices = {&plan->head};
  for (const PlannedMatrix* matrix : plan->layers.front().matrices()) matrices.push_back(matrix);
  DeviceQueue queue;
  std::set<WeightFormat> seen;
  for (const PlannedMatrix* matrix : matrices) {
    if (matrix->n < kTileOutputs || !seen.insert(matrix->format).second) continue;
    const std::string difference = TileCheck(queue, *matrix).difference();
    if (!difference.empty())
      return Error(std::string(weight_format_info(matrix->format)->name) + ": " + difference);
  }
  return {};
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Compares the same tokens one by one, as a draft, and as a draft of a recorded pass.
Result<void> check_passes(LanguageModel& model) {
  std::vector<TokenId> tokens;
  for (int i = 0; i < kTokens; ++i)
    tokens.push_back(static_cast<TokenId>((1000 + 7919LL * i) % model.vocabulary_size()));
  const auto cache = model.new_cache(2 * kTokens);
  Predictions alone;
  for (const TokenId& token : tokens) {
    const Predictions row = model.forward({&token, 1}, {}, *cache, {.top_k = kTop});
    alone.argmax.push_back(row.argmax[0]);
    alone.top_logits.insert(alone.top_logits.end(), row.top_logits.begin(), row.top_logits.end());
  }
  for (const float logit : alone.top_logits) {
    if (!std::isfinite(logit)) return Error("the result of a pass is not finite");
  }
  const DraftTree draft = DraftTree::chain(std::span(tokens).subspan(1), DraftOrigin::kOther);
  const auto first = std::span(tokens).first(1);
  cache->truncate(0);
  const Predictions together = model.forward(first, draft, *cache, {.top_k = kTop});
  if (!same_bits(alone.top_logits, together.top_logits))
    return Error("a row's bits depend on the rows beside it");
  cache->truncate(0);
  Predictions recorded;
  const Acceptance accepted = model.verify(first, draft, *cache, {}, recorded);
  if (recorded.argmax != alone.argmax || accepted.path != accept(draft, recorded, {}).path)
    return Error("a recorded pass predicts other tokens");
  return {};
}

}  // namespace

Result<void> self_check(const ModelFiles& files, LanguageModel& model) {
  Result<void> checked = check_linears(files);
  if (checked) checked = check_passes(model);
  if (checked) return {};
  return checked.error().in("this GPU does not compute as it should");
}

}  // namespace redraft::cuda
