#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/load_control.h"
#include "decoding/model/draft_head_files.h"
#include "decoding/model/weights.h"
#include "decoding/model_powers.h"
#include "support/result.h"

namespace redraft {

// A small feed-forward layer on top of a target's own hidden states that proposes the next few
// tokens in one go. It has no attention and no cache: all it reads are the hidden states of one row
// and the embedding of the token behind it, so its result has the same bits whatever else the pass
// held, and it costs the same however long the text is. Its weights are rounded to four bits when
// they are loaded.
class DraftHead {
 public:
  // `files` fit the target, whose norms have `epsilon`; they are not needed afterwards. `pool`
  // rounds and packs. An error names the file and the tensor, or says that the load was stopped.
  static Result<DraftHead> load(const DraftHeadFiles& files, double epsilon, kernels::Isa isa,
                                ThreadPool& pool, const LoadControl& control);

  // After which of the target's layers it reads the residual stream, ascending.
  const std::vector<int>& layers() const { return shape_.layers; }
  int tokens() const { return shape_.tokens; }

  // Inside a CpuScope. `features` is [layers, hidden] of a row; `embedding` is that of the token
  // behind it, float [1, hidden]. Returns tokens() places.
  std::vector<HeadPlace> propose(std::span<const float> features, const at::Tensor& embedding);

 private:
  DraftHead(DraftHeadShape shape, std::vector<TokenId> vocabulary, double epsilon,
            kernels::Isa isa);
  void take_norms(const DraftHeadFiles& files);
  Result<void> take_matrices(const DraftHeadFiles& files, ThreadPool& pool,
                             const LoadControl& control);
  void read_input(std::span<const float> features, const at::Tensor& embedding);
  void run_places();

  DraftHeadShape shape_;
  std::vector<TokenId> vocabulary_;  // the target's token for each of the head's
  double epsilon_;

  at::Tensor input_norms_;  // float [layers + 1, hidden], the token's last
  at::Tensor mlp_norm_, place_norm_, output_norm_;
  LinearWeight input_, gate_, up_, down_, output_;
  std::vector<LinearWeight> places_;
  at::Tensor storage_;  // all packed bytes

  // The rows of a run. Floats; the input's parts are the layers and the token.
  at::Tensor parts_, joined_;      // [layers + 1, hidden], before and after their norms
  at::Tensor stream_, normed_;     // [1, hidden]
  at::Tensor gate_row_, up_row_;   // [1, width]
  at::Tensor proposed_, outputs_;  // [tokens, hidden], before and after the last norm
  at::Tensor logits_;              // [tokens, vocabulary]
  at::Tensor quantized_;           // uint8 [bytes]: the input of the next linear layers
};

}  // namespace redraft
