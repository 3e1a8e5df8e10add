#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <vector>

#include "decoding/kernels/delta_rule.h"
#include "decoding/kernels/linear.h"
#include "decoding/kv_cache.h"
#include "decoding/model/layer_blocks.h"
#include "decoding/model/transformer_memory.h"
#include "decoding/model/transformer_shape.h"
#include "decoding/model/weights.h"
#include "decoding/model_powers.h"
#include "support/token.h"

namespace redraft {

// The MTP block (multi-token prediction, "nextn") that newer models carry behind their layers: one
// more layer with attention, which predicts the token after the next one. It drafts one token after
// the other, each from the token before it and from its own output there.
//
// Its keys and values are one more layer of the cache's storage, the last one. A pass writes them
// for all of its rows, so they are kept, moved, copied, archived and cut back with the others and
// are always those of the committed tokens. They cost a projection of a row, not a whole layer,
// because what the block says there is not needed.
class MtpBlock {
 public:
  // Later tokens of a proposal are rarely right; the proposer asks for fewer where those pay.
  static constexpr int kMaxTokens = 4;

  // How many tokens of a vocabulary it drafts, the first ones. To read the head costs a draft more
  // than the block does, and byte-level BPE numbers tokens in the order in which they were merged,
  // so that later ones are rare (docs/models.md has figures).
  static constexpr int drafted_vocabulary(int vocabulary) {
    return std::min(vocabulary, std::max(kAlwaysDrafted, vocabulary / 5 * 2));
  }
  static constexpr int kAlwaysDrafted = 1 << 16;

  // `weights` has an MTP block; it and `blocks` outlive this.
  MtpBlock(const TransformerShape& shape, const Weights& weights, kernels::Isa isa,
           LayerBlocks& blocks)
      : shape_(shape), weights_(weights), isa_(isa), blocks_(blocks), one_row_(shape, isa) {}

  // For every pass, after its layers: writes the block's keys and values for its rows, and what the
  // block needs to know of the pass later to the storage's state. rows.normed holds the pass's
  // outputs, after the last norm, and is overwritten. Inside a CpuScope, as is draft().
  void read(const PassRows& rows, const kernels::TreeRows& pass, int committed,
            TransformerKvStorage& storage);
  // What follows the cache's tokens and `token`: at most `most` places and kMaxTokens, fewer if the
  // cache is nearly full. Writes only to slots that hold no token.
  std::vector<HeadPlace> draft(TokenId token, int most, KvCache& cache);

 private:
  const at::Tensor& join(const at::Tensor& ids, int count);
  void reserve(int rows);

  TransformerShape shape_;
  const Weights& weights_;
  kernels::Isa isa_;
  LayerBlocks& blocks_;
  PassBuffers one_row_;
  int capacity_ = 0;         // rows
  at::Tensor embedded_;      // float [capacity, hidden]
  at::Tensor previous_;      // float [capacity, hidden]: the output before each token
  at::Tensor joined_;        // float [capacity, 2 * hidden]
  at::Tensor stream_, now_;  // float [capacity, hidden], and the rows that are in use
  at::Tensor quantized_;     // uint8 [bytes]: the input of a linear layer
  at::Tensor logits_;        // float [1, drafted_vocabulary()]
};

}  // namespace redraft
