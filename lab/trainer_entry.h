#pragma once

#include "tuning/trainable_head.h"
#include "tuning/trainable_model.h"

// The interface between redraft-lab and the library with the trainer, which needs libtorch.
namespace redraft::cli {

using LoadTrainable = decltype(load_trainable);
using MakeTrainableHead = decltype(make_trainable_head);

inline constexpr const char* kTrainableEntry = "redraft_trainable_entry";
inline constexpr const char* kTrainableHeadEntry = "redraft_trainable_head_entry";

// They return load_trainable() and make_trainable_head() of the library.
using TrainableEntry = LoadTrainable*();
using TrainableHeadEntry = MakeTrainableHead*();

}  // namespace redraft::cli
