#include "bench/step.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "languages/languages.h"
#include "text/chat_template.h"
#include "workspace/completion/completion_prompt.h"
#include "workspace/completion/completion_session.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/documents/line_endings.h"
#include "workspace/edit/edit_plan.h"
#include "workspace/snippets/snippets.h"

namespace redraft {
namespace {

constexpr int kDialogueTokens = 1024;
constexpr int kGenerationTokens = 512;
constexpr int kCompletionTokens = 256;

class StepMaker {
 public:
  StepMaker(Engine& engine, const BenchTask& task, const StepInputs& inputs,
            const StepOptions& options)
      : engine_(engine), task_(task), inputs_(inputs), options_(options) {}

  Result<BenchStep> make();

 private:
  Result<BenchStep> edit();
  Result<BenchStep> edit_of(const EditText& text);
  Result<EditPlan> plan_edit(const EditRequest& request, const EditRegion& region);
  Result<BenchStep> dialogue();
  Result<BenchStep> generation();
  Result<BenchStep> completion();
  Result<BenchStep> server_completion();
  std::vector<Snippet> snippets() const;
  Result<BenchStep> from_parts(const std::vector<PromptPart>& parts, int default_tokens);
  Result<BenchStep> replayed(BenchStep step, const std::optional<std::string>& text) const;
  Result<BenchStep> replayed_by_server(BenchStep step) const;
  Result<std::vector<TokenId>> replayed_tokens(const std::optional<std::string>& text) const;

  PromptEncoder& encoder() { return engine_.prompt_encoder(Purpose::kEdit); }
  const Tokenizer& tokenizer() const { return engine_.tokenizer(); }
  int context_length() const { return engine_.context_length(); }

  Engine& engine_;
  const BenchTask& task_;
  const StepInputs& inputs_;
  const StepOptions& options_;
};

Result<BenchStep> StepMaker::make() {
  switch (task_.kind) {
    case TaskKind::kEdits:
      return edit();
    case TaskKind::kDialogue:
      return dialogue();
    case TaskKind::kGeneration:
      return generation();
    case TaskKind::kCompletion:
      break;
  }
  return options_.as_server ? server_completion() : completion();
}

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
  EditRequest request;
  request.document = *document;
  request.instruction = task_.instruction;
  request.repository = inputs_.view.all;
  request.common = inputs_.common;
  request.prompt_size = options_.prompt_size;
  Result<EditPlan> plan = plan_edit(request, *region);
  if (!plan) return plan.error();
  const Result<int> budget =
      edit_token_budget(plan->prompt, options_.max_new_tokens, context_length());
  if (!budget) return budget.error();
  BenchStep step;
  step.request = edit_decode(engine_, request, *plan, *budget);
  step.fence = std::move(plan->prompt.fence);
  step.beginning = plan->prompt.beginning;
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

// As the server does, except for the order of the parts if the options name the other one.
Result<EditPlan> StepMaker::plan_edit(const EditRequest& request, const EditRegion& region) {
  if (options_.order == PromptOrder::kBufferFirst)
    return plan_region(engine_, request, request.instruction, region);
  const PromptForm form{.order = options_.order};
  Result<EditPrompt> prompt = make_edit_prompt(encoder(), region, request.instruction, form);
  if (!prompt) return prompt.error();
  return EditPlan{region, std::move(*prompt), form.context_bytes};
}

Result<BenchStep> StepMaker::dialogue() {
  std::vector<ChatMessage> messages;
  for (int turn = 1; turn <= inputs_.turn; ++turn) {
    messages.push_back({"user", task_.turns[turn - 1]});
    if (turn < inputs_.turn) messages.push_back({"assistant", inputs_.answers[turn - 1]});
  }
  const Result<std::vector<PromptPart>> parts = chat_prompt(tokenizer(), messages);
  if (!parts) return parts.error();
  Result<BenchStep> step = from_parts(*parts, kDialogueTokens);
  if (!step || !options_.replay) return step;
  std::optional<std::string> stored;
  if (!task_.answers.empty()) stored = task_.answers[inputs_.turn - 1];
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
  if (options_.chat) parts = chat_prompt(tokenizer(), {{"user", task_.prompt}});
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
  if (options_.snippet_tokens == 0 || !inputs_.view.other_files || options_.repocoder) return {};
  const auto text = std::make_shared<const std::string>(task_.prompt + task_.suffix);
  const auto tree = SyntaxTree::parse(text, language_of(task_.file_name));
  return find_snippets(*inputs_.view.other_files, tokenizer(),
                       {.text = *text,
                        .offset = task_.prompt.size(),
                        .tree = tree ? &*tree : nullptr,
                        .max_tokens = static_cast<std::size_t>(options_.snippet_tokens)});
}

Result<BenchStep> StepMaker::completion() {
  const std::vector<Snippet> found = snippets();
  const std::string prefix = inputs_.beginning + task_.prompt;
  CompletionContext context{
      .file = task_.file_name, .prefix = prefix, .suffix = {}, .snippets = found};
  if (!options_.left_only) context.suffix = task_.suffix;
  const Result<std::vector<PromptPart>> parts = completion_prompt(tokenizer(), context);
  if (!parts) return Error(parts.error().message() + ", or --left-only");
  Result<BenchStep> step = from_parts(*parts, kCompletionTokens);
  if (!step) return step;
  std::ranges::copy(completion_ends(tokenizer(), context.model),
                    std::back_inserter(step->request.stop_tokens));
  step->reference_text = task_.reference;
  if (!options_.replay) return step;
  return replayed(std::move(*step), task_.reference);
}

// Where the user types, and what somebody wrote there.
struct Place {
  std::string before, after;
  std::optional<std::string> reference;
};

Place place_of(const BenchTask& task, const RepositoryView& view) {
  Place place{task.prompt, task.suffix, task.reference};
  if (task.hidden) {
    place.before = view.before;
    place.after = view.after;
  }
  const bool at_margin = place.before.empty() || place.before.ends_with('\n');
  if (!at_margin || !place.reference || !place.reference->ends_with('\n')) return place;
  std::string& reference = *place.reference;
  reference.pop_back();
  const std::size_t text = std::min(reference.find_first_not_of(" \t"), reference.size());
  place.before += reference.substr(0, text);
  place.after.insert(0, "\n");
  reference.erase(0, text);
  return place;
}

// As much of the text as the server would write.
std::string limited(const std::string& text, const ServerEnd& end) {
  CompletionLimit limit(end.shape, end.around());
  for (const char c : text) {
    if (!limit.add({&c, 1})) return std::string(limit.text());
  }
  limit.finish();
  return std::string(limit.text());
}

Result<BenchStep> StepMaker::server_completion() {
  const Place place = place_of(task_, inputs_.view);
  const auto document = Document::make(task_.file_name, 0, place.before + place.after,
                                       std::string(language_of(task_.file_name)));
  if (!document) return document.error();
  CompletionRequest request;
  request.document = *document;
  request.offset = place.before.size();
  request.repository = inputs_.view.other_files;
  request.common = inputs_.common;
  request.prompt_size = options_.prompt_size;
  request.context_tokens = options_.context_tokens;
  if (options_.max_new_tokens > 0) request.max_new_tokens = options_.max_new_tokens;
  Result<DecodeRequest> decode = completion_decode(engine_, request);
  if (!decode) return decode.error();
  BenchStep step;
  step.request = std::move(*decode);
  step.server_end =
      ServerEnd{completion_shape(request), with_newlines(place.before), with_newlines(place.after)};
  if (place.reference) step.server_end->reference = with_newlines(*place.reference);
  if (!options_.replay) return step;
  return replayed_by_server(std::move(step));
}

Result<BenchStep> StepMaker::replayed_by_server(BenchStep step) const {
  std::optional<std::string> reference = step.server_end->reference;
  if (reference) reference = limited(*reference, *step.server_end);
  Result<std::vector<TokenId>> tokens = replayed_tokens(reference);
  if (!tokens) return tokens.error();
  if (tokens->empty()) return Error("the server writes nothing of its reference");
  step.reference = std::move(*tokens);
  step.request.max_new_tokens = static_cast<int>(step.reference.size()) + 1;
  return step;
}

Result<BenchStep> StepMaker::from_parts(const std::vector<PromptPart>& parts, int default_tokens) {
  Result<std::vector<TokenId>> tokens = encoder().encode(parts);
  if (!tokens) return tokens.error();
  if (tokens->empty()) return Error("its prompt has no tokens");
  const int room = context_length() - static_cast<int>(tokens->size());
  if (room < 1) {
    return Error("its prompt has " + std::to_string(tokens->size()) +
                 " tokens and the context holds " + std::to_string(context_length()));
  }
  BenchStep step;
  step.request.prompt = std::move(*tokens);
  step.request.stop_tokens = end_of_turn_tokens(tokenizer());
  const TokenId end = tokenizer().end_of_text();
  if (end >= 0) step.request.stop_tokens.push_back(end);
  const int wanted = options_.max_new_tokens > 0 ? options_.max_new_tokens : default_tokens;
  step.request.max_new_tokens = std::min(wanted, room);
  step.request.repository = inputs_.view.all;
  step.request.common = inputs_.common;
  return step;
}

// A replay writes all of the reference, and then a stop token.
Result<BenchStep> StepMaker::replayed(BenchStep step,
                                      const std::optional<std::string>& text) const {
  Result<std::vector<TokenId>> tokens = replayed_tokens(text);
  if (!tokens) return tokens.error();
  if (step.request.stop_tokens.empty()) return Error("the tokenizer has no stop token");
  const std::size_t needed = step.request.prompt.size() + tokens->size() + 1;
  if (needed > static_cast<std::size_t>(context_length())) {
    return Error("it needs " + std::to_string(needed) + " tokens and the context holds " +
                 std::to_string(context_length()));
  }
  step.reference = std::move(*tokens);
  step.request.max_new_tokens = static_cast<int>(step.reference.size()) + 1;
  // Lines at the margin are part of a reference.
  if (!options_.outputs && step.end != OutputEnd::kFence) step.end = OutputEnd::kNone;
  return step;
}

// The output of a replay, from the recorded run or as `text`.
Result<std::vector<TokenId>> StepMaker::replayed_tokens(
    const std::optional<std::string>& text) const {
  if (options_.outputs) {
    const auto output = options_.outputs->find({task_.id, inputs_.turn});
    if (output == options_.outputs->end()) return Error("the recorded run has no output for it");
    return output->second;
  }
  if (!text) return Error("has no reference to replay");
  return tokenizer().encode(*text);
}

}  // namespace

Result<BenchStep> make_step(Engine& engine, const BenchTask& task, const StepInputs& inputs,
                            const StepOptions& options) {
  return StepMaker(engine, task, inputs, options).make();
}

}  // namespace redraft
