#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace redraft {

// The parts of a forward pass that time is attributed to, in the order of a layer. Each linear
// layer has its own entry; the parts between them are named by what they do, whether or not they
// are fused.
enum class PassPart {
  kEmbedding,
  kNorm,           // norms, residual sums, and rounding of activations for the next linear layer
  kQueryKeyValue,  // linear layer
  kRope,           // rotation of queries and keys, storing of keys and values
  kAttention,
  kAttentionOutput,  // linear layer
  kGateUp,           // linear layer
  kActivation,
  kDown,  // linear layer
  kHead,  // linear layer, and the choice among its outputs
  kOther  // inputs, buffers, results
};
inline constexpr int kPassParts = static_cast<int>(PassPart::kOther) + 1;

constexpr const char* to_string(PassPart part) {
  constexpr const char* kNames[] = {"embedding", "norm",     "qkv",     "rope",
                                    "attention", "attn_out", "gate_up", "activation",
                                    "down",      "head",     "other"};
  return kNames[static_cast<std::size_t>(part)];
}
constexpr bool is_linear(PassPart part) {
  return part == PassPart::kQueryKeyValue || part == PassPart::kAttentionOutput ||
         part == PassPart::kGateUp || part == PassPart::kDown || part == PassPart::kHead;
}

// Where the wall time of forward passes went, summed over the passes. To use it:
//   PassProfile profile;
//   model.measuring()->set_profile(&profile);  // every forward() from here adds to it
//   model.forward(…);
//   model.measuring()->set_profile(nullptr);
//   profile.seconds(PassPart::kAttention) / profile.total()
// A pass is split without gaps, so the parts add up to the passes. Not thread-safe: it belongs to
// the thread that runs the passes.
class PassProfile {
 public:
  double seconds(PassPart part) const { return seconds_[static_cast<std::size_t>(part)]; }
  double total() const {
    double sum = 0;
    for (const double part : seconds_) sum += part;
    return sum;
  }
  int passes() const { return passes_; }
  void clear() { *this = PassProfile(); }

  // For models: begin_pass() starts a pass; charge() attributes all time since the last call to
  // `part`.
  void begin_pass() {
    ++passes_;
    last_ = Clock::now();
  }
  void charge(PassPart part) {
    const Clock::time_point now = Clock::now();
    seconds_[static_cast<std::size_t>(part)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::array<double, kPassParts> seconds_{};
  int passes_ = 0;
  Clock::time_point last_;
};

}  // namespace redraft
