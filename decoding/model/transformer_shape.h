#pragma once

#include <string>

#include "decoding/model/gguf.h"
#include "support/result.h"

namespace redraft {

// What a model file says about its transformer. Checked: every count is in a sane range, heads
// divide evenly and are as wide as the kernels take them.
struct TransformerShape {
  std::string architecture;
  int layers = 0;
  int context_length = 0;
  int hidden = 0;        // width of a row between layers
  int feed_forward = 0;  // width inside the feed-forward block
  int heads = 0;         // query heads
  int kv_heads = 0;      // divides heads
  int head_dim = 0;
  int vocabulary = 0;
  double rope_base = 0;
  double epsilon = 0;

  int query_width() const { return heads * head_dim; }
  int kv_width() const { return kv_heads * head_dim; }
};

// The error names the architecture and what redraft supports, or the key that is wrong.
Result<TransformerShape> read_shape(const GgufFile& file);

}  // namespace redraft
