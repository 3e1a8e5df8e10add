#pragma once

#include "decoding/model/transformer.h"

// The interface between the program and the library with the part that needs libtorch. They are
// built and installed together.
namespace redraft::cli {

using LoadTransformer = decltype(load_transformer);

inline constexpr const char* kTransformerEntry = "redraft_transformer_entry";

// Returns load_transformer() of the library.
using TransformerEntry = LoadTransformer*();

}  // namespace redraft::cli
