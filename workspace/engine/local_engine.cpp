#include "workspace/engine/local_engine.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <utility>

#include "decoding/chunk_sizer.h"
#include "decoding/draft_tree.h"
#include "decoding/model_failure.h"
#include "decoding/model_powers.h"
#include "support/seconds_since.h"
#include "support/trace/trace.h"
#include "text/same_vocabulary.h"
#include "workspace/engine/model_check.h"

namespace redraft {
namespace {

std::shared_ptr<const LineTable> lines_of(const Tokenizer& tokenizer) {
  return std::make_shared<LineTable>(tokenizer.vocabulary_size(),
                                     [&](TokenId token) { return tokenizer.bytes(token); });
}

EngineInfo info_of(const LocalEngine::Model& target, const LocalEngine::Model& draft,
                   int context_length) {
  return {.target_name = target.name,
          .target_title = target.title,
          .draft_name = draft.model ? draft.name : std::string(),
          .device = target.device,
          .context_length = context_length};
}

// Makes what `from` holds of the prompt's beginning part of the lease, if it holds more of it.
void copy_beginning(const KvCache& from, std::span<const TokenId> prompt,
                    PrefixPool::Lease& lease) {
  const int shared = from.usable_prefix(prompt);
  if (shared <= lease.cache().usable_prefix(prompt)) return;
  try {
    lease.replace(from.fork(shared));
  } catch (const ModelFailure&) {
    // The device has no memory for a copy: it is read.
  }
}

// Without room for these no cache of a model with a large state would fit.
std::size_t bytes_of_states(const LanguageModel* model) {
  if (model == nullptr) return 0;
  const std::unique_ptr<KvCache> cache = model->new_cache(1);
  const SequenceState* const state = cache->storage() ? cache->storage()->state() : nullptr;
  return state ? kStatesOfACache * state->bytes() : 0;
}

}  // namespace

LocalEngine::LocalEngine(Model target, Model draft, int context_length,
                         const EngineOptions& options)
    : Engine(info_of(target, draft, context_length), target.tokenizer),
      target_(std::move(target)),
      draft_(std::move(draft)),
      caches_(context_length, options.cache_bytes + bytes_of_states(target_.model.get()) +
                                  bytes_of_states(draft_.model.get())),
      lines_(lines_of(*target_.tokenizer)),
      memories_(PerPurpose<DecoderMemory>::made_by(
          [this] { return DecoderMemory(lines_, target_.tokenizer); })),
      costs_(target_.find_cost, target_.keep_cost) {
  const auto reclaim = [this, notice = options.notice, told = false]() mutable {
    if (!caches_.shrink()) return false;
    if (notice && !std::exchange(told, true))
      notice("Memory is short where the model runs: less is remembered of earlier requests.");
    return true;
  };
  for (const Model* model : {&target_, &draft_}) {
    MemoryReclaiming* const memory = model->model ? model->model->memory_reclaiming() : nullptr;
    if (memory) memory->set_reclaim(reclaim);
  }
  for (DecoderMemory& memory : memories_.values) memory.set_skipped_layers(target_.skipped_layers);
}

Result<std::unique_ptr<LocalEngine>> LocalEngine::make(Model target, Model draft,
                                                       const EngineOptions& options) {
  if (!target.model || !target.tokenizer)
    return Error("no target model was given: an edit needs one");
  if (options.context_limit < 1) {
    return Error("a context of " + std::to_string(options.context_limit) + " tokens holds nothing");
  }
  int context_length = std::min(options.context_limit, target.model->context_length());
  if (draft.model) {
    if (!draft.tokenizer) return Error("draft model " + draft.name + " has no tokenizer");
    if (!same_vocabulary(*target.tokenizer, *draft.tokenizer)) {
      return Error("draft model " + draft.name + " has another vocabulary than target " +
                   target.name + ": take a smaller model of the same family, or none");
    }
    context_length = std::min(context_length, draft.model->context_length());
  }
  return std::unique_ptr<LocalEngine>(
      new LocalEngine(std::move(target), std::move(draft), context_length, options));
}

bool LocalEngine::is_current() const {
  for (const Model* model : {&target_, &draft_}) {
    if (model->is_current && !model->is_current()) return false;
  }
  return true;
}

bool LocalEngine::ask_for_check() {
  return keep_check_ && !check_ && !std::exchange(check_arranged_, true);
}

void LocalEngine::check_quickly(const std::function<bool()>& go_on) {
  check_arranged_ = false;
  if (!keep_check_ || check_) return;
  const Span span("check the model");
  const std::optional<CheckVerdict> verdict =
      redraft::check_quickly(*target_.model, tokenizer(), go_on);
  if (verdict) keep_check(*verdict);
}

PromptSize LocalEngine::choose_prompt_size() {
  const auto speed = [this] { return cost_curve().tokens_read_in(1, context_length()); };
  return target_.choose_prompt_size ? target_.choose_prompt_size(speed) : prompt_size_for(speed());
}

int LocalEngine::known_tokens(std::span<const TokenId> prompt, const std::stop_token& stop) {
  restore_from_archive(prompt, stop);
  return caches_.known(*target_.model, prompt);
}

bool LocalEngine::read_prompts(std::span<const std::vector<TokenId>> prompts, int limit,
                               const OnChunk& on_chunk, const std::stop_token& stop) {
  std::vector<PrefixPool::Lease> leases;  // kept until the end: what is lent is not found
  for (const std::vector<TokenId>& prompt : prompts) {
    if (!fits(prompt)) return false;
    leases.push_back(caches_.acquire(*target_.model, prompt));
    if (leases.size() > 1) copy_beginning(leases.front().cache(), prompt, leases.back());
    KvCache& cache = leases.back().cache();
    const auto book = [&](int rows, double seconds) {
      read_ahead_work_.tokens += rows;
      read_ahead_work_.seconds += seconds;
      on_chunk(cache.length());
    };
    if (!read_into(cache, prompt, limit, book, stop)) return false;
  }
  return true;
}

std::optional<CacheMemory> LocalEngine::cache_memory() const {
  const PrefixPool::Statistics now = caches_.statistics();
  return CacheMemory{now.bytes, now.budget};
}

bool LocalEngine::read_into(KvCache& cache, std::span<const TokenId> beginning, int limit,
                            const OnChunkRead& on_chunk, const std::stop_token& stop) {
  ChunkSizer chunks(cost_curve());
  const int end = std::min(cache.length() + limit, static_cast<int>(beginning.size()));
  while (cache.length() < end) {
    if (stop.stop_requested()) return false;
    const int rows = std::min(chunks.rows(), end - cache.length());
    const Span span("read ahead", "tokens", rows);
    const auto began = std::chrono::steady_clock::now();
    target_.model->forward(beginning.subspan(static_cast<std::size_t>(cache.length()), rows),
                           DraftTree(), cache, PredictionNeeds{.every_row = false});
    const double seconds = seconds_since(began);
    chunks.measured(rows, seconds);
    on_chunk(rows, seconds);
  }
  cache.remember();  // requests begin with it
  return cache.length() == std::ssize(beginning);
}

std::vector<TokenId> LocalEngine::likeliest(std::span<const TokenId> context, int count) {
  const PrefixPool::Lease lease = caches_.acquire(*target_.model, context);
  KvCache& cache = lease.cache();
  const int known = cache.truncate_to_common_prefix(context.first(context.size() - 1));
  const Predictions predictions =
      target_.model->forward(context.subspan(static_cast<std::size_t>(known)), DraftTree(), cache,
                             {.every_row = false, .top_k = count});
  return predictions.top_ids;
}

std::optional<std::vector<Engine::Alternative>> LocalEngine::alternatives(
    std::span<const TokenId> prompt, std::span<const TokenId> output,
    const std::function<void(const DecodeStatistics&)>& on_pass, const std::stop_token& stop) {
  const Span span("alternatives", "tokens", std::ssize(output));
  std::vector<TokenId> all(prompt.begin(), prompt.end());
  all.insert(all.end(), output.begin(), output.end());
  const PrefixPool::Lease lease = caches_.acquire(*target_.model, all);
  KvCache& cache = lease.cache();
  const std::span<const TokenId> before = prompt.first(prompt.size() - 1);
  cache.truncate_to_common_prefix(before);
  DecodeStatistics cost;
  const auto on_chunk = [&](int rows, double seconds) {
    cost.prefilled_tokens += rows;
    cost.prefill_seconds += seconds;
    on_pass(cost);
  };
  if (!read_into(cache, before, static_cast<int>(before.size()), on_chunk, stop))
    return std::nullopt;
  std::vector<Alternative> found;
  ChunkSizer chunks(cost_curve());
  while (found.size() < output.size()) {
    if (stop.stop_requested()) return std::nullopt;
    // The row of a token predicts the next one: the last token's own row is not needed.
    const std::size_t rows =
        std::min(static_cast<std::size_t>(chunks.rows()), output.size() - found.size());
    const auto part = std::span(all).subspan(before.size() + found.size(), rows);
    const DraftTree draft = DraftTree::chain(part.subspan(1), DraftOrigin::kOther);
    const auto began = std::chrono::steady_clock::now();
    const Predictions predicted = target_.model->forward(part.first(1), draft, cache, {.top_k = 2});
    std::vector<int> path(rows - 1);
    std::iota(path.begin(), path.end(), 0);
    cache.keep(path);
    const double seconds = seconds_since(began);
    chunks.measured(static_cast<int>(rows), seconds);
    for (std::size_t row = 0; row < rows; ++row) {
      const TokenId best = predicted.top_ids[2 * row], second = predicted.top_ids[2 * row + 1];
      const float margin = predicted.top_logits[2 * row] - predicted.top_logits[2 * row + 1];
      found.push_back({best == output[found.size()] ? second : best, margin});
    }
    cost.passes += 1;
    cost.rows += static_cast<int>(rows);
    cost.decode_seconds += seconds;
    on_pass(cost);
  }
  return found;
}

void LocalEngine::set_archive(KvArchive archive, std::function<void(const Error&)> on_problem) {
  on_archive_problem_ = std::move(on_problem);
  if (KeptPrompts::offers_rows(*target_.model))
    kept_prompts_.emplace(std::move(archive), caches_, *target_.model);
}

void LocalEngine::restore_from_archive(std::span<const TokenId> tokens,
                                       const std::stop_token& stop) {
  if (kept_prompts_) kept_prompts_->restore(tokens, cost_curve(), stop);
}

std::vector<std::vector<TokenId>> LocalEngine::take_read_prompts() {
  return kept_prompts_ ? kept_prompts_->take_read() : std::vector<std::vector<TokenId>>();
}

void LocalEngine::save(std::span<const TokenId> prompt, const std::string& source,
                       const std::function<bool()>& go_on) {
  if (!kept_prompts_) return;
  const Result<void> saved = kept_prompts_->save(prompt, source, cost_curve(), go_on);
  if (!saved && on_archive_problem_) on_archive_problem_(saved.error());
}

Result<DecodeResult> LocalEngine::run(Purpose purpose, const DecoderName& name,
                                      const DecodeRequest& request, const TokenSink& sink,
                                      std::stop_token stop, Remembering remembering) {
  costs_.correct();
  const CostCurve cost = name.needs_cost() ? cost_curve() : CostCurve();
  const bool kept = purpose == Purpose::kEdit && remembering == Remembering::kShared;
  if (kept) restore_from_archive(request.prompt, stop);
  if (kept && kept_prompts_) kept_prompts_->add_read(request.prompt);
  std::optional<Span> taking_caches(std::in_place, TraceName("take caches"));
  const PrefixPool::Lease target = caches_.acquire(*target_.model, request.prompt);
  std::optional<PrefixPool::Lease> draft;
  if (draft_.model && name.needs_draft_model())
    draft.emplace(caches_.acquire(*draft_.model, request.prompt));
  taking_caches.reset();
  DecoderMemory own(lines_, target_.tokenizer);
  own.set_skipped_layers(target_.skipped_layers);
  DecoderMemory& memory = remembering == Remembering::kShared ? memories_[purpose] : own;
  Result<std::unique_ptr<Decoder>> decoder =
      Decoder::make(name, {target_.model.get(), &target.cache()},
                    {draft_.model.get(), draft ? &draft->cache() : nullptr}, cost, &memory);
  if (!decoder) return decoder.error();
  DecodeRequest observed = request;
  if (!reads_indexes()) observed.repository = observed.common = nullptr;  // other tokens
  observed.on_pass = [this](int rows, int context, double seconds) {
    costs_.measured(rows, context, seconds);
  };
  return run_observed(**decoder, purpose, name, std::move(observed), sink, std::move(stop));
}

Result<std::unique_ptr<Engine>> as_engine(Result<std::unique_ptr<LocalEngine>> local) {
  if (!local) return local.error();
  return std::unique_ptr<Engine>(*std::move(local));
}

}  // namespace redraft
