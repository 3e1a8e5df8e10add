#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decoding/kv_cache.h"
#include "decoding/model/state_copies.h"

namespace redraft {

class RecurrentState;

// Advances a state over the accepted rows of the last pass's draft. The model implements it,
// because it takes the weights.
class StateReplay {
 public:
  virtual ~StateReplay() = default;
  virtual void replay(RecurrentState& state, std::span<const int> path) const = 0;
};

// What a pass noted about its draft in one layer: the inputs of each node's update, from which the
// accepted ones are run again.
struct DraftNotes {
  std::vector<float> mixed;        // [nodes, channels], before the convolution
  std::vector<float> alpha, beta;  // [nodes, value_heads], of a Gated DeltaNet
};

// The floats of one layer's state.
struct LayerStateSize {
  std::size_t heads = 0;    // the heads' matrices
  std::size_t columns = 0;  // the last columns of the convolution
};

// The state of a hybrid's recurrent layers after a sequence's committed tokens: for each layer the
// heads' matrices, if there are any, and the last columns of the convolution, in single precision,
// so that what comes back from a copy or from disk is exact. An MTP block pairs each token with the
// output row of the token before it, so that of the last token is kept as well.
//
// The notes are the state's own, so that passes for other sequences may come between a pass and the
// decision about its draft.
class RecurrentState final : public SequenceState {
 public:
  // The state of an empty sequence. A model with an MTP block also keeps the last token's output
  // row, `output_width` floats; 0: there is no such block. `replay` outlives the state.
  RecurrentState(const LayerStateSize& size, int layers, int output_width,
                 const StateReplay& replay);

  // The parts of the state by layer, where only recurrent layers count. A pass calls begin_pass()
  // before it changes the first part, and end_pass() with the new number of tokens after the last
  // one. In between, and after a pass that failed, the present state belongs to no length.
  float* heads(int layer) { return at(layer); }
  float* columns(int layer) { return at(layer) + size_.heads; }
  DraftNotes& notes(int layer) { return notes_[static_cast<std::size_t>(layer)]; }
  float* last_output() { return at(layers()); }                   // [output_width]
  std::vector<float>& noted_outputs() { return noted_outputs_; }  // [nodes, output_width]
  void begin_pass();
  void end_pass(int tokens);
  int layers() const { return static_cast<int>(notes_.size()); }
  // Frees the notes, which only the pass before commit() needs.
  void forget_draft();
  // The state for `length` tokens, for which it is known, with what is remembered of less.
  std::unique_ptr<RecurrentState> fork(int length) const;
  // The memory of the state and of what is remembered of at most `length` tokens.
  std::size_t held_bytes(int length) const;

  void commit(std::span<const int> path) override;
  int known_at(int length) const override;
  void restore(int length) override;
  void remember() override;
  std::size_t bytes() const override { return sizeof(float) * floats_; }
  void copy_out(int length, std::span<std::byte> state) const override;
  void copy_in(int length, std::span<const std::byte> state) override;

 private:
  struct Free {
    void operator()(float* memory) const;
  };

  float* at(int layer) { return state_.get() + static_cast<std::size_t>(layer) * layer_floats_; }
  // The state for a length above 0 for which it is known.
  const float* known(int length) const;
  static std::unique_ptr<float[], Free> zeros(std::size_t count);

  LayerStateSize size_;
  const StateReplay& replay_;
  std::size_t layer_floats_;
  std::size_t output_width_;
  std::size_t floats_;
  std::unique_ptr<float[], Free> state_;  // [layers, layer_floats_], [output_width_]
  int length_ = 0;                        // kNone while it changes
  StateCopies<float> copies_;
  std::vector<DraftNotes> notes_;
  std::vector<float> noted_outputs_;
};

}  // namespace redraft
