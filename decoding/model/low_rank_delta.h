#pragma once

#include <vector>

namespace redraft {

// What a LoRA (Hu et al. 2021) adds to a matrix of n outputs by k inputs: B·A of a low rank. Rows
// are in the order of Hugging Face's models. Immutable; any thread may read it.
struct LowRankDelta {
  int n = 0;
  int k = 0;
  int rank = 0;          // 1..min(n, k)
  std::vector<float> a;  // [rank, k], finite
  std::vector<float> b;  // [n, rank], finite; times alpha / rank

  // Adds row `row` of B·A to these k weights. The order of the sums is fixed, so that a merged
  // model has the same bits wherever it is loaded.
  void add_row(int row, float* weights) const {
    for (int r = 0; r < rank; ++r) {
      const float factor = b[static_cast<std::size_t>(row) * rank + r];
      const float* from = a.data() + static_cast<std::size_t>(r) * k;
      for (int i = 0; i < k; ++i) weights[i] += factor * from[i];
    }
  }
};

}  // namespace redraft
