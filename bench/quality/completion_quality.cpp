#include "bench/quality/completion_quality.h"

#include <utility>

#include "bench/step.h"

namespace redraft {

Result<CompletionQuality> measure_completion(LocalEngine& engine, const BenchTask& task,
                                             const RepositoryView& view,
                                             const CompletionQualityPlan& plan,
                                             const std::stop_token& stop) {
  const StepOptions options{
      .as_server = true, .prompt_size = plan.prompt_size, .context_tokens = plan.context_tokens};
  Result<BenchStep> step = make_step(engine, task, {.view = view}, options);
  if (!step) return step.error();
  const ServerEnd& end = *step->server_end;
  if (!end.reference) return Error("has no reference");
  DecodeRequest request = std::move(step->request);
  request.log_probabilities = 0;
  CompletionLimit limit(end.shape, end.around());
  engine.clear_caches();
  const Result<DecodeResult> result = engine.decode(
      Purpose::kCompletion, plan.decoder, request,
      [&](TokenId token) { return limit.add(engine.tokenizer().bytes(token)); }, stop);
  if (!result) return result.error();
  std::vector<double> logarithms;
  for (const EmittedLogProbability& each : result->log_probabilities)
    logarithms.push_back(each.log_probability);
  if (logarithms.size() < result->tokens.size()) return Error("its tokens have no probabilities");
  CompletionQuality quality;
  quality.suggestions = suggestions(engine.tokenizer(), end,
                                    {.tokens = result->tokens,
                                     .log_probabilities = logarithms,
                                     .cut_off = result->finish_reason == FinishReason::kLength,
                                     .stopped = result->finish_reason == FinishReason::kStop},
                                    *end.reference, plan.gates);
  quality.written = limit.text();
  quality.prompt_tokens = result->statistics.prompt_tokens;
  quality.new_tokens = result->statistics.new_tokens;
  quality.passes = result->statistics.passes;
  quality.prefill_seconds = result->statistics.prefill_seconds;
  quality.decode_seconds = result->statistics.decode_seconds;
  return quality;
}

}  // namespace redraft
