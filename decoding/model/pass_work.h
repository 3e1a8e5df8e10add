#pragma once

#include "decoding/model/transformer_shape.h"
#include "decoding/model/weights.h"
#include "decoding/model_powers.h"

namespace redraft {

// How many of `experts` at least one of `rows` rows is expected to ask, if each of them asks any
// `used`.
double expected_experts(int experts, int used, int rows);

// See LanguageModel::work(). The head counts for every row; what is small compared with the weights
// (embedding rows, norms, rotations, activations) is not counted. `skipped` (may be null): weights
// that are left out. Of a mixture those experts count that the rows are expected to ask, whatever
// the other rows ask; rows of one text ask fewer.
PassWork pass_work(const Weights& weights, const TransformerShape& shape, int rows, int context,
                   const SkippedLayers* skipped = nullptr);

}  // namespace redraft
