#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decoding/model/draft_head_files.h"
#include "support/result.h"
#include "tuning/trainable_model.h"

namespace redraft {

// Rows that a draft head reads together, and what it should say.
struct HeadBatch {
  std::vector<std::uint16_t> features;  // [rows, layers, hidden], half precision
  std::vector<float> embeddings;        // [rows, hidden], of the newest tokens
  // [rows, tokens], each an index into the head's vocabulary, or -1: not learnt.
  std::vector<std::int32_t> answers;
};

// The loss of the places that are learnt in a batch.
struct HeadLoss {
  double sum = 0;                   // of the losses, in nats, times place_weight()
  double weight = 0;                // the sum of these weights
  std::vector<float> losses;        // [rows, tokens]; 0 where nothing is learnt
  std::vector<std::uint8_t> right;  // [rows, tokens]: 1 where the first choice is the answer
};

// How much the proposal of place `place` counts: a later one is of use only behind right ones.
inline double place_weight(int place) { return std::max(0.2, 1 - 0.2 * place); }

// A draft head (decoding/model/draft_head_files.h) with a gradient. Used by one thread at a time;
// on one machine and number of threads everything gives the same bits again.
class TrainableHead {
 public:
  virtual ~TrainableHead() = default;

  // In the order of draft_head_tensors(), as long as the head lives. A caller may change them
  // between calls. At first zeros.
  virtual std::span<float> parameters() = 0;
  virtual std::span<float> gradients() = 0;

  // The losses of `batch`, which has at least one answer, and adds `scale` times the gradient of
  // their weighted sum to gradients().
  virtual HeadLoss add_gradients(const HeadBatch& batch, float scale) = 0;
  // The losses alone, with float matrices.
  virtual HeadLoss loss(const HeadBatch& batch) = 0;
};

struct TrainableHeadOptions {
  DraftHeadShape shape;
  double epsilon = 1e-6;  // of the norms: the target's
  TrainingPrecision precision = TrainingPrecision::kFloat32;
  int threads = 1;  // of torch; process-wide
};
// Throws std::bad_alloc or what torch throws for lack of memory. An error if torch cannot be
// loaded.
Result<std::unique_ptr<TrainableHead>> make_trainable_head(const TrainableHeadOptions& options);

}  // namespace redraft
