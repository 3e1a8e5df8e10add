#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/task.h"
#include "support/result.h"
#include "workspace/engine/engine.h"

namespace redraft {

// Whether an edit of a large file finds the places that somebody changed, and what that costs.
struct PlacesPlan {
  bool ask_model = true;
  // Also carries the edit out, in the places found and in the whole file.
  bool edit = false;
  int min_lines = 150;  // of the file
  int min_hunks = 2;
  DecoderName decoder;
};

// The parts that were chosen one way.
struct ChosenParts {
  int chosen = 0, right = 0;   // right: parts that were changed
  int lines = 0;               // that an edit goes over
  int lines_before_first = 0;  // of them, before the first changed part in file order; all if none
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
  int parts = 0, changed = 0;  // parts, and those that the reference changes
  ChosenParts by_names;
  std::optional<ChosenParts> with_model;
  int shown = 0, changed_shown = 0;                 // parts in the list that the model was shown
  bool answered = false;                            // with a list of numbers
  ChosenParts answer;                               // its own opinion
  int read_tokens = 0, new_tokens = 0, passes = 0;  // of asking
  std::optional<EditCost> in_places, whole;
};

// Nothing: the task is not one of the plan. An error is the reason to leave it out.
Result<std::optional<PlacesRecord>> measure_places(Engine& engine, const BenchTask& task,
                                                   const PlacesPlan& plan,
                                                   const std::stop_token& stop);

}  // namespace redraft
