#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decoding/draft_tree.h"
#include "decoding/kv_cache.h"
#include "support/token.h"

namespace redraft {

struct Acceptance;
class MemoryReclaiming;
class HeadDrafting;
class LayerCapture;
class LayerSkipping;
class PassMeasuring;
class SettingTrying;

// Takes the logits of one row, [vocabulary_size()], valid during the call.
using LogitReader = std::function<void(int row, std::span<const float> logits)>;

// What forward() has to compute for each row. Greedy verification needs only the argmax; everything
// else costs extra.
struct PredictionNeeds {
  // False: only the last context row is wanted (prefill); the draft must then be empty.
  bool every_row = true;
  int top_k = 0;  // > 0: also the k best tokens and their logits
  // One token per wanted row whose natural-log probability over the whole vocabulary is wanted; or
  // empty.
  std::span<const TokenId> scored = {};
  // If not null (not owned): called within forward(), on its thread, with the logits of each wanted
  // row, in ascending order. They are computed instead of the argmax, which is then theirs, and
  // have the bits that they have in any other pass. Not together with top_k.
  const LogitReader* logits = nullptr;
};

// Row 0 follows the last context token, row 1 + i follows draft node i. With every_row = false
// there is row 0 alone.
struct Predictions {
  std::vector<TokenId> argmax;         // [rows]; ties go to the lower id
  std::vector<TokenId> top_ids;        // [rows * top_k], best first; ties go to the lower id
  std::vector<float> top_logits;       // [rows * top_k]
  std::vector<float> log_probability;  // [rows] of PredictionNeeds::scored
};

// The model interface: tokens in, predictions out. It has what every model has; what only some can
// do is in decoding/model_powers.h.
//
// A row's result depends only on its own path, to the last bit: not on the number of rows in the
// pass, on chunking, on the shape of the tree or on the number of threads. One thread at a time.
// forward() throws ModelFailure if the model's device fails.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;
  virtual std::string name() const = 0;
  virtual int vocabulary_size() const = 0;
  // The maximum number of tokens in one sequence.
  virtual int context_length() const = 0;
  // `capacity` <= context_length().
  virtual std::unique_ptr<KvCache> new_cache(int capacity) const = 0;
  // Runs `context` (the tokens that are not in the cache yet, at least one) and then the draft's
  // nodes on top of the cache; context + draft must fit its capacity. Commits the context; the
  // draft stays in flight until cache.keep().
  virtual Predictions forward(std::span<const TokenId> context, const DraftTree& draft,
                              KvCache& cache, const PredictionNeeds& needs) = 0;
  // forward() with the argmax of every row, accept() by the strict rule and keep() of the accepted
  // path. A model on a device does all of that there, and calls `meanwhile` (may be empty) on this
  // thread while the device works; other models never call it.
  virtual Acceptance verify(std::span<const TokenId> context, const DraftTree& draft,
                            KvCache& cache, const std::function<void()>& meanwhile,
                            Predictions& predictions);
  // The `count` tokens (at least one) that plain decoding writes after `context`, which is as for
  // forward(). Commits the context and all of the tokens but the last.
  virtual std::vector<TokenId> continue_greedily(std::span<const TokenId> context, int count,
                                                 KvCache& cache);
  // How many tokens continue_greedily() writes in one go. A caller that checks a stop token between
  // calls requests at most that many.
  virtual int steps_at_once() const { return 1; }
  // Seconds of compute so far: the difference between two calls is the cost of the passes between
  // them. Where the model has one, this is a clock that stops while other programs use the machine;
  // by default it is the wall clock.
  virtual double compute_seconds() const;
  // For timing only: a cache whose first `length` slots count as committed and have memory, with
  // arbitrary contents. `length` <= `capacity` <= context_length(). Takes a prefill unless the
  // model knows a shorter way.
  virtual std::unique_ptr<KvCache> filled_cache(int capacity, int length);

  // Optional powers: see decoding/model_powers.h. Null: the model does not have it. The answers do
  // not change while the model is used.
  virtual LayerSkipping* layer_skipping() { return nullptr; }
  virtual HeadDrafting* head_drafting() { return nullptr; }
  virtual LayerCapture* layer_capture() { return nullptr; }
  virtual PassMeasuring* measuring() { return nullptr; }
  virtual MemoryReclaiming* memory_reclaiming() { return nullptr; }
  virtual SettingTrying* setting_trying() { return nullptr; }
};

}  // namespace redraft
