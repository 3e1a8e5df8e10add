#include "workspace/edit/edit_plan.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "support/trace/trace.h"
#include "workspace/edit/edit_context.h"
#include "workspace/edit/edit_problems.h"
#include "workspace/engine/prompt_size.h"

namespace redraft {
namespace {

Result<std::optional<EditWindows>> windows_of(Engine& engine, const EditRequest& request,
                                              const EditRegion& file,
                                              const std::string& instruction) {
  const Result<EditPlan> plan = plan_region(engine, request, instruction, file);
  if (!plan) return plan.error();
  const Result<int> budget =
      edit_token_budget(plan->prompt, request.max_new_tokens, engine.context_length());
  if (budget) return std::optional<EditWindows>();
  std::optional<EditWindows> windows =
      edit_windows(file, plan->prompt, engine.tokenizer(), engine.context_length());
  if (!windows) return budget.error();
  windows->context_bytes = std::min(windows->context_bytes, plan->context_bytes);
  return windows;
}

// The tokens of the file that the prompt does not show; null: it shows all.
std::shared_ptr<const std::vector<std::vector<TokenId>>> rest_of_file(Engine& engine,
                                                                      const EditPlan& plan) {
  const Document& document = plan.region.document();
  if (document.text().size() - plan.region.range().size() <= plan.context_bytes) return nullptr;
  const LineIndex& index = document.lines();
  const int first = index.line_of(plan.region.range().begin);
  const int end = first + static_cast<int>(plan.region.lines().size());
  return engine.rest_of_file(Purpose::kEdit, document, {index.start(first), index.start(end)});
}

}  // namespace

EditLimits limits_of(Engine& engine, const EditRequest& request) {
  return {.region_bytes = edit_region_bytes(engine.prompt_size(request.prompt_size)),
          .windows = [&](const EditRegion& file, const std::string& instruction) {
            return windows_of(engine, request, file, instruction);
          }};
}

std::size_t overview_bytes(PromptSize size, std::size_t context_bytes) {
  return std::min(edit_context_bytes(size), context_bytes) / 2;
}

std::size_t context_bytes_of(Engine& engine, const EditRequest& request) {
  // The region and its answer need the rest.
  const auto quarter = static_cast<std::size_t>(engine.context_length() * kBytesPerToken / 4);
  return request.context_bytes.value_or(
      std::min(edit_context_bytes(engine.prompt_size(request.prompt_size)), quarter));
}

Result<EditPrompt> prompt_of(Engine& engine, const EditRequest& request,
                             const std::string& instruction, const EditRegion& region,
                             std::size_t context_bytes, const FaultyAnswer* faulty) {
  const Span span("prompt");
  PromptForm form{
      .context_bytes = context_bytes,
      .overview_bytes = overview_bytes(engine.prompt_size(request.prompt_size), context_bytes),
      .names = names_in_problems(request)};
  // They take the room of lines around the region, so that reading takes no longer.
  for (const ForeignDefinition& definition :
       definitions_elsewhere(request, engine.tokenizer(), form.names, context_bytes))
    form.elsewhere += definition.title + definition.text;
  form.context_bytes -= form.elsewhere.size();
  return make_edit_prompt(engine.prompt_encoder(Purpose::kEdit), region, instruction, form, faulty);
}

Result<EditPlan> plan_region(Engine& engine, const EditRequest& request,
                             const std::string& instruction, const EditRegion& region) {
  const std::size_t bytes = context_bytes_of(engine, request);
  Result<EditPrompt> prompt = prompt_of(engine, request, instruction, region, bytes);
  if (!prompt) return prompt.error();
  return EditPlan{region, std::move(*prompt), bytes};
}

DecodeRequest edit_decode(Engine& engine, const EditRequest& request, const EditPlan& plan,
                          int max_new_tokens) {
  return {.prompt = plan.prompt.tokens,
          .shared_beginning = plan.prompt.before_instruction,
          .original = plan.prompt.original,
          .replacements = plan.prompt.replacements,
          .stop_tokens = plan.prompt.stop_tokens,
          .max_new_tokens = max_new_tokens,
          .rest_of_file = rest_of_file(engine, plan),
          .open_files = engine.open_files(request.beside),
          .repository = request.repository,
          .common = request.common};
}

Result<void> read_edit_ahead(Engine& engine, const EditRequest& request,
                             const std::function<void(double)>& on_read,
                             const std::stop_token& stop) {
  const PromptSize size = engine.prompt_size(request.prompt_size);
  ModelTask task = task_of(request);
  task.instruction = "-";
  task.retry_index = 0;
  const Result<EditDecision> decision =
      decide(request, task, {.region_bytes = edit_region_bytes(size)});
  if (!decision) return decision.error();
  const RegionEdit* edit = std::get_if<RegionEdit>(&*decision);
  if (edit == nullptr) {  // the instruction says which places
    on_read(1);
    return {};
  }
  Result<EditPrompt> prompt =
      prompt_of(engine, request, task.instruction, edit->region, context_bytes_of(engine, request));
  if (!prompt) return prompt.error();
  std::vector<TokenId> beginning = std::move(prompt->tokens);
  beginning.resize(static_cast<std::size_t>(prompt->before_instruction));
  const int before = engine.known_tokens(beginning, {});
  const int limit = prompt_limits(size).read_ahead;
  const int total = std::min(limit, static_cast<int>(beginning.size()) - before);
  const auto on_chunk = [&](int known) {
    on_read(std::clamp(static_cast<double>(known - before) / std::max(total, 1), 0.0, 1.0));
  };
  if (engine.read_ahead(beginning, limit, on_chunk, stop)) on_read(1);
  return {};
}

}  // namespace redraft
