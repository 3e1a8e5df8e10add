// What some models can do besides reading and predicting. A caller asks a LanguageModel for the
// power that it needs, and does without it if the answer is null. The interfaces are part of the
// model, live as long as it, and are used by one thread at a time, the one that runs its passes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decoding/kv_cache.h"
#include "decoding/skipped_layers.h"
#include "support/code_width.h"
#include "support/token.h"

namespace redraft {

class PassProfile;

// What a drafting pass predicts: its best token, and how likely that is, over the whole vocabulary.
struct DraftedToken {
  TokenId token = 0;
  float probability = 0;
};

// A model that can draft by leaving out sublayers (self-speculative decoding).
class LayerSkipping {
 public:
  virtual ~LayerSkipping() = default;
  // In how many layers draft_step() can leave something out; at least 1.
  virtual int skippable_layers() const = 0;
  // What follows `context`, which is as for LanguageModel::forward(), if some sublayers are left
  // out. `skipped` has skippable_layers() layers. Commits the context, but with keys and values of
  // its own: truncate the cache to its former length before anything else reads it.
  virtual DraftedToken draft_step(std::span<const TokenId> context, const SkippedLayers& skipped,
                                  KvCache& cache) = 0;
  // The share of its weights that draft_step() reads, by their bytes.
  virtual double drafting_share(const SkippedLayers& skipped) const = 0;
};

// What a draft head proposes for one place of the text: the two tokens that it finds most likely
// there, and their probabilities among the tokens that it knows. A head that knows only one token
// gives the second, which is arbitrary, the probability 0.
struct HeadPlace {
  DraftedToken first, second;
};

// A model with a draft head: a small layer that proposes what follows one of a pass's rows. A head
// proposes all of its tokens at once, or one after the other: an MTP block does the latter.
class HeadDrafting {
 public:
  virtual ~HeadDrafting() = default;
  // The maximum number of tokens of a proposal; at least 1.
  virtual int head_tokens() const = 0;
  // Whether every token takes a step of its own, so that fewer tokens cost less.
  virtual bool head_takes_steps() const { return false; }
  // What the head proposes to follow `token`, where that stands behind row `row` of the last
  // forward() that predicted every row, numbered as in Predictions. `cache` is that of the pass and
  // holds everything before `token`. Returns at most `most` places, one after the other.
  virtual std::vector<HeadPlace> head_draft(int row, TokenId token, int most, KvCache& cache) = 0;
};

// A model that can show the hidden states between its layers.
class LayerCapture {
 public:
  virtual ~LayerCapture() = default;
  // Has every later forward() keep the hidden states of its last context row and its draft's rows:
  // the residual stream after each of `layers` (ascending, counted from 0). Empty, as at first:
  // nothing. False: the model cannot, or has no such layer; then nothing changes.
  virtual bool capture_layers(std::span<const int> layers) = 0;
  // Returns [layers, hidden] of row `row` of the last forward() that predicted every row, as in
  // Predictions. Valid until the next pass.
  virtual std::span<const float> captured(int row) const = 0;
};

// The minimum that a pass needs on any machine: the bytes it reads from memory and its
// multiply-adds.
struct PassWork {
  double bytes = 0;             // the weights, and the keys and values of the context
  PerCodeWidth integer_macs{};  // of quantised weights
  double float_macs = 0;        // of float weights, and in attention
};

// A model whose passes can be measured and compared with what the machine can do.
class PassMeasuring {
 public:
  virtual ~PassMeasuring() = default;
  // The work of a pass that predicts after each of `rows` rows on top of `context` committed
  // tokens.
  virtual PassWork work(int rows, int context) const = 0;
  // Every later forward() adds its times to `profile` (null, as at first: to none), which must live
  // until it is replaced. A model that does not know where its time goes ignores this.
  virtual void set_profile(PassProfile* /*profile*/) {}
};

// A model that can be run with other settings of its attention than its files state. If it then
// predicts text better, the files are wrong, or what reads them.
class SettingTrying {
 public:
  virtual ~SettingTrying() = default;
  // What each trial changes, as in "a window of 16 tokens". A text of this many tokens shows it.
  virtual std::vector<std::string> trials() const = 0;
  static constexpr int kTokens = 512;
  // Has every later pass run with that change; nothing, as at first: with what the files state.
  // A cache is of no use to passes with other settings than those that filled it.
  virtual void try_setting(std::optional<std::size_t> trial) = 0;
};

// A model whose device has memory of its own.
class MemoryReclaiming {
 public:
  virtual ~MemoryReclaiming() = default;
  // `reclaim` frees memory that requests can do without and returns whether there was any. It is
  // called within forward() when the device has no memory left, and must live until it is replaced.
  virtual void set_reclaim(std::function<bool()> reclaim) = 0;
};

}  // namespace redraft
