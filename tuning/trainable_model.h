#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "decoding/load_control.h"
#include "decoding/model/model_files.h"
#include "support/result.h"
#include "support/token.h"
#include "tuning/lora_layout.h"

namespace redraft {

// A text of tokens and which of them count: `learnt` are ascending positions in [1, size). The
// loss of position p is the negative log-probability of tokens[p] after tokens[0 .. p - 1].
struct TrainingText {
  std::vector<TokenId> tokens;
  std::vector<std::int32_t> learnt;
};

// Over the learnt tokens of some texts.
struct TextLoss {
  double sum = 0;          // of the losses, in nats
  std::int64_t right = 0;  // tokens that are the model's first choice
  std::int64_t tokens = 0;

  TextLoss& operator+=(const TextLoss& other) {
    sum += other.sum;
    right += other.right;
    tokens += other.tokens;
    return *this;
  }
};

// A transformer whose weights are frozen and whose low-rank adapters are trained. Used by one
// thread at a time; on one machine and number of threads everything gives the same bits again.
class TrainableModel {
 public:
  virtual ~TrainableModel() = default;

  virtual const LoraLayout& layout() const = 0;
  // In the order of layout(), as long as the model lives. A caller may change them between calls.
  virtual std::span<float> parameters() = 0;
  virtual std::span<float> gradients() = 0;

  // The losses of `text` with dropout of that seed, and adds `scale` times the gradient of their
  // sum to gradients(). Texts have at least one token that is learnt.
  virtual TextLoss add_gradients(const TrainingText& text, float scale, std::uint64_t seed) = 0;
  // The losses without dropout.
  virtual TextLoss loss(const TrainingText& text) = 0;
  // [tokens, vocabulary], without dropout.
  virtual std::vector<float> logits(std::span<const TokenId> tokens) = 0;
};

// How the frozen matrices inside the layers are stored and multiplied.
enum class TrainingPrecision {
  kFloat32,
  // Their inputs and outputs are rounded to bfloat16; norms, attention, adapters, the head and what
  // is added up between layers stay float. Two to three times as fast on processors that multiply
  // it (AVX512-BF16, AMX), slow on others.
  kBFloat16,
};
// kBFloat16 where this machine's processor multiplies it.
TrainingPrecision best_precision();

struct TrainableOptions {
  LoraOptions lora = {};
  TrainingPrecision precision = TrainingPrecision::kFloat32;
  int threads = 1;  // of torch; process-wide
  std::uint64_t seed = 1;
};

// Reads the weights of `files` as numbers, in Hugging Face's order of rows, and adds adapters in
// their initial state. Errors name the file, the tensor and the reason. Throws std::bad_alloc or
// what torch throws for lack of memory.
Result<std::unique_ptr<TrainableModel>> load_trainable(const ModelFiles& files,
                                                       const TrainableOptions& options,
                                                       const LoadControl& control = {});

}  // namespace redraft
