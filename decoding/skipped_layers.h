#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace redraft {

// Which sublayers of a transformer a drafting pass skips (self-speculative decoding). As text,
// "a3-5+a9+m6" skips the attention of layers 3, 4, 5 and 9 and the feed-forward block (MLP) of
// layer 6; layers count from 0.
struct SkippedLayers {
  static constexpr int kMaxLayers = 1024;

  // Skips nothing.
  explicit SkippedLayers(int layers = 0)
      : attention(static_cast<std::size_t>(layers)), feed_forward(attention) {}

  std::vector<bool> attention;     // [layers]
  std::vector<bool> feed_forward;  // [layers]

  int layers() const { return static_cast<int>(attention.size()); }
  bool empty() const;
  bool operator==(const SkippedLayers&) const = default;
};

// The error says what is wrong with the text. A layer beyond the model's `layers` (at most
// kMaxLayers) is an error.
Result<SkippedLayers> parse_skipped_layers(std::string_view text, int layers);
// Empty if nothing is skipped.
std::string to_string(const SkippedLayers& skipped);

}  // namespace redraft
