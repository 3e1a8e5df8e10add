// Measures how much of a small change of a model's weights remains after they are rounded again:
// `adapter_bench MODEL ROLE…` adds a random change of rank 16 to the named matrices
// ("blk.10.attn_q.weight") and rounds the sums to each format that could hold merged weights.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "decoding/kernels/weight_rounding.h"
#include "decoding/model/low_rank_delta.h"
#include "decoding/model/model_files.h"
#include "decoding/model/model_store.h"

namespace redraft {
namespace {

constexpr int kRank = 16;
constexpr int kMaxRows = 512;

LowRankDelta random_delta(int n, int k) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  LowRankDelta delta{.n = n, .k = k, .rank = kRank, .a = {}, .b = {}};
  for (int i = 0; i < kRank * k; ++i) delta.a.push_back(normal(random));
  for (int i = 0; i < n * kRank; ++i) delta.b.push_back(normal(random));
  return delta;
}

double squares(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  return sum;
}

// Prints the share of the change that the rounded weights keep, and the rounding error relative to
// the weights.
void report(const std::vector<float>& weights, const std::vector<float>& change, double scale,
            int k, WeightFormat format) {
  double kept = 0, error = 0;
  std::vector<float> sum(static_cast<std::size_t>(k)), back(sum);
  std::vector<std::uint8_t> row(weight_bytes(format, 1, k));
  for (std::size_t at = 0; at < weights.size(); at += sum.size()) {
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] = static_cast<float>(weights[at + i] + scale * change[at + i]);
    quantize_row(format, sum.data(), k, row.data());
    dequantize_row(format, row.data(), k, back.data());
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const double moved = static_cast<double>(back[i]) - weights[at + i];
      kept += moved * scale * change[at + i];
      const double off = static_cast<double>(back[i]) - sum[i];
      error += off * off;
    }
  }
  std::printf("  %s %.3f (%.4f)", weight_format_info(format)->name,
              kept / (scale * scale * squares(change)), std::sqrt(error / squares(weights)));
}

void measure(const StoredTensor& tensor, const char* role) {
  const int k = static_cast<int>(tensor.columns());
  const int n = static_cast<int>(std::min<std::int64_t>(tensor.rows(), kMaxRows));
  const std::size_t bytes = tensor.data.size() / static_cast<std::size_t>(tensor.rows());
  std::vector<float> weights(static_cast<std::size_t>(n) * static_cast<std::size_t>(k));
  std::vector<float> change(weights.size());
  const LowRankDelta delta = random_delta(n, k);
  for (int row = 0; row < n; ++row) {
    const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(k);
    dequantize_row(tensor.format, tensor.data.data() + static_cast<std::size_t>(row) * bytes, k,
                   weights.data() + at);
    delta.add_row(row, change.data() + at);
  }
  for (const double share : {0.001, 0.003, 0.01, 0.03}) {
    std::printf("%s %s, changed by %.1f %%:", role, weight_format_info(tensor.format)->name,
                100 * share);
    const double scale = share * std::sqrt(squares(weights) / squares(change));
    for (const WeightFormat format : {WeightFormat::kQ8_0, WeightFormat::kF16})
      report(weights, change, scale, k, format);
    std::printf("\n");
  }
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: adapter_bench MODEL ROLE…\n");
    return 2;
  }
  const Result<ModelLocation> model = locate_model(argv[1]);
  const auto files =
      model ? open_model_files(*model) : Result<std::unique_ptr<const ModelFiles>>(model.error());
  if (!files) {
    std::fprintf(stderr, "adapter_bench: %s\n", files.error().message().c_str());
    return 1;
  }
  std::printf("kept part of the change (error of rounding, of the weights)\n");
  for (int i = 2; i < argc; ++i) {
    if (const StoredTensor* tensor = (*files)->find_tensor(argv[i])) measure(*tensor, argv[i]);
  }
  return 0;
}

}  // namespace
}  // namespace redraft

int main(int argc, char** argv) { return redraft::run(argc, argv); }
