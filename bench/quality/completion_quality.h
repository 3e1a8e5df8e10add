#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/quality/suggestion.h"
#include "bench/repository.h"
#include "bench/task.h"
#include "decoding/decoder_name.h"
#include "support/result.h"
#include "workspace/engine/local_engine.h"
#include "workspace/engine/prompt_size.h"

namespace redraft {

// Measures the quality of the completions that the product shows while the user types: window,
// snippets and end are the server's (StepOptions::as_server), and one decode at a place shows what
// each threshold of the probability gate would display.
struct CompletionQualityPlan {
  DecoderName decoder;
  std::vector<double> gates;                                   // completion.minProbability
  std::optional<PromptSize> prompt_size = kDefaultPromptSize;  // nothing: this machine's
  int context_tokens = 0;                                      // completion.contextTokens
};

struct CompletionQuality {
  std::vector<Suggestion> suggestions;  // in the order of the gates
  std::string written = {};             // without any gate
  int prompt_tokens = 0, new_tokens = 0, passes = 0;
  double prefill_seconds = 0, decode_seconds = 0;
};

// `view`: what the task may see of its repository; empty: only its own text. The error is the
// reason to leave the task out: it has no reference, or filling in is impossible there. If `stop`
// was requested the result is meaningless.
Result<CompletionQuality> measure_completion(LocalEngine& engine, const BenchTask& task,
                                             const RepositoryView& view,
                                             const CompletionQualityPlan& plan,
                                             const std::stop_token& stop);

}  // namespace redraft
