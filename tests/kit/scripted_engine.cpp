#include "tests/kit/scripted_engine.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

// The text between `before` and the next `after`.
std::string between(const std::string& text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.rfind(before);
  if (begin == std::string::npos) return {};
  const std::size_t end = text.find(after, begin + before.size());
  return text.substr(begin + before.size(), end - begin - before.size());
}

class Script {
 public:
  Script(std::shared_ptr<const Tokenizer> tokenizer, ScriptedAnswer answer, ScriptedGate gate)
      : tokenizer_(std::move(tokenizer)), answer_(std::move(answer)), gate_(std::move(gate)) {}

  TokenId next(std::span<const TokenId> sequence) {
    const std::size_t prompt_size = end_of_prompt(sequence);
    if (prompt_size == 0) return 0;  // within the prompt: not used
    const auto [prompt, answer] = answer_to(sequence.first(prompt_size));
    const std::size_t written = sequence.size() - prompt_size;
    if (gate_) gate_(prompt, written);
    if (written >= answer.size()) return tokenizer_->special("<|im_end|>");
    return tokenizer_->encode(answer.substr(written, 1)).front();
  }

 private:
  // The end of the line that opens the answer's fence in the last turn; 0: not there yet.
  std::size_t end_of_prompt(std::span<const TokenId> sequence) const {
    const auto turn =
        std::find(sequence.rbegin(), sequence.rend(), tokenizer_->special("<|im_start|>"));
    const TokenId newline = tokenizer_->encode("\n").front();
    const auto role_end = std::find(turn.base(), sequence.end(), newline);
    if (tokenizer_->decode({turn.base(), role_end}) != "assistant") return 0;
    const auto fence_end = role_end == sequence.end()
                               ? sequence.end()
                               : std::find(role_end + 1, sequence.end(), newline);
    return fence_end == sequence.end() ? 0 : fence_end - sequence.begin() + 1;
  }

  std::pair<ScriptedPrompt, std::string> answer_to(std::span<const TokenId> tokens) {
    const std::lock_guard lock(mutex_);
    const std::vector<TokenId> key(tokens.begin(), tokens.end());
    const auto known = answers_.find(key);
    if (known != answers_.end()) return known->second;
    ScriptedPrompt prompt;
    prompt.text = tokenizer_->decode(tokens);
    prompt.instruction = between(prompt.text, "\n\nInstruction: ", "\n");
    const std::string opening = between(prompt.text, "assistant\n", "\n");
    prompt.fence = opening.substr(0, opening.find_first_not_of('`'));
    std::string answer = answer_(prompt);
    return answers_.emplace(key, std::pair(std::move(prompt), std::move(answer))).first->second;
  }

  std::shared_ptr<const Tokenizer> tokenizer_;
  ScriptedAnswer answer_;
  ScriptedGate gate_;
  std::mutex mutex_;
  std::map<std::vector<TokenId>, std::pair<ScriptedPrompt, std::string>> answers_;
};

}  // namespace

std::unique_ptr<LocalEngine> scripted_engine(ScriptedAnswer answer, ScriptedGate gate,
                                             int context_length) {
  const std::shared_ptr<const Tokenizer> tokenizer = byte_tokenizer();
  const auto script = std::make_shared<Script>(tokenizer, std::move(answer), std::move(gate));
  LocalEngine::Model target;
  target.name = "scripted";
  target.model = std::make_unique<ScriptedModel>(
      tokenizer->vocabulary_size(), context_length,
      [script](std::span<const TokenId> sequence) { return script->next(sequence); });
  target.tokenizer = tokenizer;
  // A table look-up takes no meaningful time, so a row is priced at a tenth of a pass.
  target.find_cost = [](LanguageModel&) { return CostCurve({{1, 0.010}, {11, 0.020}}); };
  Result<std::unique_ptr<LocalEngine>> engine =
      LocalEngine::make(std::move(target), {}, {.context_limit = context_length});
  if (!engine) throw std::logic_error(engine.error().message());
  return std::move(*engine);
}

}  // namespace redraft
