#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "tests/kit/fill_script.h"
#include "workspace/engine/engine.h"

namespace redraft {

// What a scripted model does to the code it is asked to edit.
struct EditScript {
  struct Edit {
    std::string instruction;  // applies when the user's instruction contains it; empty: always
    std::string find;         // every occurrence is replaced; empty: `replace` goes to the front
    std::string replace;
  };
  std::vector<Edit> edits;  // all that apply, one after the other
  FillScript fills = {};    // what it writes where it is to fill in
  // While `file` exists, nothing is written from the first `before` of an answer on: what a test
  // does while an edit runs then takes as long as it takes.
  struct Hold {
    std::string before;  // empty: nothing at all is written
    std::filesystem::path file;
  };
  Hold hold = {};
  std::chrono::milliseconds delay_per_pass{0};
  std::chrono::milliseconds load_delay{0};
  int failing_pass = 0;         // this forward pass, counted from 1, throws; 0: none
  std::string load_error = {};  // not empty: loading fails with it
  std::string record = {};      // not empty: a file to which all goes that the model is shown
};

// The answer to `region` under `instruction`.
std::string apply_script(const EditScript& script, std::string region,
                         std::string_view instruction);

// An engine without weights that carries out the script: it reads the code and the instruction from
// the edit prompt, one token a byte, and writes the changed code as a real model would.
// Deterministic, with any decoder.
Result<std::unique_ptr<Engine>> make_scripted_engine(const EditScript& script);

}  // namespace redraft
