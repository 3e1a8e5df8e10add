#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/output_limit.h"
#include "bench/repository.h"
#include "bench/task.h"
#include "decoding/decoder.h"
#include "indexing/store/datastore.h"
#include "support/result.h"
#include "workspace/completion/completion_shape.h"
#include "workspace/edit/prompt.h"
#include "workspace/engine/engine.h"
#include "workspace/engine/prompt_size.h"

namespace redraft {

// The outputs of plain decoding in an earlier run, by task and turn.
using RecordedOutputs = std::map<std::pair<std::string, int>, std::vector<TokenId>>;

// How to make steps: the same for all tasks of a run. The defaults do what the server does, except
// for completions (see `as_server`).
struct StepOptions {
  PromptOrder order = PromptOrder::kBufferFirst;  // edits; the server's is kBufferFirst
  bool chat = false;       // generation: prompt in the chat format instead of continuing the text
  bool left_only = false;  // completion: continue the prefix instead of filling in the middle
  int snippet_tokens = 0;  // completion: the maximum tokens of snippets in the prompt
  // Completion: shows other files with RepoCoder instead (repocoder.h), as StepInputs::beginning.
  bool repocoder = false;
  // Completion: the decode that the server would run while the user types there, with its window of
  // the whole file, its snippets and its draft sources. If the task asks for whole lines, the
  // cursor is on a separate line, indented as an editor does it. A replay writes as much of the
  // reference as the server would. Otherwise the prompt is the task's text, as in the papers.
  bool as_server = false;
  // The size for edits, and for completions with as_server; nothing: the engine's own.
  std::optional<PromptSize> prompt_size = kDefaultPromptSize;
  int context_tokens = 0;                    // with as_server: CompletionRequest::context_tokens
  int max_new_tokens = 0;                    // 0: a default for the kind of task
  bool replay = false;                       // the step's reference is needed
  const RecordedOutputs* outputs = nullptr;  // the source of the reference; null: the task
};

// The inputs of a step besides its task.
struct StepInputs {
  int turn = 1;                               // of a dialogue, from 1
  std::span<const std::string> answers = {};  // to the previous turns
  // What the task may see of its repository: the source of snippets and drafts. Empty: only its own
  // text.
  RepositoryView view = {};
  std::shared_ptr<const Datastore> common = {};  // code of other projects; null: none
  std::string beginning = {};                    // completion: text before the prompt
};

// Where the server ends a completion.
struct ServerEnd {
  CompletionShape shape;
  std::string before = {}, after = {};        // the text on both sides of the cursor
  std::optional<std::string> reference = {};  // what somebody wrote there

  CursorText around() const { return {before, after}; }
};

// One decode of a task.
struct BenchStep {
  DecodeRequest request;
  std::string fence;                                        // of an edit
  AnswerBeginning beginning = AnswerBeginning::kNoThought;  // likewise
  OutputEnd end = OutputEnd::kNone;  // a replay continues after it; that is not part of the text
  std::optional<ServerEnd> server_end = {};  // for a completion as the server writes it
  std::optional<std::string> reference_text =
      {};                          // the right text according to the source, if it has one
  std::vector<TokenId> reference;  // what a replay writes; empty if not requested
};

// The step of a turn of a task. It is the product's own where the product has the same work: edits
// of a whole file or region always, completions with StepOptions::as_server. Dialogues, generations
// and other completions have the prompts of the papers. The error is the reason to skip the task:
// it does not fit in the context, or has no reference to replay. On the decode thread.
Result<BenchStep> make_step(Engine& engine, const BenchTask& task, const StepInputs& inputs,
                            const StepOptions& options);

}  // namespace redraft
