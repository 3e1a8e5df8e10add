#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "tests/kit/fill_script.h"
#include "workspace/engine/engine.h"

namespace redraft {

// What a scripted model does to the code that it is asked to edit.
struct EditScript {
  struct Edit {
    // Applies when the user's instruction, or what the user says about an answer, contains it;
    // empty: always.
    std::string instruction;
    std::string find;  // every occurrence is replaced; empty: `replace` is put at the front
    std::string replace;
  };
  std::vector<Edit> edits;      // all that apply, one after the other
  double certainty = 0.999999;  // how likely the model says each token of an edit is
  FillScript fills = {};        // what it writes when it is asked to fill in
  FillScript answers = {};      // if there are any: all else that it is asked is no edit
  // While `file` exists, an answer stops before the first occurrence of `before`, so that a test
  // decides how long an edit runs. `file` with ".held" after its name exists once it has stopped.
  struct Hold {
    std::string before;  // empty: nothing is written
    std::filesystem::path file;
  };
  Hold hold = {};
  std::chrono::milliseconds delay_per_pass{0};
  std::chrono::milliseconds load_delay{0};
  int failing_pass = 0;         // number of the forward pass, from 1, that throws; 0: none
  std::string load_error = {};  // not empty: loading fails with this error
  std::string record = {};      // not empty: a file for everything that the model is shown
  std::filesystem::path hold_fills = {};  // while it exists, completions and answers wait
  std::filesystem::path hold_load = {};   // while it exists, loading goes on
  std::uint64_t memory = 0;               // bytes that it is said to take; 0: not known
  int context_length = 1 << 17;
  std::string title = {};  // what its files would call the model
  bool draft = false;      // there is a draft model, which carries out the same script
};

// The answer to `region` under `instruction`.
std::string apply_script(const EditScript& script, std::string region,
                         std::string_view instruction);

// An engine without weights that carries out the script: it reads the code and the instruction from
// the edit prompt, one token per byte, and writes the changed code as a real model would.
// Deterministic, with any decoder.
Result<std::unique_ptr<Engine>> make_scripted_engine(const EditScript& script);

}  // namespace redraft
