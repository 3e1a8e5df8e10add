#include "bench/methods/fastcoder.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "bench/methods/lab_decoders.h"
#include "bench/methods/retrieval_tree.h"
#include "bench/methods/search_counts.h"
#include "decoding/drafting/methods/source_plan.h"
#include "support/named_thread.h"
#include "support/seconds_since.h"

namespace redraft {
namespace {

// Size in tokens of the smaller of two stores, above which a search takes longer than starting a
// thread.
constexpr std::size_t kWorthAThread = std::size_t{8} << 20;

Continuations search(const Datastore* store, std::span<const TokenId> context,
                     const ContinuationQuery& query) {
  return store ? store->continuations(context, query) : Continuations();
}

// Searches both stores, in parallel if both are large.
std::pair<Continuations, Continuations> search_both(const Datastore* repository,
                                                    const Datastore* common,
                                                    std::span<const TokenId> context,
                                                    const ContinuationQuery& query) {
  if (!repository || !common ||
      std::min(repository->token_count(), common->token_count()) < kWorthAThread) {
    return {search(repository, context, query), search(common, context, query)};
  }
  auto other = run_named("redraft-search", [&] { return search(common, context, query); });
  Continuations own = search(repository, context, query);
  return {std::move(own), other.get()};
}

// How many tokens of `written` lie on a path from the root of `tree`.
std::size_t accepted_of(const DraftTree& tree, std::span<const TokenId> written) {
  std::size_t accepted = 0;
  int at = -1;
  for (int node = 0; node < tree.size() && accepted < written.size(); ++node) {
    if (tree.parents()[node] != at || tree.tokens()[node] != written[accepted]) continue;
    at = node;
    ++accepted;
  }
  return accepted;
}

}  // namespace

FastCoderSource::FastCoderSource(const FastCoderOptions& options, FastCoderStores stores,
                                 std::size_t prompt_size, const LineTable* lines,
                                 FastCoderState& state)
    : options_(options),
      stores_(std::move(stores)),
      lines_(lines),
      state_(state),
      random_(static_cast<std::mt19937::result_type>(options.seed)),
      written_begin_(prompt_size) {
  state_.missing.follow(stores_.repository, stores_.common);
}

DraftTree FastCoderSource::draft(std::span<const TokenId> context, int limit) {
  const int most = std::min(options_.retrieval.nodes, limit);
  if (options_.cache) {
    learn(context);
    WeighedContinuations cached = ask_cache(context);
    if (cached.found.matched > 0) return retrieval_tree(cached, {}, most, DraftOrigin::kCache);
  }
  if ((!stores_.repository && !stores_.common) || !worth_a_search(context)) return {};
  retrieved_ = retrieve(context, most);
  draft_begin_ = context.size();
  return retrieved_;
}

// A cache that has not opened yet is not searched.
WeighedContinuations FastCoderSource::ask_cache(std::span<const TokenId> context) {
  const auto start = std::chrono::steady_clock::now();
  WeighedContinuations cached{state_.cache.continuations(context, options_.retrieval.query)};
  if (!state_.cache.open()) return cached;
  ++searches_of_this_thread().cache_asked;
  searches_of_this_thread().cache_hits += cached.found.matched > 0 ? 1 : 0;
  searches_of_this_thread().cache_seconds += seconds_since(start);
  return cached;
}

void FastCoderSource::learn(std::span<const TokenId> context) {
  const DraftTree tree = std::exchange(retrieved_, {});
  if (const std::size_t accepted = accepted_of(tree, context.subspan(draft_begin_)); accepted > 0) {
    const auto longest = static_cast<std::size_t>(options_.retrieval.query.longest);
    const std::size_t before = std::min(draft_begin_, longest);
    state_.cache.add(context.subspan(draft_begin_ - before, before + accepted));
  }
  const auto every = static_cast<std::size_t>(options_.every);
  for (; context.size() - written_begin_ >= every; written_begin_ += every)
    state_.cache.add(context.subspan(written_begin_, every));
}

// Algorithm 1 would draw a random number only at the beginning of a line and retrieve nowhere else.
// The text and the figure of the paper retrieve everywhere else, and so does this.
bool FastCoderSource::worth_a_search(std::span<const TokenId> context) {
  const auto shortest = static_cast<std::size_t>(options_.retrieval.query.shortest);
  if (context.size() < shortest) return false;
  if (!options_.strategy) return true;
  if (state_.missing.contains(context.last(shortest))) {
    ++searches_of_this_thread().searches_missing;
    return false;
  }
  if (!lines_ || !lines_->at_line_start(context)) return true;
  if (std::bernoulli_distribution(options_.p)(random_)) return true;
  ++searches_of_this_thread().searches_skipped;
  return false;
}

DraftTree FastCoderSource::retrieve(std::span<const TokenId> context, int most) {
  const ContinuationQuery& query = options_.retrieval.query;
  const auto start = std::chrono::steady_clock::now();
  auto [repository, common] =
      search_both(stores_.repository.get(), stores_.common.get(), context, query);
  ++searches_of_this_thread().searches;
  searches_of_this_thread().search_seconds += seconds_since(start);
  if (repository.matched == 0 && common.matched == 0) {
    state_.missing.insert(context.last(static_cast<std::size_t>(query.shortest)));
    return {};
  }
  return retrieval_tree({std::move(repository), options_.alpha}, {std::move(common), options_.beta},
                        most, DraftOrigin::kRetrieval);
}

}  // namespace redraft
