#pragma once

#include <cstddef>
#include <memory>

#include "decoding/load_control.h"
#include "support/files/scratch_memory.h"
#include "support/result.h"

namespace redraft {

// Where weights of so many bytes are kept for which LoadControl::overflow says that there is no
// room in memory, which those `beside` them take already in part; null: there is. The user is told.
// An error if the folder has no room either.
//
// Of a mixture of experts only a part of the weights is asked for each token, so that it runs even
// where not all of it fits into memory: the system keeps there what is asked most. A file of our
// own is mapped, and not the model's: that has the weights in another order, and whoever shortens
// it would end the process.
Result<std::shared_ptr<const ScratchMemory>> weight_overflow(std::size_t bytes, std::size_t beside,
                                                             const LoadControl& control);

// A place on disk for so many bytes of which a pass reads a few rows only, so that they need not
// take memory, however much of it is free. Null: LoadControl names no folder, or the folder has no
// room.
std::shared_ptr<const ScratchMemory> disk_for_rows(std::size_t bytes, const LoadControl& control);

}  // namespace redraft
