#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/output_limit.h"
#include "bench/task.h"
#include "decoding/decoder.h"
#include "indexing/store/index_snapshot.h"
#include "support/result.h"
#include "text/prompt_encoder.h"
#include "workspace/completion/completion_shape.h"
#include "workspace/edit/prompt.h"

namespace redraft {

// The outputs of plain decoding in an earlier run, by task and turn.
using RecordedOutputs = std::map<std::pair<std::string, int>, std::vector<TokenId>>;

struct StepOptions {
  PromptOrder order = PromptOrder::kBufferFirst;  // edits
  bool chat = false;       // generation: prompt in the chat format instead of continuing the text
  bool left_only = false;  // completion: continue the prefix instead of filling in the middle
  // Completion: how many tokens of the prompt snippets of other files may take, and their source
  // (null: no snippets).
  int snippet_tokens = 0;
  const IndexSnapshot* other_files = nullptr;
  // Completion: shows other files with RepoCoder instead (repocoder.h), as text at the beginning of
  // the prompt.
  bool repocoder = false;
  std::string beginning = {};
  // Completion: prompts and ends as the server does while the user types; see server_step.h.
  bool as_server = false;
  int context_tokens = 0;                    // then: CompletionRequest::context_tokens
  int max_new_tokens = 0;                    // 0: a default for the kind of task
  bool replay = false;                       // the step's reference is needed
  const RecordedOutputs* outputs = nullptr;  // the source of the reference; null: the task
};

// Where the server ends a completion.
struct ServerEnd {
  CompletionShape shape;
  std::string suffix;                         // the text after the cursor
  std::optional<std::string> reference = {};  // what somebody wrote there
};

// One decode of a task.
struct BenchStep {
  DecodeRequest request;
  std::string fence;                 // of an edit
  OutputEnd end = OutputEnd::kNone;  // a replay continues after it; that is not part of the text
  std::optional<ServerEnd> server_end = {};  // for a completion as the server writes it
  std::optional<std::string> reference_text =
      {};                          // the right text according to the source, if it has one
  std::vector<TokenId> reference;  // what a replay writes; empty if not requested
};

// The output of a replay of the task, from its reference or an earlier run.
Result<std::vector<TokenId>> replayed_tokens(const Tokenizer& tokenizer, const BenchTask& task,
                                             int turn, const std::optional<std::string>& text,
                                             const StepOptions& options);

// The step of `turn` (from 1) of a task. `answers` are the answers of the previous turns. The error
// is the reason to skip the task: it does not fit in the context, or has no reference to replay.
Result<BenchStep> make_step(PromptEncoder& encoder, int context_length, const BenchTask& task,
                            int turn, std::span<const std::string> answers,
                            const StepOptions& options);

}  // namespace redraft
