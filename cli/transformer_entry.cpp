// The library's only symbols, see transformer_library.cpp.
#include "cli/transformer_entry.h"

extern "C" redraft::cli::LoadTransformer* redraft_transformer_entry();
extern "C" redraft::cli::LoadTrainable* redraft_trainable_entry();
extern "C" redraft::cli::MakeTrainableHead* redraft_trainable_head_entry();

redraft::cli::LoadTransformer* redraft_transformer_entry() { return &redraft::load_transformer; }
redraft::cli::LoadTrainable* redraft_trainable_entry() { return &redraft::load_trainable; }
redraft::cli::MakeTrainableHead* redraft_trainable_head_entry() {
  return &redraft::make_trainable_head;
}
