#include "bench/methods/rest.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "bench/methods/lab_decoders.h"
#include "bench/methods/retrieval_tree.h"
#include "bench/methods/search_counts.h"
#include "decoding/drafting/methods/source_plan.h"
#include "support/seconds_since.h"

namespace redraft {

RestSource::RestSource(std::shared_ptr<const Datastore> store, const RetrievalOptions& options)
    : store_(std::move(store)), options_(options) {}

DraftTree RestSource::draft(std::span<const TokenId> context, int limit) {
  if (!store_) return {};
  const auto start = std::chrono::steady_clock::now();
  WeighedContinuations found{store_->continuations(context, options_.query)};
  ++searches_of_this_thread().searches;
  searches_of_this_thread().search_seconds += seconds_since(start);
  return retrieval_tree(std::move(found), {}, std::min(options_.nodes, limit),
                        DraftOrigin::kRetrieval);
}

const DecoderDefinition& rest_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "rest",
      .summary = "REST: what followed the last tokens in a datastore, as a tree",
      .options = RetrievalOptions::declared(),
      .make_plan = [](const PlanInputs& inputs) -> std::unique_ptr<PhasePlan> {
        // Uses one store, as in the paper: common code, or the repository if there is none.
        const DecodeRequest& request = inputs.request;
        return std::make_unique<SourcePlan>(
            std::make_unique<RestSource>(request.common ? request.common : request.repository,
                                         RetrievalOptions::from(inputs.options)));
      },
      .uses_datastores = true,
  };
  return kDefinition;
}

}  // namespace redraft
