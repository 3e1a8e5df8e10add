// The transformer of every Architecture, on the CPU: all arithmetic is in the operators, all memory
// in buffers that outlive a pass. A pass first writes the rows of its context and draft into the
// cache's slots and then attends to them, so the tree alone decides what a row sees.
#include "decoding/model/transformer.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <time.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "decoding/model/activations.h"
#include "decoding/model/draft_head.h"
#include "decoding/model/layer_blocks.h"
#include "decoding/model/layer_inputs.h"
#include "decoding/model/mtp_block.h"
#include "decoding/model/operators.h"
#include "decoding/model/pass_work.h"
#include "decoding/model/recurrent_block.h"
#include "decoding/model/setting_trials.h"
#include "decoding/model/transformer_memory.h"
#include "decoding/model/weights.h"
#include "decoding/model_powers.h"
#include "decoding/pass_profile.h"
#include "decoding/sampling.h"

namespace redraft {

namespace {

int as_int(std::int64_t value) { return static_cast<int>(value); }

// A long context runs in blocks of this many rows, which keeps the buffers small; a row's bits do
// not depend on it.
constexpr int kContextBlock = 256;
// Rows that are so many may run apart from the last one, if that spares them some of the layers.
constexpr int kWorthAPass = 16;
// When tokens are scored, the logits of this many rows are stored at once.
constexpr int kScoredRows = 16;

// Arbitrary numbers of both signs, below one in magnitude.
at::Tensor any_rows(int count, int width) {
  at::Tensor rows = at::empty({count, width}, at::kFloat);
  float* values = rows.mutable_data_ptr<float>();
  std::minstd_rand random(1);
  for (std::int64_t i = 0; i < rows.numel(); ++i) {
    values[i] = static_cast<float>(random()) * 0x1p-30F - 1;
  }
  return rows;
}

class Transformer final : public LanguageModel,
                          private LayerSkipping,
                          private HeadDrafting,
                          private LayerCapture,
                          private PassMeasuring,
                          private SettingTrying {
 public:
  Transformer(std::string name, const TransformerShape& shape, Weights weights,
              std::optional<DraftHead> head, kernels::Isa isa, ThreadPool& pool)
      : name_(std::move(name)),
        shape_(shape),
        weights_(std::move(weights)),
        head_(std::move(head)),
        isa_(isa),
        pool_(pool),
        buffers_(shape, isa),
        blocks_(shape, weights_),
        kv_layers_(KvLayers::of(shape, weights_.mtp.has_value())),
        inputs_(shape_, weights_),
        recurrent_(RecurrentBlock::make(shape_, weights_, isa, pool)),
        trials_(setting_trials(shape, kTokens)) {
    if (weights_.mtp) mtp_.emplace(shape_, weights_, isa, blocks_);
    if (head_) captured_.select(head_->layers(), shape_.hidden);
  }

  std::string name() const override { return name_; }
  int vocabulary_size() const override { return shape_.vocabulary; }
  int context_length() const override { return shape_.context_length; }
  // The processor time of this process is that of its pool: even on a busy machine it tells what a
  // pass costs, whereas the wall clock also counts the time of other programs.
  double compute_seconds() const override {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec)) /
           pool_.threads();
  }

  std::unique_ptr<KvCache> new_cache(int capacity) const override {
    assert(capacity >= 1 && capacity <= context_length());
    const int recurrent = shape_.layers - shape_.attention_layers();
    auto state = recurrent == 0 && !mtp_
                     ? nullptr
                     : std::make_unique<RecurrentState>(
                           LayerStateSize{.heads = shape_.delta.state_floats(),
                                          .columns = shape_.convolution().column_floats()},
                           recurrent, mtp_ ? shape_.hidden : 0, *recurrent_);
    return std::make_unique<KvCache>(
        capacity, std::make_unique<TransformerKvStorage>(kv_layers_, capacity, std::move(state)));
  }

  std::unique_ptr<KvCache> filled_cache(int capacity, int length) override {
    const c10::InferenceMode inference;
    const operators::CpuScope scope(pool_, isa_);
    std::unique_ptr<KvCache> cache = new_cache(capacity);
    auto& storage = static_cast<TransformerKvStorage&>(*cache->storage());
    const at::Tensor rows = any_rows(
        kContextBlock, std::max(shape_.kv_width(), shape_.attention_heads(true).kv_width()));
    for (int slot = 0; slot < length; slot += kContextBlock) {
      const at::Tensor block = rows.narrow(0, 0, std::min(kContextBlock, length - slot));
      if (storage.windows()) storage.windows()->begin_pass(slot, as_int(block.size(0)), 0);
      for (int i = 0; i < storage.layers(); ++i) {
        const int width = shape_.attention_heads(storage.is_windowed(i)).kv_width();
        const at::Tensor own = block.narrow(1, 0, width).contiguous();
        operators::store_rows(own, slot, storage.keys(i));
        operators::store_rows(own, slot, storage.values(i));
      }
    }
    if (storage.recurrent()) storage.recurrent()->end_pass(length);
    cache->append(std::vector<TokenId>(static_cast<std::size_t>(length), 0), DraftTree());
    return cache;
  }

  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    assert(!context.empty() && (needs.every_row || draft.empty()));
    assert(cache.length() + static_cast<int>(context.size()) + draft.size() <= cache.capacity());
    const c10::InferenceMode inference;  // no autograd bookkeeping per operator
    const operators::CpuScope scope(pool_, isa_);
    if (profile_) profile_->begin_pass();
    const std::span<const TokenId> rest = read_ahead(context, cache);
    const int committed = cache.length() + static_cast<int>(context.size() - rest.size());
    const PassRows& rows = run_layers(rest, draft, committed, cache);
    cache.append(context, draft);
    Predictions out = predict(rows, static_cast<int>(rest.size()) - 1, 1 + draft.size(), needs);
    charge(PassPart::kOther);
    return out;
  }

  // A pass without some layers would leave a recurrent state that is of no use, or no keys for
  // layers that share them.
  LayerSkipping* layer_skipping() override {
    return shape_.recurrent.empty() && shape_.sharing_from == 0 ? this : nullptr;
  }
  HeadDrafting* head_drafting() override { return head_ || mtp_ ? this : nullptr; }
  LayerCapture* layer_capture() override { return this; }
  PassMeasuring* measuring() override { return this; }
  SettingTrying* setting_trying() override { return this; }

 private:
  void set_profile(PassProfile* profile) override {
    profile_ = profile;
    blocks_.set_profile(profile);
  }
  void charge(PassPart part) { blocks_.charge(part); }

  std::vector<std::string> trials() const override {
    std::vector<std::string> changes;
    for (const SettingTrial& trial : trials_) changes.push_back(trial.change);
    return {changes.begin() + 1, changes.end()};
  }
  void try_setting(std::optional<std::size_t> trial) override {
    const SettingTrial& now = trials_[trial ? *trial + 1 : 0];
    const c10::InferenceMode inference;
    shape_ = now.shape;
    kv_layers_ = KvLayers::of(shape_, mtp_.has_value());
    blocks_.set_settings(shape_, now.sink);
  }

  PassWork work(int rows, int context) const override {
    return pass_work(weights_, shape_, rows, context);
  }

  bool capture_layers(std::span<const int> layers) override {
    const auto exists = [this](int layer) { return layer >= 0 && layer < shape_.layers; };
    if (!std::all_of(layers.begin(), layers.end(), exists) ||
        std::adjacent_find(layers.begin(), layers.end(), std::greater_equal<>()) != layers.end())
      return false;
    if (head_ && !std::ranges::equal(layers, head_->layers())) return false;  // it reads its own
    captured_.select(layers, shape_.hidden);
    return true;
  }
  std::span<const float> captured(int row) const override { return captured_.row(row); }

  int head_tokens() const override { return mtp_ ? MtpBlock::kMaxTokens : head_->tokens(); }
  bool head_takes_steps() const override { return mtp_.has_value(); }
  std::vector<HeadPlace> head_draft(int row, TokenId token, int most, KvCache& cache) override {
    assert(token >= 0 && token < shape_.vocabulary);
    const c10::InferenceMode inference;
    const operators::CpuScope scope(pool_, isa_);
    if (mtp_) return mtp_->draft(token, most, cache);
    const at::Tensor id = at::empty({1}, at::kInt);
    *id.mutable_data_ptr<std::int32_t>() = token;
    const at::Tensor embedding = at::empty({1, shape_.hidden}, at::kFloat);
    blocks_.embed(id, embedding);
    std::vector<HeadPlace> places = head_->propose(captured_.row(row), embedding);
    places.resize(std::min(places.size(), static_cast<std::size_t>(std::max(most, 0))));
    return places;
  }

  int skippable_layers() const override { return shape_.layers; }

  double drafting_share(const SkippedLayers& skipped) const override {
    return pass_work(weights_, shape_, 1, 0, &skipped).bytes /
           pass_work(weights_, shape_, 1, 0).bytes;
  }

  DraftedToken draft_step(std::span<const TokenId> context, const SkippedLayers& skipped,
                          KvCache& cache) override {
    assert(!context.empty() && static_cast<int>(context.size()) <= kContextBlock);
    assert(cache.length() + static_cast<int>(context.size()) <= cache.capacity());
    assert(skipped.layers() == shape_.layers);
    const c10::InferenceMode inference;
    const operators::CpuScope scope(pool_, isa_);
    if (profile_) profile_->begin_pass();
    const PassRows& rows = run_layers(context, DraftTree(), cache.length(), cache, &skipped);
    cache.append(context, DraftTree());
    const DraftedToken drafted = best_token(rows, static_cast<int>(context.size()) - 1);
    charge(PassPart::kHead);
    return drafted;
  }

  // Reads what no prediction is asked for, as far as it is worth a pass of its own; returns the
  // rest. Where the last layers store nothing, the rows of such a pass end before them.
  std::span<const TokenId> read_ahead(std::span<const TokenId> context, KvCache& cache) {
    const bool ends_early = shape_.sharing_from > 0 && !mtp_;
    const int layers = ends_early ? shape_.sharing_from : shape_.layers;
    int committed = cache.length();
    const auto read = [&](std::size_t count) {
      run_layers(context.first(count), DraftTree(), committed, cache, nullptr, layers);
      context = context.subspan(count);
      committed += static_cast<int>(count);
    };
    while (context.size() > kContextBlock) read(kContextBlock);
    if (ends_early && context.size() > kWorthAPass) read(context.size() - 1);
    return context;
  }

  // Leaves the output of the last layer in the result's `hidden`. `skipped` may be null. If memory
  // runs out in the middle, the cache goes back to a length for which its state is known.
  const PassRows& run_layers(std::span<const TokenId> context, const DraftTree& draft,
                             int committed, KvCache& cache, const SkippedLayers* skipped = nullptr,
                             std::optional<int> layers = std::nullopt) {
    auto& storage = static_cast<TransformerKvStorage&>(*cache.storage());
    RecurrentState* const state = storage.recurrent();
    const auto context_rows = static_cast<int>(context.size());
    const PassRows& rows = buffers_.rows(context_rows + draft.size());
    if (storage.windows()) storage.windows()->begin_pass(committed, context_rows, draft.size());
    if (!state) {
      compute_layers(context, draft, committed, storage, rows, skipped,
                     layers.value_or(shape_.layers));
      return rows;
    }
    try {
      recurrent_->begin_pass({.context = context_rows, .parents = draft.parents()});
      state->begin_pass();
      compute_layers(context, draft, committed, storage, rows, skipped, shape_.layers);
      state->end_pass(committed + context_rows);
    } catch (...) {
      cache.forget_present_state();
      throw;
    }
    return rows;
  }

  void compute_layers(std::span<const TokenId> context, const DraftTree& draft, int committed,
                      TransformerKvStorage& storage, const PassRows& rows,
                      const SkippedLayers* skipped, int layers) {
    const int context_rows = static_cast<int>(context.size());
    fill_inputs(context, draft, committed, rows);
    charge(PassPart::kOther);
    blocks_.embed(rows.ids, rows.hidden);
    if (inputs_.exist()) inputs_.read(rows);
    charge(PassPart::kEmbedding);
    operators::TreeShape tree{.heads = shape_.heads,
                              .committed = committed,
                              .context = context_rows,
                              .window = 0,
                              .scale = shape_.attention_scale};
    int recurrent = 0;  // layers so far
    for (int i = 0; i < layers; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const LayerWeights& layer = weights_.layers[at];
      if (shape_.is_recurrent(i)) {
        recurrent_block(layer, rows, recurrent++, *storage.recurrent());
      } else if (!skipped || !skipped->attention[at]) {
        const int stored = kv_layers_.read[at];
        tree.window = shape_.has_window(i) ? shape_.window : 0;
        blocks_.attention(layer, rows, tree, storage.keys(stored), storage.values(stored));
      }
      if (!skipped || !skipped->feed_forward[at]) blocks_.feed_forward(layer, rows);
      if (inputs_.exist()) inputs_.add(i, rows);
      if (layer.output_scale != 1) operators::scale(rows.hidden, layer.output_scale);
      captured_.take(i, rows.hidden, context_rows - 1);
    }
    if (mtp_) {
      operators::rms_norm(rows.hidden, weights_.output_norm, shape_.epsilon, rows.normed);
      mtp_->read(rows, {.context = context_rows, .parents = draft.parents()}, committed, storage);
    }
  }

  void recurrent_block(const LayerWeights& layer, const PassRows& rows, int idx,
                       RecurrentState& state) {
    operators::rms_norm(rows.hidden, layer.attention_norm, shape_.epsilon, rows.normed);
    charge(PassPart::kNorm);
    recurrent_->run(idx, state, rows.normed, rows.quantized,
                    [this](PassPart part) { charge(part); });
    operators::add(rows.hidden, rows.normed);
    charge(PassPart::kNorm);
  }

  // Token ids, positions along the path, and parents, as the operators read them.
  void fill_inputs(std::span<const TokenId> context, const DraftTree& draft, int committed,
                   const PassRows& rows) {
    std::int32_t* ids = rows.ids.mutable_data_ptr<std::int32_t>();
    std::int32_t* positions = rows.positions.mutable_data_ptr<std::int32_t>();
    const int context_rows = static_cast<int>(context.size());
    std::copy(context.begin(), context.end(), ids);
    std::copy(draft.tokens().begin(), draft.tokens().end(), ids + context_rows);
    std::copy(draft.parents().begin(), draft.parents().end(),
              rows.parents.mutable_data_ptr<std::int32_t>());
    for (int r = 0; r < context_rows; ++r) positions[r] = committed + r;
    for (int i = 0; i < draft.size(); ++i) {
      // Ancestors come first, so the parent's position is known; parent -1 is the last context row.
      positions[context_rows + i] = 1 + positions[context_rows + draft.parents()[i]];
    }
    blocks_.reserve_positions(committed + context_rows + draft.size());
  }

  // What every reader of the head multiplies with it: the scale of the logits is in its input, so
  // that the best tokens, their logits and probabilities all have it.
  void norm_for_head(const at::Tensor& hidden, const at::Tensor& normed) const {
    operators::rms_norm(hidden, weights_.output_norm, shape_.epsilon, normed);
    if (shape_.logit_divisor != 1) operators::scale(normed, 1 / shape_.logit_divisor);
  }

  // The head for `count` rows, starting at `first`.
  Predictions predict(const PassRows& rows, int first, int count, const PredictionNeeds& needs) {
    const at::Tensor hidden = rows.hidden.narrow(0, first, count);
    const at::Tensor normed = rows.normed.narrow(0, 0, count);
    norm_for_head(hidden, normed);
    if (needs.logits) return read_logits(normed, rows.quantized, needs);
    const Activations input(normed, rows.quantized, {&weights_.head});
    charge(PassPart::kNorm);
    Predictions out;
    if (needs.top_k > 0) {
      const int k = std::min(needs.top_k, shape_.vocabulary);
      const at::Tensor ids = at::empty({count, k}, at::kInt);
      const at::Tensor logits = at::empty({count, k}, at::kFloat);
      operators::head_top_k(weights_.head, input.of(weights_.head), ids, logits);
      const std::int32_t* id = ids.const_data_ptr<std::int32_t>();
      if (shape_.logit_cap > 0) operators::cap_softly(logits, shape_.logit_cap);
      const float* logit = logits.const_data_ptr<float>();
      out.top_ids.assign(id, id + ids.numel());
      out.top_logits.assign(logit, logit + logits.numel());
      for (int r = 0; r < count; ++r) out.argmax.push_back(id[r * k]);
    } else {
      const at::Tensor best = at::empty({count}, at::kInt);
      operators::head_argmax(weights_.head, input.of(weights_.head), best);
      const std::int32_t* id = best.const_data_ptr<std::int32_t>();
      out.argmax.assign(id, id + count);
    }
    charge(PassPart::kHead);
    if (!needs.scored.empty()) out.log_probability = score(normed, needs.scored, rows.quantized);
    return out;
  }

  // With its probability, from the logits of one row.
  DraftedToken best_token(const PassRows& rows, int row) {
    const at::Tensor normed = rows.normed.narrow(0, 0, 1);
    norm_for_head(rows.hidden.narrow(0, row, 1), normed);
    const Activations input(normed, rows.quantized, {&weights_.head});
    const at::Tensor logits = at::empty({1, shape_.vocabulary}, at::kFloat);
    operators::linears({{weights_.head, input.of(weights_.head), logits}});
    const float* begin = logits.const_data_ptr<float>();
    const at::Tensor id = at::empty({1}, at::kInt);
    const auto best =
        static_cast<TokenId>(std::max_element(begin, begin + shape_.vocabulary) - begin);
    *id.mutable_data_ptr<std::int32_t>() = best;
    if (shape_.logit_cap > 0) operators::cap_softly(logits, shape_.logit_cap);
    const at::Tensor log_probability = at::empty({1}, at::kFloat);
    operators::log_probability(logits, id, log_probability);
    return {best, std::exp(*log_probability.const_data_ptr<float>())};
  }

  // Calls `take` with the logits of the rows from `first` on, of a few at a time.
  void for_logits(const at::Tensor& normed, const at::Tensor& quantized,
                  const std::function<void(int first, const at::Tensor& logits)>& take) {
    const auto count = static_cast<int>(normed.size(0));
    const int stored = std::min(kScoredRows, count);
    if (!logits_.defined() || logits_.size(0) < stored)
      logits_ = at::empty({stored, shape_.vocabulary}, at::kFloat);
    for (int r = 0; r < count; r += kScoredRows) {
      const int n = std::min(kScoredRows, count - r);
      const at::Tensor part = logits_.narrow(0, 0, n);
      const Activations input(normed.narrow(0, r, n), quantized, {&weights_.head});
      operators::linears({{weights_.head, input.of(weights_.head), part}});
      take(r, part);
    }
  }

  Predictions read_logits(const at::Tensor& normed, const at::Tensor& quantized,
                          const PredictionNeeds& needs) {
    assert(needs.top_k == 0 && needs.scored.empty());
    Predictions out;
    const auto vocabulary = static_cast<std::size_t>(shape_.vocabulary);
    for_logits(normed, quantized, [&](int first, const at::Tensor& part) {
      const auto row = [&](int r) {
        const auto at = static_cast<std::size_t>(r) * vocabulary;
        return std::span(part.const_data_ptr<float>() + at, vocabulary);
      };
      // Before the cap, which may round different logits to the same number.
      for (int r = 0; r < part.size(0); ++r) out.argmax.push_back(likeliest_token(row(r)));
      if (shape_.logit_cap > 0) operators::cap_softly(part, shape_.logit_cap);
      for (int r = 0; r < part.size(0); ++r) (*needs.logits)(first + r, row(r));
    });
    charge(PassPart::kHead);
    return out;
  }

  std::vector<float> score(const at::Tensor& normed, std::span<const TokenId> tokens,
                           const at::Tensor& quantized) {
    assert(static_cast<std::int64_t>(tokens.size()) == normed.size(0));
    std::vector<float> out(tokens.size());
    for_logits(normed, quantized, [&](int first, const at::Tensor& part) {
      const auto n = part.size(0);
      if (shape_.logit_cap > 0) operators::cap_softly(part, shape_.logit_cap);
      const at::Tensor ids = at::empty({n}, at::kInt);
      std::copy_n(tokens.begin() + first, n, ids.mutable_data_ptr<std::int32_t>());
      const at::Tensor result = at::empty({n}, at::kFloat);
      operators::log_probability(part, ids, result);
      std::copy_n(result.const_data_ptr<float>(), n, out.begin() + first);
    });
    return out;
  }

  std::string name_;
  TransformerShape shape_;
  Weights weights_;
  std::optional<DraftHead> head_;
  kernels::Isa isa_;
  ThreadPool& pool_;
  PassBuffers buffers_;
  LayerBlocks blocks_;
  KvLayers kv_layers_;
  LayerInputs inputs_;
  std::unique_ptr<RecurrentBlock> recurrent_;  // of a hybrid
  std::optional<MtpBlock> mtp_;                // of a hybrid that has one
  at::Tensor logits_;  // [up to kScoredRows, vocabulary], once they are needed
  CapturedLayers captured_;
  std::vector<SettingTrial> trials_;  // the first one is what the files state
  PassProfile* profile_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<LanguageModel>> load_transformer(std::shared_ptr<const ModelFiles> files,
                                                        kernels::Isa isa, ThreadPool& pool,
                                                        const LoadControl& control) {
  at::set_num_threads(1);  // our own pool computes
  const c10::InferenceMode inference;
  Result<TransformerShape> shape = files->shape();
  if (!shape) return shape.error();
  if (files->draft_head()) shape->mtp_blocks = 0;  // a trained head takes the MTP block's place
  Result<Weights> weights = Weights::load(*files, *shape, pool, control);
  if (!weights) return weights.error();
  std::optional<DraftHead> head;
  if (const DraftHeadFiles* head_files = files->draft_head()) {
    Result<DraftHead> loaded = DraftHead::load(*head_files, shape->epsilon, isa, pool, control);
    if (!loaded) return loaded.error();
    head.emplace(std::move(*loaded));
  }
  files->release_pages();
  return std::unique_ptr<LanguageModel>(std::make_unique<Transformer>(
      files->name(), *shape, std::move(*weights), std::move(head), isa, pool));
}

}  // namespace redraft
