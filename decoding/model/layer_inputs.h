#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "decoding/model/transformer_memory.h"
#include "decoding/model/weights.h"
#include "decoding/pass_profile.h"

namespace redraft {

// Inputs of their own that the layers of Gemma 4 E2B and E4B have of every token. A second
// embedding gives each token a row with a part for each layer. The sum of that row and of a
// projection of the token's embedding goes, gated by the stream, into the stream at the end of each
// layer. The second embedding has more than half of the file's weights, but only the rows of the
// text's tokens are read. Formulas after transformers' Gemma4TextModel.
//
// Every function runs inside a CpuScope.
class LayerInputs {
 public:
  // `weights` outlives it.
  LayerInputs(const TransformerShape& shape, const Weights& weights)
      : shape_(shape), weights_(weights) {}

  bool exist() const { return shape_.layer_input > 0; }
  // rows.layer_inputs = those of all layers, from rows.ids and their embeddings in rows.hidden.
  // Overwrites rows.layer_projection.
  void read(const PassRows& rows) const;
  // Adds the input of layer `number` to the stream, rows.hidden. Overwrites rows.normed.
  void add(int number, const PassRows& rows) const;

 private:
  TransformerShape shape_;
  const Weights& weights_;
};

}  // namespace redraft
