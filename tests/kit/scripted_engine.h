#pragma once

#include <functional>
#include <memory>
#include <string>

#include "workspace/engine/local_engine.h"

namespace redraft {

// A prompt to a scripted model, as text without special tokens.
struct ScriptedPrompt {
  std::string text;
  std::string instruction;  // of the edit prompt
  std::string fence;        // opens the answer
};

// The whole answer to a prompt, including the closing fence; after it the model ends its turn.
using ScriptedAnswer = std::function<std::string(const ScriptedPrompt&)>;

// Called before each token of an answer is predicted, with the number of bytes written so far; may
// block. The model may evaluate a position more than once and, with drafts, positions that it does
// not reach.
using ScriptedGate = std::function<void(const ScriptedPrompt&, std::size_t written)>;

// An engine that answers edit prompts with a function: one token per byte, no weights.
std::unique_ptr<LocalEngine> scripted_engine(ScriptedAnswer answer, ScriptedGate gate = {},
                                             int context_length = 1 << 16);

}  // namespace redraft
