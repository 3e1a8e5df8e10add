#pragma once

#include <span>
#include <vector>

namespace redraft {

// AdamW (Loshchilov and Hutter 2019), with the defaults of torch and of Hugging Face's trainer.
struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
};

// The moments of the optimiser, which a checkpoint stores beside the parameters: one number per
// parameter each.
struct AdamWState {
  std::vector<float> mean;    // of the gradients
  std::vector<float> square;  // of their squares
};

// Performs one step, in float like torch: `step` counts from 1.
void adam_w_step(const AdamWOptions& options, double learning_rate, int step,
                 std::span<const float> gradients, AdamWState& state, std::span<float> parameters);
// The same for a part of the parameters: `means` and `squares` are that part of the state. Each
// number is computed independently.
void adam_w_step(const AdamWOptions& options, double learning_rate, int step,
                 std::span<const float> gradients, std::span<float> means, std::span<float> squares,
                 std::span<float> parameters);

// Scales the gradients so that their length is at most `limit`, as torch's clip_grad_norm_ does.
// Returns the original length.
double clip_length(double limit, std::span<float> gradients);

}  // namespace redraft
