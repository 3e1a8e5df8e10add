#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/task.h"
#include "support/result.h"
#include "workspace/engine/local_engine.h"

namespace redraft {

// Measures whether an edit of a large file finds the places that somebody changed, and at what
// cost.
struct PlacesPlan {
  bool ask_model = true;
  // Also carries out the edit, in the places found and in the whole file.
  bool edit = false;
  int min_lines = 150;  // of the file
  int min_hunks = 2;
  DecoderName decoder;
};

// The parts that one method chose.
struct ChosenParts {
  int chosen = 0, right = 0;  // `right`: chosen parts that the reference changed
  int lines = 0;              // lines of the edit
  int lines_before_first =
      0;  // those before the first changed part in file order; all if there is none
};

struct EditCost {
  double first_hunk_seconds = -1;  // -1: no hunk
  double seconds = 0;
  int hunks = 0;
  int read_tokens = 0, new_tokens = 0, passes = 0;
  std::string finish_reason;
};

struct PlacesRecord {
  std::string id;
  int file_lines = 0, hunks = 0;
  int parts = 0, changed = 0;  // number of parts, and of parts that the reference changes
  ChosenParts by_names;
  std::optional<ChosenParts> with_model;
  int shown = 0, changed_shown = 0;                 // parts in the list that the model saw
  bool answered = false;                            // whether it answered with a list of numbers
  ChosenParts answer;                               // the model's own choice
  int read_tokens = 0, new_tokens = 0, passes = 0;  // cost of asking
  std::optional<EditCost> in_places, whole;
};

// nullopt: the task does not belong to the plan. The error is the reason to leave it out.
Result<std::optional<PlacesRecord>> measure_places(LocalEngine& engine, const BenchTask& task,
                                                   const PlacesPlan& plan,
                                                   const std::stop_token& stop);

}  // namespace redraft
