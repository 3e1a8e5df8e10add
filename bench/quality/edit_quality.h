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

// How good edits are that the product itself makes: the cursor stands where somebody changed the
// file, and region, context and prompt are those of the server (run_edit). What was written is
// compared with what that somebody wrote within the region.
struct EditQualityPlan {
  std::optional<EditScope> scope = {};  // nothing: what a cursor alone means
  // Of the file around the region; nothing: what suits this machine's speed.
  std::optional<std::size_t> context_bytes = {};
  DecoderName decoder;
  bool dry_run = false;  // chooses the region and makes the prompt, without asking the model
};

struct EditQuality {
  int file_lines = 0;
  int region_first = 0, region_lines = 0;
  int changed_lines = 0;            // of the file, lines taken away and lines put in
  int changed_lines_in_region = 0;  // of them
  // Changes of the reference within the region, those of them that were made line by line, and all
  // changes that were made.
  int expected_hunks = 0, exact_hunks = 0, made_hunks = 0;
  // Dice coefficient of the tokens that the region has with those that it should have (2 * longest
  // common subsequence / both lengths): as written, and as it was before.
  double similarity = 0, similarity_before = 0;
  bool breaks_syntax = false;
  std::string finish_reason = {};
  std::string written = {};  // the region's lines after the edit
  int prompt_tokens = 0, new_tokens = 0, passes = 0;
  double prefill_seconds = 0, decode_seconds = 0;
  std::optional<bool> passed = {};  // the task's tests; nothing where there are none

  // Within the region all is written as in the reference, and nothing else.
  bool all_exact() const { return exact_hunks == expected_hunks && made_hunks == expected_hunks; }
};

// The first place that the reference changes: where a person would have put the cursor.
std::size_t first_change(const std::shared_ptr<const Document>& before, const std::string& after);

// The error is the reason to leave the task out: it has no reference, or does not fit the context.
// `judge` may be empty.
Result<EditQuality> measure_edit(
    Engine& engine, const BenchTask& task, const EditQualityPlan& plan,
    const std::function<std::optional<bool>(const BenchTask&, const std::string& text)>& judge,
    const std::stop_token& stop);

}  // namespace redraft
