// The transformer of every Architecture that has no not_on_gpu: the counterpart of
// decoding/model/transformer.cpp on a GPU, with fewer and larger operators. A pass sends its
// tokens, positions and paths in one copy, queues its kernels, and gets back only the requested
// predictions. Verification passes (few rows, of which only the best token is needed) are recorded
// once for each number of rows and of spans, and from then on queued as a whole.
#include "cuda/transformer.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cuda/attention.h"
#include "cuda/device_cache.h"
#include "cuda/device_weights.h"
#include "cuda/head.h"
#include "cuda/pass_kernels.h"
#include "cuda/pass_memory.h"
#include "decoding/acceptance.h"
#include "decoding/model_powers.h"
#include "decoding/sampling.h"

namespace redraft::cuda {
namespace {

// A long context runs in blocks of this many rows, which keeps the buffers small: attention's
// buffers grow with the spans that a row sees.
constexpr int kContextBlock = 512;
constexpr int kRowsTimesSpans = 8192;
int rows_of_block(int committed) {
  const int spans = (committed + kContextBlock) / kSpan + 1;
  return std::clamp(kRowsTimesSpans / spans / kSpan * kSpan, kSpan / 2, kContextBlock);
}
// The logits of this many rows are stored at once.
constexpr int kLogitRows = 16;
// Row counts for which passes are recorded; other counts are padded to the next one.
constexpr int kRecordedRows[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, kMaxRecordedRows};
// A recording takes some hundred kilobytes.
constexpr std::size_t kMaxRecordings = 64;

class Transformer final : public LanguageModel, private PassMeasuring, private MemoryReclaiming {
 public:
  Transformer(std::string name, const TransformerShape& shape, DeviceWeights weights,
              std::shared_ptr<DeviceQueue> queue)
      : name_(std::move(name)),
        shape_(shape),
        queue_(std::move(queue)),
        weights_(std::move(weights)),
        memory_(shape, *queue_),
        kernels_(shape_, weights_, memory_, *queue_) {}

  std::string name() const override { return name_; }
  int vocabulary_size() const override { return shape_.vocabulary; }
  int context_length() const override { return shape_.context_length; }

  std::unique_ptr<KvCache> new_cache(int capacity) const override {
    const DeviceKvStorage::Shape shape{shape_.layers, shape_.kv_heads, shape_.head_dim};
    // Rows that pad a recorded pass need slots as well.
    return std::make_unique<KvCache>(
        capacity, std::make_unique<DeviceKvStorage>(shape, capacity + kMaxRecordedRows, queue_));
  }

  std::unique_ptr<KvCache> filled_cache(int capacity, int length) override {
    use_device();
    std::unique_ptr<KvCache> cache = new_cache(capacity);
    static_cast<DeviceKvStorage&>(*cache->storage()).fill(length);
    cache->append(std::vector<TokenId>(static_cast<std::size_t>(length), 0), DraftTree());
    return cache;
  }

  PassMeasuring* measuring() override { return this; }
  MemoryReclaiming* memory_reclaiming() override { return this; }

  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    assert(needs.every_row || draft.empty());
    const Pass pass = begin(context, draft, cache, 0);
    Predictions out;
    if (pass.rows() <= kMaxRecordedRows && needs.top_k == 0 && needs.scored.empty() &&
        !needs.logits) {
      queue_pass(pass, Recorded::kBest);
      take_best(pass, out);
    } else {
      memory_.begin_pass(pass.context, draft, pass.committed);
      kernels_.layers(pass.rows(), pass.storage);
      out = predict(pass, needs);
    }
    cache.append(context, draft);
    return out;
  }

  Acceptance verify(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                    const std::function<void()>& meanwhile, Predictions& predictions) override {
    if (kContextBlock + draft.size() > kMaxVerifiedRows)
      return LanguageModel::verify(context, draft, cache, meanwhile, predictions);
    const Pass pass = begin(context, draft, cache, 0);
    const bool drafted = !draft.empty();
    queue_pass(pass, drafted ? Recorded::kAccepted : Recorded::kBest);
    if (drafted) {
      const auto most = static_cast<std::size_t>(draft.size()) * sizeof(std::int32_t);
      queue_->copy_out(memory_.verdict_here(), memory_.verdict(), offsetof(Verdict, rows) + most);
    }
    take_best(pass, predictions, meanwhile);
    Acceptance accepted;
    if (drafted) {
      const Verdict& verdict = *memory_.verdict_here();
      for (const std::int32_t row :
           std::span(verdict.rows).first(static_cast<std::size_t>(verdict.accepted)))
        accepted.path.push_back(row - static_cast<int>(pass.context.size()));
    }
    for (const int node : accepted.path)
      accepted.tokens.push_back(draft.tokens()[static_cast<std::size_t>(node)]);
    const int row = accepted.path.empty() ? 0 : 1 + accepted.path.back();
    accepted.tokens.push_back(predictions.argmax[static_cast<std::size_t>(row)]);
    cache.append(context, draft);
    cache.keep_moved(accepted.path);
    return accepted;
  }

  int steps_at_once() const override { return kMaxSteps; }

  // The pass over the context, then the passes of one row each as one recording: the host takes no
  // part in between.
  std::vector<TokenId> continue_greedily(std::span<const TokenId> context, int count,
                                         KvCache& cache) override {
    assert(count >= 1 && count <= kMaxSteps);
    const DraftTree none;
    const Pass pass = begin(context, none, cache, count - 1);
    if (pass.rows() <= kMaxRecordedRows) {
      queue_pass(pass, Recorded::kBest);
    } else {
      memory_.begin_pass(pass.context, none, pass.committed);
      kernels_.layers(pass.rows(), pass.storage);
      kernels_.best(pass.first(), 1);
    }
    const std::int32_t* last = memory_.best() + pass.first();
    if (count > 1) {
      queue_->copy_strips(memory_.written(), sizeof *last, last, sizeof *last, sizeof *last, 1);
      const TokenId unknown = 0;
      const int committed = pass.committed + static_cast<int>(pass.context.size());
      queue_pass({{&unknown, 1}, none, committed, pass.storage}, Recorded::kSteps, count - 1);
      queue_->copy_out(memory_.written_here(), memory_.written(),
                       static_cast<std::size_t>(count - 1) * sizeof(std::int32_t));
      last = memory_.best();
    }
    queue_->copy_out(memory_.best_here(), last, sizeof(std::int32_t));
    queue_->wait();
    std::vector<TokenId> written(memory_.written_here(), memory_.written_here() + count - 1);
    cache.append(context, none);
    cache.append(written, none);
    written.push_back(*memory_.best_here());
    return written;
  }

 private:
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

  // The last block of rows of a pass; the blocks before it are queued already.
  struct Pass {
    std::span<const TokenId> context;
    const DraftTree& draft;
    int committed;
    DeviceKvStorage& storage;

    int rows() const { return static_cast<int>(context.size()) + draft.size(); }
    // The first row to predict after.
    int first() const { return static_cast<int>(context.size()) - 1; }
  };

  // What a recording depends on, apart from what begin_pass() sends.
  struct Recorded {
    enum Kind { kBest, kAccepted, kSteps };
    Kind kind;
    int rows;  // or steps
    int longest;
    const std::uint16_t* keys;  // of the cache's first layer
    int slots;
    bool operator<(const Recorded& other) const {
      return std::tie(kind, rows, longest, keys, slots) <
             std::tie(other.kind, other.rows, other.longest, other.keys, other.slots);
    }
  };

  // Makes room for `more` additional tokens, and queues all blocks but the last.
  Pass begin(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache, int more) {
    assert(!context.empty());
    assert(cache.length() + static_cast<int>(context.size()) + draft.size() <= cache.capacity());
    use_device();
    auto& storage = static_cast<DeviceKvStorage&>(*cache.storage());
    int committed = cache.length();
    storage.reserve(committed + static_cast<int>(context.size()) + draft.size() + more +
                    kMaxRecordedRows);
    std::span<const TokenId> rest = context;
    for (std::size_t block = rows_of_block(committed); rest.size() > block;
         block = rows_of_block(committed)) {
      memory_.begin_pass(rest.first(block), DraftTree(), committed);
      kernels_.layers(static_cast<int>(block), storage);
      rest = rest.subspan(block);
      committed += static_cast<int>(block);
    }
    return {rest, draft, committed, storage};
  }

  // Afterwards the best token after each row from first() on is in memory_.best(), and what was
  // accepted is in memory_.verdict() if `kind` requests it. Passes of few rows are recorded.
  void queue_pass(const Pass& pass, Recorded::Kind kind, int steps = 0) {
    const bool recorded = pass.rows() <= kMaxRecordedRows;
    const int rows = recorded ? *std::ranges::lower_bound(kRecordedRows, pass.rows()) : pass.rows();
    memory_.begin_pass(pass.context, pass.draft, pass.committed, rows, steps);
    const auto queue_kernels = [&] {
      if (kind == Recorded::kSteps) return kernels_.steps(steps, pass.storage);
      kernels_.layers(rows, pass.storage);
      // A recording does not know which row is the first one needed.
      const int first = recorded ? 0 : pass.first();
      kernels_.best(first, rows - first);
      if (kind == Recorded::kAccepted) kernels_.accept(rows, pass.storage);
    };
    if (!recorded) return queue_kernels();
    const KvMemory kv = pass.storage.kv(0);
    queue_->queue(recording(
        {kind, kind == Recorded::kSteps ? steps : rows, memory_.longest(), kv.keys, kv.slots},
        queue_kernels));
  }

  const DeviceGraph& recording(const Recorded& key, const std::function<void()>& queue_kernels) {
    if (memory_.generation() != recorded_generation_ || recordings_.size() >= kMaxRecordings) {
      queue_->wait();  // none of the recordings is running
      recordings_.clear();
      recorded_generation_ = memory_.generation();
    }
    const auto found = recordings_.find(key);
    if (found != recordings_.end()) return found->second;
    return recordings_.emplace(key, queue_->record(queue_kernels)).first->second;
  }

  void take_best(const Pass& pass, Predictions& out, const std::function<void()>& meanwhile = {}) {
    const std::size_t count = 1 + pass.draft.tokens().size();
    queue_->copy_out(memory_.best_here(), memory_.best() + pass.first(), count * sizeof(TokenId));
    if (meanwhile) meanwhile();
    queue_->wait();
    out = {};
    out.argmax.assign(memory_.best_here(), memory_.best_here() + count);
  }

  // After kernels_.layers().
  Predictions predict(const Pass& pass, const PredictionNeeds& needs) {
    const int count = 1 + pass.draft.size();
    Predictions predictions;
    const Rows x = kernels_.head_input(pass.first(), count);
    if (needs.logits) return read_logits(x, count, *needs.logits);
    if (needs.top_k > 0) {
      find_top(x, count, std::min(needs.top_k, shape_.vocabulary), predictions);
    } else {
      kernels_.best_of(x, pass.first(), count);
      take_best(pass, predictions);
    }
    if (!needs.scored.empty()) predictions.log_probability = score(x, needs.scored);
    return predictions;
  }

  Rows part(const Rows& x, int first) const {
    const auto width = static_cast<std::size_t>(padded_width(shape_.hidden));
    return {x.values + static_cast<std::size_t>(first) * width,
            x.scales ? x.scales + first : nullptr};
  }

  Predictions read_logits(const Rows& x, int count, const LogitReader& read) {
    Predictions out;
    const auto vocabulary = static_cast<std::size_t>(shape_.vocabulary);
    logits_.resize(static_cast<std::size_t>(std::min(kLogitRows, count)) * vocabulary);
    for (int r = 0; r < count; r += kLogitRows) {
      const int rows = std::min(kLogitRows, count - r);
      const PassMemory::Head head = memory_.head(kLogitRows, 1);
      kernels_.logits_of(part(x, r), rows, head.logits);
      queue_->copy_out(logits_.data(), head.logits,
                       static_cast<std::size_t>(rows) * vocabulary * sizeof(float));
      queue_->wait();
      for (int i = 0; i < rows; ++i) {
        const auto row = std::span(std::as_const(logits_))
                             .subspan(static_cast<std::size_t>(i) * vocabulary, vocabulary);
        out.argmax.push_back(likeliest_token(row));
        read(r + i, row);
      }
    }
    return out;
  }

  void find_top(const Rows& x, int count, int k, Predictions& out) {
    const auto all = static_cast<std::size_t>(count) * static_cast<std::size_t>(k);
    out.top_ids.resize(all);
    out.top_logits.resize(all);
    for (int r = 0; r < count; r += kLogitRows) {
      const int rows = std::min(kLogitRows, count - r);
      const PassMemory::Head head = memory_.head(kLogitRows, k);
      kernels_.logits_of(part(x, r), rows, head.logits);
      top_k(head.logits, rows, shape_.vocabulary, k, head.ids, head.best, queue_->stream());
      const std::size_t at = static_cast<std::size_t>(r) * static_cast<std::size_t>(k);
      const std::size_t bytes = static_cast<std::size_t>(rows) * static_cast<std::size_t>(k) * 4;
      queue_->copy_out(out.top_ids.data() + at, head.ids, bytes);
      queue_->copy_out(out.top_logits.data() + at, head.best, bytes);
    }
    queue_->wait();
    for (int r = 0; r < count; ++r) {
      const std::size_t at = static_cast<std::size_t>(r) * static_cast<std::size_t>(k);
      out.argmax.push_back(out.top_ids[at]);
    }
  }

  std::vector<float> score(const Rows& x, std::span<const TokenId> tokens) {
    std::vector<float> out(tokens.size());
    const int count = static_cast<int>(tokens.size());
    for (int r = 0; r < count; r += kLogitRows) {
      const int rows = std::min(kLogitRows, count - r);
      const PassMemory::Head head = memory_.head(kLogitRows, 1);
      kernels_.logits_of(part(x, r), rows, head.logits);
      queue_->copy_in(head.ids, tokens.data() + r,
                      static_cast<std::size_t>(rows) * sizeof(TokenId));
      log_probability(head.logits, rows, shape_.vocabulary, head.ids, head.best, queue_->stream());
      queue_->copy_out(out.data() + r, head.best, static_cast<std::size_t>(rows) * sizeof(float));
      queue_->wait();  // before the next rows overwrite these
    }
    return out;
  }

  std::string name_;
  TransformerShape shape_;
  std::shared_ptr<DeviceQueue> queue_;
  DeviceWeights weights_;
  PassMemory memory_;
  PassKernels kernels_;
  std::map<Recorded, DeviceGraph> recordings_;
  int recorded_generation_ = 0;
  std::vector<float> logits_;  // of a few rows, once they are needed here
};

}  // namespace

Result<std::unique_ptr<LanguageModel>> load_transformer(std::shared_ptr<const ModelFiles> files,
                                                        ThreadPool& pool,
                                                        const LoadControl& control) {
  const Result<TransformerShape> shape = files->shape();
  if (!shape) return shape.error();
  if (const std::string_view what = shape->architecture->not_on_gpu; !what.empty()) {
    return Error(files->path() + ": " + std::string(what) +
                 " runs on the CPU only (--device cpu), not on a GPU");
  }
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
