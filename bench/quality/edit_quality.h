#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/task.h"
#include "support/result.h"
#include "workspace/documents/edit_region.h"
#include "workspace/engine/engine.h"

namespace redraft {

// Measures the quality of the product's own edits: the cursor is where somebody changed the file,
// and region, context and prompt are those of the server (run_edit). The output is compared with
// what that person wrote within the region.
struct EditQualityPlan {
  std::optional<EditScope> scope = {};  // nullopt: the scope of a cursor alone
  // Bytes of the file around the region; nullopt: what suits this machine's speed.
  std::optional<std::size_t> context_bytes = {};
  DecoderName decoder;
  bool dry_run = false;  // chooses the region and makes the prompt, without running the model
};

struct EditQuality {
  int file_lines = 0;
  int region_first = 0, region_lines = 0;
  int changed_lines = 0;            // removed and added lines of the file
  int changed_lines_in_region = 0;  // those in the region
  // Changes of the reference within the region, those that were made exactly, and all changes that
  // were made.
  int expected_hunks = 0, exact_hunks = 0, made_hunks = 0;
  // Dice coefficient of the region's tokens and the right ones (2 * longest common subsequence /
  // sum of the lengths): after the edit, and before it.
  double similarity = 0, similarity_before = 0;
  bool breaks_syntax = false;
  std::string finish_reason = {};
  std::string written = {};  // the region's lines after the edit
  int prompt_tokens = 0, new_tokens = 0, passes = 0;
  double prefill_seconds = 0, decode_seconds = 0;
  std::optional<bool> passed = {};  // the task's tests; nullopt if there are none

  // Whether the region has all changes of the reference and no others.
  bool all_exact() const { return exact_hunks == expected_hunks && made_hunks == expected_hunks; }
};

// The first place that the reference changes, where a person would have put the cursor.
std::size_t first_change(const std::shared_ptr<const Document>& before, const std::string& after);

// The error is the reason to leave the task out: it has no reference, or does not fit in the
// context. `judge` may be empty.
Result<EditQuality> measure_edit(
    Engine& engine, const BenchTask& task, const EditQualityPlan& plan,
    const std::function<std::optional<bool>(const BenchTask&, const std::string& text)>& judge,
    const std::stop_token& stop);

}  // namespace redraft
