#include "tuning/lora_layout.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "tuning/random_stream.h"

namespace redraft {
namespace {

struct RoleName {
  std::string_view name;
  std::string_view block;  // of the layer
};
constexpr std::array<RoleName, kLinearRoles> kNames = {{{"q_proj", "self_attn."},
                                                        {"k_proj", "self_attn."},
                                                        {"v_proj", "self_attn."},
                                                        {"o_proj", "self_attn."},
                                                        {"gate_proj", "mlp."},
                                                        {"up_proj", "mlp."},
                                                        {"down_proj", "mlp."}}};

std::pair<int, int> in_and_out(const TransformerShape& shape, LinearRole role) {
  switch (role) {
    case LinearRole::kQuery:
      return {shape.hidden, shape.query_width()};
    case LinearRole::kKey:
    case LinearRole::kValue:
      return {shape.hidden, shape.kv_width()};
    case LinearRole::kOutput:
      return {shape.query_width(), shape.hidden};
    case LinearRole::kGate:
    case LinearRole::kUp:
      return {shape.hidden, shape.feed_forward};
    case LinearRole::kDown:
      break;
  }
  return {shape.feed_forward, shape.hidden};
}

}  // namespace

std::string_view to_string(LinearRole role) { return kNames[static_cast<std::size_t>(role)].name; }

std::optional<LinearRole> linear_role(std::string_view name) {
  for (int i = 0; i < kLinearRoles; ++i) {
    const auto role = static_cast<LinearRole>(i);
    if (to_string(role) == name) return role;
  }
  return std::nullopt;
}

LoraLayout::LoraLayout(const TransformerShape& shape, const LoraOptions& options)
    : options_(options) {
  assert(options.rank >= 1 && options.dropout >= 0 && options.dropout < 1);
  std::sort(options_.adapted.begin(), options_.adapted.end());
  const auto rank = static_cast<std::size_t>(options.rank);
  for (int layer = 0; layer < shape.layers; ++layer) {
    for (const LinearRole role : options_.adapted) {
      const auto [in, out] = in_and_out(shape, role);
      const std::size_t b = size_ + rank * static_cast<std::size_t>(in);
      const RoleName& name = kNames[static_cast<std::size_t>(role)];
      pairs_.push_back({layer, role, in, out, size_, b,
                        "model.layers." + std::to_string(layer) + "." + std::string(name.block) +
                            std::string(name.name)});
      size_ = b + rank * static_cast<std::size_t>(out);
    }
  }
}

const LoraPair* LoraLayout::find(int layer, LinearRole role) const {
  const auto found = std::lower_bound(options_.adapted.begin(), options_.adapted.end(), role);
  if (found == options_.adapted.end() || *found != role) return nullptr;
  const std::size_t place = static_cast<std::size_t>(layer) * options_.adapted.size() +
                            static_cast<std::size_t>(found - options_.adapted.begin());
  return place < pairs_.size() ? &pairs_[place] : nullptr;
}

void LoraLayout::fill_initial(std::span<float> parameters, std::uint64_t seed) const {
  assert(parameters.size() == size_);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const LoraPair& pair = pairs_[i];
    const RandomStream random(seed, i);
    const double bound = 1 / std::sqrt(static_cast<double>(pair.in));
    for (std::size_t j = pair.a; j < pair.b; ++j)
      parameters[j] = static_cast<float>(bound * (2 * random.unit(j - pair.a) - 1));
    const std::size_t count = static_cast<std::size_t>(options_.rank * pair.out);
    std::fill_n(parameters.begin() + static_cast<std::ptrdiff_t>(pair.b), count, 0.0F);
  }
}

}  // namespace redraft
