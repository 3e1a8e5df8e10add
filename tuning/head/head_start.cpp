#include "tuning/head/head_start.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string_view>

#include "tuning/random_stream.h"

namespace redraft {
namespace {

// The scale of the input's columns of the other layers, in units of 1 / sqrt(hidden).
constexpr double kSmall = 0.1;

class HeadFiller {
 public:
  HeadFiller(const DraftHeadShape& shape, const TargetRows& target,
             std::span<const TokenId> vocabulary, std::uint64_t seed)
      : shape_(shape), target_(target), vocabulary_(vocabulary), seed_(seed) {}

  void fill(const DraftHeadTensor& tensor, std::uint64_t number, std::span<float> out) const {
    const std::string_view name = tensor.name;
    const double range = 1 / std::sqrt(static_cast<double>(shape_.hidden));
    if (name == "input.weight") {
      fill_random(number, kSmall * range, out);
      add_last_layer(out);
    } else if (name == "mlp.gate.weight" || name == "mlp.up.weight") {
      fill_random(number, range, out);
    } else if (name == "output_norm") {
      std::ranges::copy(target_.output_norm(), out.begin());
    } else if (name == "vocabulary.weight") {
      const auto hidden = static_cast<std::size_t>(shape_.hidden);
      for (std::size_t i = 0; i < vocabulary_.size(); ++i)
        target_.head(vocabulary_[i], out.subspan(i * hidden, hidden));
    } else {
      std::ranges::fill(out, tensor.rows == 0
                                 ? 1.0F
                                 : 0.0F);  // other norms are 1; parts that add nothing yet are 0
    }
  }

 private:
  void fill_random(std::uint64_t number, double range, std::span<float> out) const {
    const RandomStream random(seed_, number);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<float>(range * (2 * random.unit(i) - 1));
  }
  // Sets the identity for the last of the layers.
  void add_last_layer(std::span<float> out) const {
    const auto hidden = static_cast<std::size_t>(shape_.hidden);
    const std::size_t columns = (shape_.layers.size() + 1) * hidden;
    const std::size_t first = (shape_.layers.size() - 1) * hidden;
    for (std::size_t row = 0; row < hidden; ++row) {
      const auto part = out.subspan(row * columns + first, hidden);
      std::ranges::fill(part, 0.0F);
      part[row] = 1;
    }
  }

  const DraftHeadShape& shape_;
  const TargetRows& target_;
  std::span<const TokenId> vocabulary_;
  std::uint64_t seed_;
};

}  // namespace

std::vector<int> default_head_layers(int layers) {
  assert(layers >= 1);
  std::vector<int> out;
  for (const double at : {layers / 3.0, 2 * layers / 3.0, layers - 1.0}) {
    const int layer = std::clamp(static_cast<int>(std::lround(at)), 0, layers - 1);
    if (out.empty() || layer > out.back()) out.push_back(layer);
  }
  return out;
}

std::vector<float> initial_head(const DraftHeadShape& shape, const TargetRows& target,
                                std::span<const TokenId> vocabulary, std::uint64_t seed) {
  const std::vector<DraftHeadTensor> tensors = draft_head_tensors(shape);
  std::size_t size = 0;
  for (const DraftHeadTensor& each : tensors) size += static_cast<std::size_t>(each.size());
  std::vector<float> out(size);
  const HeadFiller filler(shape, target, vocabulary, seed);
  std::size_t at = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto count = static_cast<std::size_t>(tensors[i].size());
    filler.fill(tensors[i], i, std::span(out).subspan(at, count));
    at += count;
  }
  return out;
}

}  // namespace redraft
