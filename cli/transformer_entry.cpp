// The library's only symbol, see transformer_library.cpp.
#include "cli/transformer_entry.h"

extern "C" redraft::cli::LoadTransformer* redraft_transformer_entry();

redraft::cli::LoadTransformer* redraft_transformer_entry() { return &redraft::load_transformer; }
