#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "decoding/kernels/convolution.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/model/recurrent_state.h"
#include "decoding/model/transformer_shape.h"
#include "decoding/model/weights.h"
#include "decoding/pass_profile.h"

namespace redraft {

// The layers of a hybrid that have a recurrent state in place of attention. A pass advances the
// state by its context, computes its draft from copies, and notes what replay() needs to advance
// over the accepted nodes: no second pass, and no copy of a whole state.
//
// Every Recurrence begins with a convolution, whose part of the state is kept here. A derived class
// computes the rest.
class RecurrentBlock : public StateReplay {
 public:
  // `weights` and `pool` outlive the block. Null: the architecture is no hybrid.
  static std::unique_ptr<RecurrentBlock> make(const TransformerShape& shape, const Weights& weights,
                                              kernels::Isa isa, ThreadPool& pool);

  // For every pass, before its first layer: its rows, whose parents live as long as the pass.
  void begin_pass(const kernels::TreeRows& rows);
  // What is to be added to the residual stream, for normed rows [rows, hidden], which are
  // overwritten. `idx` counts the recurrent layers. `quantized` is scratch memory of at least the
  // kernels' quantized_bytes(). `charge` is told which part has been done. Inside a CpuScope.
  virtual void run(int idx, RecurrentState& state, const at::Tensor& x, const at::Tensor& quantized,
                   const std::function<void(PassPart)>& charge) = 0;

  void replay(RecurrentState& state, std::span<const int> path) const final;

 protected:
  RecurrentBlock(const TransformerShape& shape, const Weights& weights, kernels::Isa isa,
                 ThreadPool& pool);

  // Makes memory for passes of up to so many rows, more than ever before.
  virtual void reserve(int rows) = 0;
  // Chooses the part of that memory for the rows of this pass.
  virtual void begin_rows() = 0;
  // Advances what a layer has besides the columns over the rows of `path`, whose inputs to the
  // convolution are `mixed` [path, channels]; the columns are still those before.
  virtual void replay_rest(int idx, RecurrentState& state, std::span<const int> path,
                           const float* mixed) const = 0;

  const kernels::TreeRows& rows() const { return rows_; }
  const RecurrenceWeights& weights(int idx) const;
  kernels::Isa isa() const { return isa_; }
  ThreadPool& pool() const { return pool_; }
  // The convolution of a layer; `columns` stay. mixed and out [rows, channels].
  void convolve(int idx, const kernels::TreeRows& rows, const float* columns, const float* mixed,
                float* out) const;
  // Ends a layer's pass: advances the columns over the context, and notes the draft's rows.
  void keep(int idx, RecurrentState& state, const at::Tensor& mixed) const;
  // Copies the rows of the draft.
  void note_rows(const at::Tensor& rows, std::vector<float>& to) const;
  // What is noted of the nodes of a path: [path, width].
  static std::vector<float> noted(const std::vector<float>& notes, std::span<const int> path,
                                  std::size_t width);

 private:
  void advance(const float* mixed, int rows, float* columns) const;

  kernels::ConvolutionShape shape_;
  const Weights& all_;
  std::vector<int> layers_;  // which of the model's layers are recurrent
  kernels::Isa isa_;
  ThreadPool& pool_;
  kernels::TreeRows rows_;
  int capacity_ = 0;
};

}  // namespace redraft
