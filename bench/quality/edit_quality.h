#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/task.h"
#include "support/result.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/edit_request.h"
#include "workspace/engine/local_engine.h"
#include "workspace/engine/prompt_size.h"

namespace redraft {

// How good the product's own edits are. The cursor is where a programmer changed the file, and
// decide() says what becomes of the instruction, as for every client: a rename needs no model here
// either. The result is compared with what the programmer wrote in the region.
struct EditQualityPlan {
  std::optional<EditScope> scope = {};                         // nothing: what a cursor alone means
  std::optional<PromptSize> prompt_size = kDefaultPromptSize;  // nothing: this machine's
  // How much of the file the prompt shows around the region; nothing: by the size.
  std::optional<std::size_t> context_bytes = {};
  DecoderName decoder;
  bool dry_run = false;  // decides and makes the prompt, without an answer of the model
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
  std::optional<std::string> decision = {};  // to_string(EditKind); nothing in old records
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

// The request of a task that has a file before and after.
EditRequest quality_request(const BenchTask& task, const EditQualityPlan& plan,
                            const std::shared_ptr<const Document>& document);

// The error is the reason to leave the task out: it has no reference, or does not fit the context.
// `judge` may be empty.
Result<EditQuality> measure_edit(
    LocalEngine& engine, const BenchTask& task, const EditQualityPlan& plan,
    const std::function<std::optional<bool>(const BenchTask&, const std::string& text)>& judge,
    const std::stop_token& stop);

}  // namespace redraft
