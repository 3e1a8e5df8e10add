#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/output_limit.h"
#include "bench/task.h"
#include "decoding/decoder.h"
#include "decoding/text/prompt_encoder.h"
#include "indexing/store/index_snapshot.h"
#include "support/result.h"
#include "workspace/edit/prompt.h"

namespace redraft {

// The outputs that an earlier run's plain decoding wrote, by task and turn.
using RecordedOutputs = std::map<std::pair<std::string, int>, std::vector<TokenId>>;

struct StepOptions {
  PromptOrder order = PromptOrder::kBufferFirst;  // edits
  bool chat = false;       // generation: ask in the chat format rather than continue the text
  bool left_only = false;  // completion: continue the prefix, do not fill in the middle
  // Completion: what snippets of other files may take of the prompt, and where they are from (null:
  // nowhere).
  int snippet_tokens = 0;
  const IndexSnapshot* other_files = nullptr;
  int max_new_tokens = 0;                    // 0: what suits the kind
  bool replay = false;                       // the step's reference is needed
  const RecordedOutputs* outputs = nullptr;  // where it is from; null: the task
};

// One decode of a task.
struct BenchStep {
  DecodeRequest request;
  std::string fence;                 // of an edit
  OutputEnd end = OutputEnd::kNone;  // a replay writes on; what follows is no part of the text
  std::vector<TokenId> reference;    // what a replay writes; empty where none was asked for
};

// The step of `turn` (from 1) of a task. `answers` are those of the turns before it. The error is
// the reason to leave the task out: it does not fit the context, or has no reference to replay.
Result<BenchStep> make_step(PromptEncoder& encoder, int context_length, const BenchTask& task,
                            int turn, std::span<const std::string> answers,
                            const StepOptions& options);

}  // namespace redraft
