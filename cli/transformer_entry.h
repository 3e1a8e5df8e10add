#pragma once

#include "decoding/model/transformer.h"
#include "tuning/trainable_head.h"
#include "tuning/trainable_model.h"

// The interface between the program and the library with the part that needs libtorch. They are
// built and installed together.
namespace redraft::cli {

using LoadTransformer = decltype(load_transformer);
using LoadTrainable = decltype(load_trainable);
using MakeTrainableHead = decltype(make_trainable_head);

inline constexpr const char* kTransformerEntry = "redraft_transformer_entry";
inline constexpr const char* kTrainableEntry = "redraft_trainable_entry";
inline constexpr const char* kTrainableHeadEntry = "redraft_trainable_head_entry";

// They return load_transformer(), load_trainable() and make_trainable_head() of the library.
using TransformerEntry = LoadTransformer*();
using TrainableEntry = LoadTrainable*();
using TrainableHeadEntry = MakeTrainableHead*();

}  // namespace redraft::cli
