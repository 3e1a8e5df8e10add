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

// How good next edits are that the product itself proposes: a commit is made again in an open
// document, hunk by hunk, and then it is asked as the server is asked (next_edit_request(),
// plan_next_edit(), run_next_edit()), with no other document open, no index, and nothing in memory
// of other questions.
struct NextEditQualityPlan {
  DecoderName decoder;
  std::string format = std::string(kFormatByModel);  // NextEditRequest::format
};

struct NextEditQuality {
  Verdict verdict = Verdict::kNone;
  bool reverses = false;  // see ProposalVerdict
  bool by_tree = false;   // the model was not asked
  int regions = 0;        // that the model tried
  std::string why_none = {};
  std::string proposed = {};  // its hunks, the lines that go and come behind "-" and "+"
  int prompt_tokens = 0, new_tokens = 0, passes = 0;
  double prefill_seconds = 0, decode_seconds = 0;
};

// A change of a text as an editor sends it: without what both begin and end with, in whole
// characters.
TextEdit edit_between(const std::string& before, const std::string& after);

// `question` is a name of next_edit_questions(). The error is the reason to leave it out: the task
// has no such question, or its text cannot be a document. If `stop` was requested the result means
// nothing.
Result<NextEditQuality> measure_next_edit(Engine& engine, const BenchTask& task,
                                          std::string_view question,
                                          const NextEditQualityPlan& plan,
                                          const std::stop_token& stop);

}  // namespace redraft
