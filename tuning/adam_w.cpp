// Not torch's implementation: its headers would add all of torch's modules to the build for twenty
// lines of arithmetic, and a checkpoint would have to take its state apart.
#include "tuning/adam_w.h"

#include <cassert>
#include <cmath>

namespace redraft {

void adam_w_step(const AdamWOptions& options, double learning_rate, int step,
                 std::span<const float> gradients, AdamWState& state, std::span<float> parameters) {
  adam_w_step(options, learning_rate, step, gradients, state.mean, state.square, parameters);
}

void adam_w_step(const AdamWOptions& options, double learning_rate, int step,
                 std::span<const float> gradients, std::span<float> means, std::span<float> squares,
                 std::span<float> parameters) {
  assert(gradients.size() == parameters.size() && means.size() == parameters.size() &&
         squares.size() == parameters.size());
  const auto beta1 = static_cast<float>(options.beta1);
  const auto beta2 = static_cast<float>(options.beta2);
  const double correction1 = 1 - std::pow(options.beta1, step);
  const double correction2 = 1 - std::pow(options.beta2, step);
  const auto rate = static_cast<float>(learning_rate / correction1);
  const auto root2 = static_cast<float>(std::sqrt(correction2));
  const auto epsilon = static_cast<float>(options.epsilon);
  const auto kept = static_cast<float>(1 - learning_rate * options.weight_decay);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float gradient = gradients[i];
    float& mean = means[i];
    float& square = squares[i];
    mean += (gradient - mean) * (1 - beta1);
    square = square * beta2 + gradient * gradient * (1 - beta2);
    parameters[i] = parameters[i] * kept - rate * mean / (std::sqrt(square) / root2 + epsilon);
  }
}

double clip_length(double limit, std::span<float> gradients) {
  double squares = 0;
  for (const float each : gradients) squares += static_cast<double>(each) * each;
  const double length = std::sqrt(squares);
  const double factor = limit / (length + 1e-6);
  if (factor < 1)
    for (float& each : gradients) each *= static_cast<float>(factor);
  return length;
}

}  // namespace redraft
