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
class PassProfile;

// What forward() has to work out for each row. More costs more: greedy verification asks for the
// argmax alone.
struct PredictionNeeds {
  bool every_row =
      true;  // false: only the last context row is wanted (prefill); the draft must then be empty
  int top_k = 0;  // > 0: also the k best tokens, their logits and the entropy among them
  // One token per wanted row, or empty: their natural-log probabilities over the whole vocabulary
  // are wanted.
  std::span<const TokenId> scored = {};
};

// Row 0 follows the last context token, row 1 + i follows draft node i. With every_row = false
// there is row 0 alone.
struct Predictions {
  std::vector<TokenId> argmax;         // [rows]; ties go to the lower id
  std::vector<TokenId> top_ids;        // [rows * top_k], best first; ties go to the lower id
  std::vector<float> top_logits;       // [rows * top_k]
  std::vector<double> top_entropy;     // [rows]: normalised_entropy() of the row's top_logits
  std::vector<float> log_probability;  // [rows] of PredictionNeeds::scored
};

// What a pass cannot do without, whoever runs it: what it reads from memory and its multiply-adds.
struct PassWork {
  double bytes = 0;         // the weights, and the keys and values of the context
  double integer_macs = 0;  // by quantised weights
  double float_macs = 0;    // by float weights, and in attention
};

// The model interface: tokens in, predictions out. A row's result depends on its own path alone, to
// the last bit: not on how many rows share the pass, on chunking, on the tree's shape or on the
// thread count. One thread at a time. forward() throws ModelFailure where the model's device fails.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;
  virtual std::string name() const = 0;
  virtual int vocabulary_size() const = 0;
  // The most tokens one sequence may have.
  virtual int context_length() const = 0;
  // `capacity` <= context_length().
  virtual std::unique_ptr<KvCache> new_cache(int capacity) const = 0;
  // Runs `context` (the tokens not yet in the cache, at least one) and then the draft's nodes on
  // top of the cache; context + draft must fit its capacity. Commits the context; the draft stays
  // in flight until cache.keep().
  virtual Predictions forward(std::span<const TokenId> context, const DraftTree& draft,
                              KvCache& cache, const PredictionNeeds& needs) = 0;
  // forward() with the argmax of every row, accept() by the strict rule and keep() of what stands.
  // A model on a device does all of it there, and calls `meanwhile` (may be empty) on this thread
  // while the device works; others never call it.
  virtual Acceptance verify(std::span<const TokenId> context, const DraftTree& draft,
                            KvCache& cache, const std::function<void()>& meanwhile,
                            Predictions& predictions);
  // The `count` tokens (at least one) that plain decoding writes after `context`, which is as for
  // forward(). Commits the context and all of them but the last.
  virtual std::vector<TokenId> continue_greedily(std::span<const TokenId> context, int count,
                                                 KvCache& cache);
  // As many as continue_greedily() writes in one go. Who may want to stop asks for no more.
  virtual int steps_at_once() const { return 1; }
  // Seconds of compute so far, on a clock that stands still while others have the machine where the
  // model knows one: differences price a pass. The wall clock by default.
  virtual double compute_seconds() const;
  // From now on every forward() adds to `profile` (null: to none, as at first), which outlives its
  // use here. A model that does not know where its time goes leaves it alone.
  virtual void set_profile(PassProfile* /*profile*/) {}
  // `reclaim` frees memory that requests can do without, if there is any, and says whether there
  // was: called within forward() where the model's device has none left. It outlives its use here.
  virtual void set_reclaim(std::function<bool()> /*reclaim*/) {}
  // Of a pass that predicts after each of `rows` on top of `context` committed tokens. Zeros where
  // the model does not know.
  virtual PassWork work(int rows, int context) const;
  // For timing alone: `length` slots count as committed and lie in memory, whatever they hold.
  // `length` <= `capacity` <= context_length(). Takes a prefill where the model knows no shorter
  // way.
  virtual std::unique_ptr<KvCache> filled_cache(int capacity, int length);
};

}  // namespace redraft
