// The library's only symbols, see trainer_library.cpp.
#include "lab/trainer_entry.h"

extern "C" redraft::cli::LoadTrainable* redraft_trainable_entry();
extern "C" redraft::cli::MakeTrainableHead* redraft_trainable_head_entry();

redraft::cli::LoadTrainable* redraft_trainable_entry() { return &redraft::load_trainable; }
redraft::cli::MakeTrainableHead* redraft_trainable_head_entry() {
  return &redraft::make_trainable_head;
}
