#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "decoding/model/operators.h"
#include "decoding/model/transformer_shape.h"
#include "decoding/model/weights.h"
#include "decoding/pass_profile.h"

namespace redraft {

// Which rows go to which expert: the rows of a pass that ask the same expert form a group, in the
// order of the pass, and the groups are in the order of the experts. An expert that no row asks has
// no group.
struct ExpertGroups {
  // `chosen` [rows * used]: the experts that each row asks, each of them below `experts`, none
  // twice. `sources` and `places` have that size, too.
  void sort(const std::int32_t* chosen, int rows, int used, int experts, std::int32_t* sources,
            std::int32_t* places);

  std::vector<int> experts;   // [groups], ascending
  operators::RowGroups rows;  // [groups]: how many
  // Where sort() leaves the rows: sources[i] is the row of the pass that is in place i of all
  // groups together, and places[r * used + j] is where row r is in the group of the j-th expert it
  // asks.

 private:
  std::vector<int> next_;  // [experts]
};

// The feed-forward block of a mixture. Each expert's linear layers run once for all rows that ask
// it, and each row sums up what its experts say in its own order, the best first: so its bits
// depend on the row alone, whichever rows its experts are shared with.
class ExpertBlock {
 public:
  explicit ExpertBlock(const TransformerShape& shape) : shape_(shape) {}

  // What is to be added to the residual stream, for normed rows [rows, hidden], of which the router
  // reads `routed`; `out` may be either.
  // `quantized` is scratch memory of at least the kernels' quantized_bytes(). `charge` is told
  // which part has been done. Inside a CpuScope.
  void run(const LayerWeights& layer, const at::Tensor& routed, const at::Tensor& x,
           const at::Tensor& quantized, const at::Tensor& out,
           const std::function<void(PassPart)>& charge);

 private:
  using Matrices = std::vector<const LinearWeight*>;

  // The expert that every row goes to, and its score.
  void run_shared(const LayerWeights& layer, const at::Tensor& x, const at::Tensor& quantized);
  void choose(const LayerWeights& layer, const at::Tensor& x, const at::Tensor& quantized);
  // The inputs of the groups' linear layers, in the forms that their weights read.
  void take_input(const at::Tensor& x, const at::Tensor& sources, const Matrices& readers);
  void reserve(int rows);

  TransformerShape shape_;
  ExpertGroups groups_;
  int capacity_ = 0;                     // rows
  at::Tensor scores_;                    // float [capacity, experts]
  at::Tensor chosen_, shares_, places_;  // [capacity, used]
  at::Tensor sources_;                   // int32 [capacity * used]
  at::Tensor gate_, up_, down_;          // float [capacity * used, width]
  at::Tensor gathered_, floats_;         // float [capacity * used, hidden]; what layers read now
  at::Tensor blocks_;                    // uint8 [bytes]
  // The shared expert's: float [capacity, width], [capacity, hidden] and [capacity, 1].
  at::Tensor shared_gate_, shared_up_, shared_down_, shared_score_;
};

}  // namespace redraft
