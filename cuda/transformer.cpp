// The transformer of llama, qwen2 and qwen3 on a GPU: what decoding/model/transformer.cpp is on the
// CPU, of fewer and larger operators. A pass sends its tokens, positions and paths in one copy,
// queues its kernels, and gets back what was asked for. The passes of verification, few rows of
// which only the best token is wanted, are recorded once for a number of rows and of spans and then
// queued as a whole.
#include "cuda/transformer.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cuda/attention.h"
#include "cuda/device_cache.h"
#include "cuda/device_weights.h"
#include "cuda/head.h"
#include "cuda/pass_memory.h"
#include "decoding/acceptance.h"

namespace redraft::cuda {
namespace {

// A long context runs in blocks of so many rows, so that buffers stay small: attention's grow with
// the spans that a row sees.
constexpr int kContextBlock = 512;
constexpr int kRowsTimesSpans = 8192;
int rows_of_block(int committed) {
  const int spans = (committed + kContextBlock) / kSpan + 1;
  return std::clamp(kRowsTimesSpans / spans / kSpan * kSpan, kSpan / 2, kContextBlock);
}
// Rows whose logits exist at once.
constexpr int kLogitRows = 16;
// Numbers of rows for which passes are recorded; others are filled up to the next.
constexpr int kRecordedRows[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, kMostRecordedRows};
// A recording takes some hundred kilobytes.
constexpr std::size_t kMostRecordings = 64;

class Transformer : public LanguageModel {
 public:
  Transformer(std::string name, const TransformerShape& shape, DeviceWeights weights,
              std::shared_ptr<DeviceQueue> queue)
      : name_(std::move(name)),
        shape_(shape),
        queue_(std::move(queue)),
        weights_(std::move(weights)),
        memory_(shape, *queue_) {}

  std::string name() const override { return name_; }
  int vocabulary_size() const override { return shape_.vocabulary; }
  int context_length() const override { return shape_.context_length; }

  std::unique_ptr<KvCache> new_cache(int capacity) const override {
    const DeviceKvStorage::Shape shape{shape_.layers, shape_.kv_heads, shape_.head_dim};
    // Rows that fill up a recorded pass have slots as well.
    return std::make_unique<KvCache>(
        capacity, std::make_unique<DeviceKvStorage>(shape, capacity + kMostRecordedRows, queue_));
  }

  std::unique_ptr<KvCache> filled_cache(int capacity, int length) override {
    use_device();
    std::unique_ptr<KvCache> cache = new_cache(capacity);
    static_cast<DeviceKvStorage&>(*cache->storage()).fill(length);
    cache->append(std::vector<TokenId>(static_cast<std::size_t>(length), 0), DraftTree());
    return cache;
  }

  void set_reclaim(std::function<bool()> reclaim) override {
    queue_->set_reclaim(std::move(reclaim));
  }

  PassWork work(int rows, int context) const override {
    PassWork work;
    work.bytes = static_cast<double>(weights_.bytes_of_pass) +
                 4.0 * shape_.layers * shape_.kv_width() * context;
    const double width = shape_.query_width();
    double weights = static_cast<double>(shape_.vocabulary) * shape_.hidden;
    weights +=
        shape_.layers * (2.0 * width * shape_.hidden + 2.0 * shape_.kv_width() * shape_.hidden +
                         3.0 * shape_.feed_forward * shape_.hidden);
    const double seen = rows * (context + (rows + 1) / 2.0);
    work.float_macs = rows * weights + 2.0 * shape_.layers * width * seen;
    return work;
  }

  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    assert(!context.empty() && (needs.every_row || draft.empty()));
    assert(cache.length() + static_cast<int>(context.size()) + draft.size() <= cache.capacity());
    use_device();
    auto& storage = static_cast<DeviceKvStorage&>(*cache.storage());
    int committed = cache.length();
    storage.reserve(committed + static_cast<int>(context.size()) + draft.size() +
                    kMostRecordedRows);
    std::span<const TokenId> rest = context;
    for (std::size_t block = rows_of_block(committed); rest.size() > block;
         block = rows_of_block(committed)) {
      run_layers(rest.first(block), DraftTree(), committed, storage);
      rest = rest.subspan(block);
      committed += static_cast<int>(block);
    }
    const int rows = static_cast<int>(rest.size()) + draft.size();
    const int first = static_cast<int>(rest.size()) - 1;
    Predictions out;
    if (rows <= kMostRecordedRows && needs.top_k == 0 && needs.scored.empty()) {
      run_recorded(rest, draft, committed, storage);
      take_best(first, 1 + draft.size(), out);
    } else {
      run_layers(rest, draft, committed, storage);
      out = predict(first, 1 + draft.size(), needs);
    }
    cache.append(context, draft);
    return out;
  }

 private:
  Stream stream() const { return queue_->stream(); }

  // What a recording depends on besides what begin_pass() sends.
  struct Recorded {
    int rows;
    int longest;
    const std::uint16_t* keys;  // of the cache's first layer
    int slots;
    bool operator<(const Recorded& other) const {
      return std::tie(rows, longest, keys, slots) <
             std::tie(other.rows, other.longest, other.keys, other.slots);
    }
  };

  // The whole pass with the best token of every row in memory_.best().
  void run_recorded(std::span<const TokenId> context, const DraftTree& draft, int committed,
                    const DeviceKvStorage& storage) {
    const int own_rows = static_cast<int>(context.size()) + draft.size();
    const int rows = *std::ranges::lower_bound(kRecordedRows, own_rows);
    memory_.begin_pass(context, draft, committed, rows);
    if (memory_.generation() != recorded_generation_ || recordings_.size() >= kMostRecordings) {
      queue_->wait();  // none of them is under way
      recordings_.clear();
      recorded_generation_ = memory_.generation();
    }
    const KvMemory kv = storage.kv(0);
    const auto [found, is_new] =
        recordings_.try_emplace({rows, memory_.longest(), kv.keys, kv.slots});
    if (is_new) {
      found->second = queue_->record([&] {
        queue_layers(rows, storage);
        queue_best(0, rows);
      });
    }
    queue_->queue(found->second);
  }

  void run_layers(std::span<const TokenId> context, const DraftTree& draft, int committed,
                  const DeviceKvStorage& storage) {
    memory_.begin_pass(context, draft, committed);
    queue_layers(static_cast<int>(context.size()) + draft.size(), storage);
  }

  // Leaves the last layer's output in hidden(), but for what its feed-forward block adds.
  void queue_layers(int rows, const DeviceKvStorage& storage) {
    embedding(weights_.embedding, memory_.ids(), rows, memory_.hidden(), stream());
    const float* added = nullptr;
    for (int i = 0; i < shape_.layers; ++i) {
      const DeviceLayer& layer = weights_.layers[static_cast<std::size_t>(i)];
      attention_block(layer, rows, added, storage.kv(i));
      feed_forward_block(layer, rows);
      added = memory_.block_output();
    }
  }

  // hidden += added, and the norm of it for `reader`.
  Rows normed(const float* weight, const float* added, int rows, const DeviceLinear& reader) {
    const RowsOut out = memory_.rounded(reads_bfloats(reader.weight.format));
    add_norm({memory_.hidden(), added, weight, static_cast<float>(shape_.epsilon), shape_.hidden},
             rows, out, stream());
    return {out.values, out.scales};
  }

  void multiply(const DeviceLinear& linear, const Rows& x, int rows, float* y, int ldy) {
    cuda::linear(linear.weight, x, rows, linear.bias, y, ldy, stream());
  }

  void attention_block(const DeviceLayer& layer, int rows, const float* added, const KvMemory& kv) {
    const Rows x = normed(layer.attention_norm, added, rows, layer.query);
    const int width = shape_.query_width(), kv_width = shape_.kv_width();
    const int all = width + 2 * kv_width;
    float* qkv = memory_.wide();
    multiply(layer.query, x, rows, qkv, all);
    multiply(layer.key, x, rows, qkv + width, all);
    multiply(layer.value, x, rows, qkv + width + kv_width, all);
    rotate_append({.qkv = qkv,
                   .heads = shape_.heads,
                   .kv_heads = shape_.kv_heads,
                   .head_dim = shape_.head_dim,
                   .query_norm = layer.query_norm,
                   .key_norm = layer.key_norm,
                   .epsilon = static_cast<float>(shape_.epsilon),
                   .cosines = memory_.cosines(),
                   .sines = memory_.sines(),
                   .positions = memory_.positions(),
                   .slots = memory_.slots(),
                   .kv = kv,
                   .queries = memory_.queries()},
                  rows, stream());
    const Attention of{memory_.queries(), kv, shape_.heads, shape_.kv_heads, shape_.head_dim,
                       memory_.paths()};
    const RowsOut attended = memory_.rounded(reads_bfloats(layer.attention_output.weight.format));
    attention(of, rows, memory_.longest(), memory_.scratch(), attended, stream());
    multiply(layer.attention_output, {attended.values, attended.scales}, rows,
             memory_.block_output(), shape_.hidden);
  }

  void feed_forward_block(const DeviceLayer& layer, int rows) {
    const Rows x = normed(layer.feed_forward_norm, memory_.block_output(), rows, layer.gate);
    const int width = shape_.feed_forward;
    float* gate_up = memory_.wide();
    multiply(layer.gate, x, rows, gate_up, 2 * width);
    multiply(layer.up, x, rows, gate_up + width, 2 * width);
    const RowsOut active = memory_.rounded(reads_bfloats(layer.down.weight.format));
    silu_mul(gate_up, gate_up + width, 2 * width, rows, width, active, stream());
    multiply(layer.down, {active.values, active.scales}, rows, memory_.block_output(),
             shape_.hidden);
  }

  // What the head reads of `count` rows from `first` on.
  Rows normed_output(int first, int count) {
    const RowsOut out = memory_.rounded(reads_bfloats(weights_.head.weight.format));
    const auto skipped = static_cast<std::size_t>(first) * static_cast<std::size_t>(shape_.hidden);
    add_norm({memory_.hidden() + skipped, memory_.block_output() + skipped, weights_.output_norm,
              static_cast<float>(shape_.epsilon), shape_.hidden},
             count, out, stream());
    return {out.values, out.scales};
  }

  void queue_best(int first, int count) {
    linear_argmax(weights_.head.weight, normed_output(first, count), count, memory_.keys(),
                  memory_.best(), stream());
  }

  void take_best(int first, int count, Predictions& out) {
    out.argmax.resize(static_cast<std::size_t>(count));
    queue_->copy_out(out.argmax.data(), memory_.best() + first,
                     out.argmax.size() * sizeof(TokenId));
    queue_->wait();
  }

  // The head over `count` rows from `first` on.
  Predictions predict(int first, int count, const PredictionNeeds& needs) {
    Predictions predictions;
    const Rows x = normed_output(first, count);
    if (needs.top_k > 0) {
      find_top(x, count, std::min(needs.top_k, shape_.vocabulary), predictions);
    } else {
      linear_argmax(weights_.head.weight, x, count, memory_.keys(), memory_.best(), stream());
      take_best(0, count, predictions);
    }
    if (!needs.scored.empty()) predictions.log_probability = score(x, needs.scored);
    return predictions;
  }

  Rows part(const Rows& x, int first) const {
    const auto width = static_cast<std::size_t>(padded_width(shape_.hidden));
    return {x.values + static_cast<std::size_t>(first) * width,
            x.scales ? x.scales + first : nullptr};
  }

  void find_top(const Rows& x, int count, int k, Predictions& out) {
    const auto all = static_cast<std::size_t>(count) * static_cast<std::size_t>(k);
    out.top_ids.resize(all);
    out.top_logits.resize(all);
    for (int r = 0; r < count; r += kLogitRows) {
      const int rows = std::min(kLogitRows, count - r);
      const PassMemory::Head head = memory_.head(kLogitRows, k);
      multiply(weights_.head, part(x, r), rows, head.logits, shape_.vocabulary);
      top_k(head.logits, rows, shape_.vocabulary, k, head.ids, head.best, stream());
      const std::size_t at = static_cast<std::size_t>(r) * static_cast<std::size_t>(k);
      const std::size_t bytes = static_cast<std::size_t>(rows) * static_cast<std::size_t>(k) * 4;
      queue_->copy_out(out.top_ids.data() + at, head.ids, bytes);
      queue_->copy_out(out.top_logits.data() + at, head.best, bytes);
    }
    queue_->wait();
    for (int r = 0; r < count; ++r) {
      const std::size_t at = static_cast<std::size_t>(r) * static_cast<std::size_t>(k);
      out.argmax.push_back(out.top_ids[at]);
      out.top_entropy.push_back(
          normalised_entropy({out.top_logits.data() + at, static_cast<std::size_t>(k)}));
    }
  }

  std::vector<float> score(const Rows& x, std::span<const TokenId> tokens) {
    std::vector<float> out(tokens.size());
    const int count = static_cast<int>(tokens.size());
    for (int r = 0; r < count; r += kLogitRows) {
      const int rows = std::min(kLogitRows, count - r);
      const PassMemory::Head head = memory_.head(kLogitRows, 1);
      multiply(weights_.head, part(x, r), rows, head.logits, shape_.vocabulary);
      queue_->copy_in(head.ids, tokens.data() + r,
                      static_cast<std::size_t>(rows) * sizeof(TokenId));
      log_probability(head.logits, rows, shape_.vocabulary, head.ids, head.best, stream());
      queue_->copy_out(out.data() + r, head.best, static_cast<std::size_t>(rows) * sizeof(float));
      queue_->wait();  // the next rows come to the same place
    }
    return out;
  }

  std::string name_;
  TransformerShape shape_;
  std::shared_ptr<DeviceQueue> queue_;
  DeviceWeights weights_;
  PassMemory memory_;
  std::map<Recorded, DeviceGraph> recordings_;
  int recorded_generation_ = 0;
};

}  // namespace

Result<std::unique_ptr<LanguageModel>> load_transformer(std::shared_ptr<const ModelFiles> files,
                                                        ThreadPool& pool,
                                                        const LoadControl& control) {
  const Result<TransformerShape> shape = files->shape();
  if (!shape) return shape.error();
  if (!takes_heads(shape->heads, shape->kv_heads, shape->head_dim)) {
    return Error(files->path() + ": " + std::to_string(shape->heads) + " heads of " +
                 std::to_string(shape->head_dim) + " for " + std::to_string(shape->kv_heads) +
                 " of keys and values are not supported on a GPU");
  }
  use_device();
  auto queue = std::make_shared<DeviceQueue>();
  Result<DeviceWeights> weights = DeviceWeights::load(*files, *shape, pool, *queue, control);
  if (!weights) return weights.error();
  files->release_pages();
  return std::unique_ptr<LanguageModel>(
      std::make_unique<Transformer>(files->name(), *shape, std::move(*weights), std::move(queue)));
}

}  // namespace redraft::cuda
