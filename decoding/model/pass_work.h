#pragma once

#include "decoding/language_model.h"
#include "decoding/model/transformer_shape.h"
#include "decoding/model/weights.h"

namespace redraft {

// See LanguageModel::work(). The head counts for every row; what is small compared with the weights
// (embedding rows, norms, rotations, activations) is not counted. `skipped` (may be null): weights
// that are left out.
PassWork pass_work(const Weights& weights, const TransformerShape& shape, int rows, int context,
                   const SkippedLayers* skipped = nullptr);

}  // namespace redraft
