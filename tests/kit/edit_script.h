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
#include "workspace/engine/local_engine.h"

namespace redraft {

// How a scripted model edits the code.
struct EditScript {
  struct Edit {
    // Applies if the user's instruction, or the user's reply to an answer, contains it; empty:
    // always.
    std::string instruction;
    std::string find;  // every occurrence is replaced; empty: `replace` is inserted at the front
    std::string replace;
  };
  std::vector<Edit> edits;  // all that apply, one after the other
  // Written before every edit: a thought with its tags, then possibly a fence that is opened again.
  std::string thoughts = {};
  // The prompt opens the thought; the answer's code then has a fence of its own.
  bool opens_thought = false;
  double certainty = 0.999999;  // the probability of each token of an edit
  FillScript fills = {};        // its output when it fills in the middle
  FillScript answers =
      {};  // if not empty: it answers everything else in a conversation instead of editing
  // While `file` exists, an answer stops before the first occurrence of `before`, so that a test
  // controls how long an edit runs. Once it has stopped, `file` with ".held" after its name exists.
  struct Hold {
    std::string before;  // empty: nothing is written
    std::filesystem::path file;
  };
  Hold hold = {};
  std::chrono::milliseconds delay_per_pass{0};
  // What passes cost by the engine's curve, as a multiple of the usual scripted price, and how much
  // longer than that they take: on a busy machine.
  double pass_cost = 1;
  double load = 1;
  std::chrono::milliseconds load_delay{0};
  int failing_pass = 0;         // the number of the forward pass, from 1, that throws; 0: none
  std::string load_error = {};  // not empty: loading fails with this error
  std::string record = {};      // not empty: records everything that the model sees to this file
  std::filesystem::path hold_fills = {};  // while it exists, completions and answers wait
  std::filesystem::path hold_load = {};   // while it exists, loading goes on
  std::uint64_t memory = 0;               // reported memory in bytes; 0: unknown
  int context_length = 1 << 17;
  std::string title = {};  // the model's name in its files
  bool draft = false;      // whether there is a draft model, which follows the same script
};

// The answer to `region` under `instruction`.
std::string apply_script(const EditScript& script, std::string region,
                         std::string_view instruction);

// An engine without weights that carries out the script: it reads the code and the instruction from
// the edit prompt, one token per byte, and writes the changed code like a real model.
// Deterministic, with any decoder.
Result<std::unique_ptr<LocalEngine>> make_scripted_engine(const EditScript& script);

}  // namespace redraft
