#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "bench/quality/next_edit_questions.h"
#include "bench/task.h"
#include "decoding/decoder_name.h"
#include "support/result.h"
#include "workspace/documents/text_edit.h"
#include "workspace/engine/engine.h"
#include "workspace/next_edit/edit_format.h"

namespace redraft {

// Measures the quality of the next edits that the product proposes. It repeats a commit in an open
// document, hunk by hunk, and then asks as the server does (next_edit_request(), plan_next_edit(),
// run_next_edit()), with no other open document, no index, and no memory of other questions.
struct NextEditQualityPlan {
  DecoderName decoder;
  std::string format = std::string(kFormatByModel);  // NextEditRequest::format
};

struct NextEditQuality {
  Verdict verdict = Verdict::kNone;
  bool reverses = false;  // see ProposalVerdict
  bool by_tree = false;   // the model was not used
  int regions = 0;        // regions that the model tried
  std::string why_none = {};
  std::string proposed = {};  // its hunks; removed and added lines begin with "-" and "+"
  int prompt_tokens = 0, new_tokens = 0, passes = 0;
  double prefill_seconds = 0, decode_seconds = 0;
};

// The change between two texts as an editor sends it: without their common prefix and suffix, in
// whole characters.
TextEdit edit_between(const std::string& before, const std::string& after);

// `question` is a name of next_edit_questions(). The error is the reason to leave it out: the task
// has no such question, or its text cannot be a document. If `stop` was requested the result is
// meaningless.
Result<NextEditQuality> measure_next_edit(Engine& engine, const BenchTask& task,
                                          std::string_view question,
                                          const NextEditQualityPlan& plan,
                                          const std::stop_token& stop);

}  // namespace redraft
