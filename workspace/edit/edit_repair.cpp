#include "workspace/edit/edit_repair.h"

#include <utility>

#include "support/trace/trace.h"
#include "workspace/edit/edit_run.h"
#include "workspace/edit/prompt.h"

namespace redraft {
namespace {

// Of one request that is asked again: it takes no notice of hunks before the end.
Result<EditResult> ask_again(Engine& engine, const EditRequest& request, const EditPlan& plan,
                             const EditResult& first, const EditObserver& observer,
                             const std::stop_token& stop) {
  const Span span("repair");
  const FaultyAnswer faulty{.text = first.output, .fault = reasons_of(first.doubts)};
  Result<EditPrompt> prompt = prompt_of(engine, request, plan.region, plan.context_bytes, &faulty);
  if (!prompt) return prompt.error();
  const Result<int> budget =
      edit_token_budget(*prompt, request.max_new_tokens, engine.context_length());
  if (!budget) return budget.error();
  // It begins where the first answer ended, for whoever shows progress.
  const EditObserver quiet{.on_progress = [&](const EditProgress& progress) {
    if (!observer.on_progress) return;
    DecodeStatistics all = first.statistics;
    all += progress.statistics;
    observer.on_progress({progress.fraction, all});
  }};
  EditRun run(engine, request, plan.context_bytes, quiet, stop);
  return run.whole(plan.region, std::move(*prompt), *budget);
}

bool is_better(const EditResult& second, const EditResult& first) {
  return second.finish_reason == FinishReason::kStop && !second.hunks.empty() &&
         second.doubts.size() < first.doubts.size();
}

}  // namespace

void repair(Engine& engine, const EditRequest& request, const EditPlan& plan,
            const EditObserver& observer, const std::stop_token& stop, EditResult& result) {
  if (result.doubts.empty() || result.finish_reason != FinishReason::kStop) return;
  Result<EditResult> second = ask_again(engine, request, plan, result, observer, stop);
  if (!second) return;
  result.repair = EditRepair{.doubts_before = result.doubts, .statistics = second->statistics};
  if (!is_better(*second, result)) return;
  result.repair->taken = true;
  for (Hunk& hunk : second->hunks) hunk.id += static_cast<int>(result.hunks.size());
  result.hunks = std::move(second->hunks);
  result.text = std::move(second->text);
  result.doubts = std::move(second->doubts);
  if (observer.on_replaced) observer.on_replaced(result.hunks);
}

}  // namespace redraft
