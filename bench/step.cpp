#include "bench/step.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "languages/languages.h"
#include "text/chat_template.h"
#include "workspace/completion/completion_prompt.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/snippets/snippets.h"

namespace redraft {
namespace {

constexpr int kDialogueTokens = 1024;
constexpr int kGenerationTokens = 512;
constexpr int kCompletionTokens = 256;
class StepMaker {
 public:
  StepMaker(PromptEncoder& encoder, int context_length, const BenchTask& task, int turn,
            const StepOptions& options)
      : encoder_(encoder),
        context_length_(context_length),
        task_(task),
        turn_(turn),
        options_(options) {}

  Result<BenchStep> edit();
  Result<BenchStep> dialogue(std::span<const std::string> answers);
  Result<BenchStep> generation();
  Result<BenchStep> completion();

 private:
  Result<BenchStep> edit_of(const EditText& text);
  std::vector<Snippet> snippets() const;
  Result<BenchStep> from_parts(const std::vector<PromptPart>& parts, int default_tokens);
  Result<BenchStep> replayed(BenchStep step, const std::optional<std::string>& text) const;

  PromptEncoder& encoder_;
  int context_length_;
  const BenchTask& task_;
  int turn_;
  const StepOptions& options_;
};

// The whole file if it fits, else the region around the change.
Result<BenchStep> StepMaker::edit() {
  std::optional<Error> problem;
  for (const std::optional<EditText>* text : {&task_.file, &task_.region}) {
    if (!*text) continue;
    Result<BenchStep> step = edit_of(**text);
    if (step) return step;
    if (!problem) problem = step.error();
  }
  return problem ? *problem : Error("has no text to edit");
}

Result<BenchStep> StepMaker::edit_of(const EditText& text) {
  const auto document = Document::make(task_.file_name, 0, text.before);
  if (!document) return document.error();
  const Result<EditRegion> region = EditRegion::make(*document, EditScope::kFile, std::nullopt);
  if (!region) return region.error();
  Result<EditPrompt> prompt =
      make_edit_prompt(encoder_, *region, task_.instruction, {.order = options_.order});
  if (!prompt) return prompt.error();
  const Result<int> budget = edit_token_budget(*prompt, options_.max_new_tokens, context_length_);
  if (!budget) return budget.error();
  BenchStep step;
  step.request.prompt = std::move(prompt->tokens);
  step.request.original = std::move(prompt->original);
  step.request.replacements = std::move(prompt->replacements);
  step.request.stop_tokens = std::move(prompt->stop_tokens);
  step.request.max_new_tokens = *budget;
  step.fence = std::move(prompt->fence);
  step.end = OutputEnd::kFence;
  step.reference_text = text.after;
  if (!options_.replay) return step;
  std::optional<std::string> written;
  if (text.after) {
    const auto after = Document::make(task_.file_name, 0, *text.after);
    if (!after) return after.error();
    written = text_for_model(**after) + step.fence;
  }
  return replayed(std::move(step), written);
}

Result<BenchStep> StepMaker::dialogue(std::span<const std::string> answers) {
  std::vector<ChatMessage> messages;
  for (int turn = 1; turn <= turn_; ++turn) {
    messages.push_back({"user", task_.turns[turn - 1]});
    if (turn < turn_) messages.push_back({"assistant", answers[turn - 1]});
  }
  const Result<std::vector<PromptPart>> parts = chat_prompt(encoder_.tokenizer(), messages);
  if (!parts) return parts.error();
  Result<BenchStep> step = from_parts(*parts, kDialogueTokens);
  if (!step || !options_.replay) return step;
  std::optional<std::string> stored;
  if (!task_.answers.empty()) stored = task_.answers[turn_ - 1];
  return replayed(std::move(*step), stored);
}

// Whether the text breaks off within a function.
bool ends_in_a_body(const std::string& text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string::npos) return false;
  const std::size_t newline = text.rfind('\n', last);
  const char first = text[newline == std::string::npos ? 0 : newline + 1];
  return first == ' ' || first == '\t';
}

Result<BenchStep> StepMaker::generation() {
  Result<std::vector<PromptPart>> parts = std::vector<PromptPart>{{task_.prompt, false}};
  if (options_.chat) parts = chat_prompt(encoder_.tokenizer(), {{"user", task_.prompt}});
  if (!parts) return parts.error();
  Result<BenchStep> step = from_parts(*parts, kGenerationTokens);
  if (!step) return step;
  step->reference_text = task_.reference;
  if (!options_.chat)
    step->end = ends_in_a_body(task_.prompt) ? OutputEnd::kFunction : OutputEnd::kScript;
  if (!options_.replay) return step;
  return replayed(std::move(*step), task_.reference);
}

std::vector<Snippet> StepMaker::snippets() const {
  if (options_.snippet_tokens == 0 || !options_.other_files || options_.repocoder) return {};
  const auto text = std::make_shared<const std::string>(task_.prompt + task_.suffix);
  const auto tree = SyntaxTree::parse(text, language_of(task_.file_name));
  return find_snippets(*options_.other_files, encoder_.tokenizer(),
                       {.text = *text,
                        .offset = task_.prompt.size(),
                        .tree = tree ? &*tree : nullptr,
                        .max_tokens = static_cast<std::size_t>(options_.snippet_tokens)});
}

Result<BenchStep> StepMaker::completion() {
  const std::vector<Snippet> found = snippets();
  const std::string prefix = options_.beginning + task_.prompt;
  CompletionContext context{
      .file = task_.file_name, .prefix = prefix, .suffix = {}, .snippets = found};
  if (!options_.left_only) context.suffix = task_.suffix;
  const Result<std::vector<PromptPart>> parts = completion_prompt(encoder_.tokenizer(), context);
  if (!parts) return Error(parts.error().message() + ", or --left-only");
  Result<BenchStep> step = from_parts(*parts, kCompletionTokens);
  if (!step) return step;
  std::ranges::copy(completion_ends(encoder_.tokenizer(), context.model),
                    std::back_inserter(step->request.stop_tokens));
  step->reference_text = task_.reference;
  if (!options_.replay) return step;
  return replayed(std::move(*step), task_.reference);
}

Result<BenchStep> StepMaker::from_parts(const std::vector<PromptPart>& parts, int default_tokens) {
  Result<std::vector<TokenId>> tokens = encoder_.encode(parts);
  if (!tokens) return tokens.error();
  if (tokens->empty()) return Error("its prompt has no tokens");
  const int room = context_length_ - static_cast<int>(tokens->size());
  if (room < 1) {
    return Error("its prompt has " + std::to_string(tokens->size()) +
                 " tokens and the context holds " + std::to_string(context_length_));
  }
  BenchStep step;
  step.request.prompt = std::move(*tokens);
  step.request.stop_tokens = end_of_turn_tokens(encoder_.tokenizer());
  const TokenId end = encoder_.tokenizer().end_of_text();
  if (end >= 0) step.request.stop_tokens.push_back(end);
  const int wanted = options_.max_new_tokens > 0 ? options_.max_new_tokens : default_tokens;
  step.request.max_new_tokens = std::min(wanted, room);
  return step;
}

// A replay writes all of the reference, and then a stop token.
Result<BenchStep> StepMaker::replayed(BenchStep step,
                                      const std::optional<std::string>& text) const {
  Result<std::vector<TokenId>> tokens =
      replayed_tokens(encoder_.tokenizer(), task_, turn_, text, options_);
  if (!tokens) return tokens.error();
  if (step.request.stop_tokens.empty()) return Error("the tokenizer has no stop token");
  const std::size_t needed = step.request.prompt.size() + tokens->size() + 1;
  if (needed > static_cast<std::size_t>(context_length_)) {
    return Error("it needs " + std::to_string(needed) + " tokens and the context holds " +
                 std::to_string(context_length_));
  }
  step.reference = std::move(*tokens);
  step.request.max_new_tokens = static_cast<int>(step.reference.size()) + 1;
  // Lines at the margin are part of a reference.
  if (!options_.outputs && step.end != OutputEnd::kFence) step.end = OutputEnd::kNone;
  return step;
}

}  // namespace

Result<std::vector<TokenId>> replayed_tokens(const Tokenizer& tokenizer, const BenchTask& task,
                                             int turn, const std::optional<std::string>& text,
                                             const StepOptions& options) {
  if (options.outputs) {
    const auto output = options.outputs->find({task.id, turn});
    if (output == options.outputs->end()) return Error("the recorded run has no output for it");
    return output->second;
  }
  if (!text) return Error("has no reference to replay");
  return tokenizer.encode(*text);
}

Result<BenchStep> make_step(PromptEncoder& encoder, int context_length, const BenchTask& task,
                            int turn, std::span<const std::string> answers,
                            const StepOptions& options) {
  StepMaker maker(encoder, context_length, task, turn, options);
  switch (task.kind) {
    case TaskKind::kEdits:
      return maker.edit();
    case TaskKind::kDialogue:
      return maker.dialogue(answers);
    case TaskKind::kGeneration:
      return maker.generation();
    case TaskKind::kCompletion:
      break;
  }
  return maker.completion();
}

}  // namespace redraft
