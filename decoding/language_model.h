#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decoding/draft_tree.h"
#include "decoding/kv_cache.h"
#include "decoding/skipped_layers.h"
#include "support/code_width.h"
#include "support/token.h"

namespace redraft {

struct Acceptance;
class PassProfile;

// Takes the logits of one row, [vocabulary_size()], valid during the call.
using LogitReader = std::function<void(int row, std::span<const float> logits)>;

// What forward() has to compute for each row. More costs more: greedy verification needs the argmax
// alone.
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

// What a drafting pass predicts: its best token, and how likely that is, over the whole vocabulary.
struct DraftedToken {
  TokenId token = 0;
  float probability = 0;
};

// What a draft head proposes for one place of the text: the two tokens that it thinks likeliest
// there, and how likely among those it knows. A head that knows one token only calls the second,
// any other, impossible.
struct HeadPlace {
  DraftedToken first, second;
};

// What a pass needs at the least, on any machine: the bytes it reads from memory and its
// multiply-adds.
struct PassWork {
  double bytes = 0;             // the weights, and the keys and values of the context
  PerCodeWidth integer_macs{};  // of quantised weights
  double float_macs = 0;        // of float weights, and in attention
};

// The model interface: tokens in, predictions out. A row's result depends on its own path alone, to
// the last bit: not on the number of rows in the pass, on chunking, on the shape of the tree or on
// the number of threads. One thread at a time. forward() throws ModelFailure if the model's device
// fails.
class LanguageModel {
 public:
  virtual ~LanguageModel() = default;
  virtual std::string name() const = 0;
  virtual int vocabulary_size() const = 0;
  // The most tokens one sequence may have.
  virtual int context_length() const = 0;
  // `capacity` <= context_length().
  virtual std::unique_ptr<KvCache> new_cache(int capacity) const = 0;
  // Runs `context` (the tokens that are not in the cache yet, at least one) and then the draft's
  // nodes on top of the cache; context + draft must fit its capacity. Commits the context; the
  // draft stays in flight until cache.keep().
  virtual Predictions forward(std::span<const TokenId> context, const DraftTree& draft,
                              KvCache& cache, const PredictionNeeds& needs) = 0;
  // forward() with the argmax of every row, accept() by the strict rule and keep() of the accepted
  // path. A model on a device does all of that on the device, and calls `meanwhile` (may be empty)
  // on this thread while the device works; other models never call it.
  virtual Acceptance verify(std::span<const TokenId> context, const DraftTree& draft,
                            KvCache& cache, const std::function<void()>& meanwhile,
                            Predictions& predictions);
  // The `count` tokens (at least one) that plain decoding writes after `context`, which is as for
  // forward(). Commits the context and all of the tokens but the last.
  virtual std::vector<TokenId> continue_greedily(std::span<const TokenId> context, int count,
                                                 KvCache& cache);
  // How many tokens continue_greedily() writes in one go. A caller that may want to stop asks for
  // no more than that.
  virtual int steps_at_once() const { return 1; }
  // In how many layers draft_step() can leave something out; 0: this model has no draft_step().
  virtual int skippable_layers() const { return 0; }
  // What follows `context`, which is as for forward(), if some sublayers are left out. `skipped`
  // has skippable_layers() layers. Commits the context, but with keys and values of its own:
  // truncate the cache to its former length before anything else reads it.
  virtual DraftedToken draft_step(std::span<const TokenId> context, const SkippedLayers& skipped,
                                  KvCache& cache);
  // The share of its weights that draft_step() reads, by their bytes.
  virtual double drafting_share(const SkippedLayers& /*skipped*/) const { return 1; }
  // Has every later forward() keep what its last context row and its draft's rows look like inside:
  // the residual stream after each of `layers` (ascending, counted from 0). Empty, as at first:
  // nothing. False: this model cannot, or has no such layer; then nothing changes.
  virtual bool capture_layers(std::span<const int> layers) { return layers.empty(); }
  // Of the last forward() that predicted every row: [layers, hidden] of row `row`, numbered as in
  // Predictions. Valid until the next pass.
  virtual std::span<const float> captured(int /*row*/) const { return {}; }
  // How many tokens a draft head proposes in one go; 0: this model has none.
  virtual int head_tokens() const { return 0; }
  // What the draft head proposes to follow `token`, where that stands behind row `row` of the last
  // forward() that predicted every row, numbered as in Predictions: [head_tokens()] places, one
  // after the other. Reads nothing but what the row looked like inside and the token.
  virtual std::vector<HeadPlace> head_draft(int row, TokenId token);
  // Seconds of compute so far: the difference between two calls is the cost of the passes between
  // them. Where the model has one, this is a clock that stops while other programs use the machine;
  // by default it is the wall clock.
  virtual double compute_seconds() const;
  // Every later forward() adds its times to `profile` (null, as at first: to none), which must live
  // until it is replaced. A model that does not know where its time goes ignores this.
  virtual void set_profile(PassProfile* /*profile*/) {}
  // `reclaim` frees memory that requests can do without and returns whether there was any. It is
  // called within forward() when the model's device has no memory left, and must live until it is
  // replaced.
  virtual void set_reclaim(std::function<bool()> /*reclaim*/) {}
  // Of a pass that predicts after each of `rows` rows on top of `context` committed tokens. Zeros
  // if the model does not know.
  virtual PassWork work(int rows, int context) const;
  // For timing alone: `length` slots count as committed and have memory, whatever they contain.
  // `length` <= `capacity` <= context_length(). Takes a prefill unless the model knows a shorter
  // way.
  virtual std::unique_ptr<KvCache> filled_cache(int capacity, int length);
};

}  // namespace redraft
