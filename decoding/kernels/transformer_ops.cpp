#include "decoding/kernels/transformer_ops.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "decoding/kernels/half.h"

namespace redraft::kernels {
namespace {

// The slots that a row sees, in path order.
std::vector<int> path_of(const AttentionShape& shape, int row) {
  const int chain = shape.committed + std::min(row + 1, shape.context);
  std::vector<int> slots(static_cast<std::size_t>(chain));
  for (int i = 0; i < chain; ++i) slots[static_cast<std::size_t>(i)] = i;
  if (row < shape.context) return slots;
  const auto tail = slots.size();
  for (int node = row - shape.context; node >= 0; node = shape.parents[node]) {
    slots.push_back(shape.committed + shape.context + node);
  }
  std::reverse(slots.begin() + static_cast<std::ptrdiff_t>(tail), slots.end());
  return slots;
}

void attend(const AttentionShape& shape, const std::vector<int>& slots, int head, const float* q,
            const std::uint16_t* keys, const std::uint16_t* values, float* out) {
  const int dim = shape.head_dim;
  const std::size_t stride = static_cast<std::size_t>(shape.kv_heads) * dim;
  const std::size_t column = static_cast<std::size_t>(head / (shape.heads / shape.kv_heads)) * dim;
  const float scale = 1.0f / std::sqrt(static_cast<float>(dim));
  std::vector<float> scores(slots.size());
  float largest = -INFINITY;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::uint16_t* key = keys + static_cast<std::size_t>(slots[i]) * stride + column;
    float sum = 0;
    for (int d = 0; d < dim; ++d) sum += q[d] * half_to_float(key[d]);
    scores[i] = sum * scale;
    largest = std::max(largest, scores[i]);
  }
  float total = 0;
  std::fill(out, out + dim, 0.0f);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const float weight = std::exp(scores[i] - largest);
    total += weight;
    const std::uint16_t* value = values + static_cast<std::size_t>(slots[i]) * stride + column;
    for (int d = 0; d < dim; ++d) out[d] += weight * half_to_float(value[d]);
  }
  for (int d = 0; d < dim; ++d) out[d] /= total;
}

}  // namespace

void rms_norm(Isa, const float* x, const float* weight, float epsilon, int rows, int n, float* out,
              ThreadPool& pool) {
  pool.parallel_for(rows, 4, [&](int begin, int end) {
    for (int row = begin; row < end; ++row) {
      const float* in = x + static_cast<std::size_t>(row) * n;
      float* to = out + static_cast<std::size_t>(row) * n;
      float sum = 0;
      for (int i = 0; i < n; ++i) sum += in[i] * in[i];
      const float scale = 1.0f / std::sqrt(sum / static_cast<float>(n) + epsilon);
      for (int i = 0; i < n; ++i) to[i] = weight[i] * (in[i] * scale);
    }
  });
}

void add(Isa, float* x, const float* y, int count, ThreadPool&) {
  for (int i = 0; i < count; ++i) x[i] += y[i];
}

void silu_mul(Isa, const float* gate, const float* up, int rows, int n, float* out,
              ThreadPool& pool) {
  pool.parallel_for(rows, 1, [&](int begin, int end) {
    const std::size_t first = static_cast<std::size_t>(begin) * n;
    const std::size_t last = static_cast<std::size_t>(end) * n;
    for (std::size_t i = first; i < last; ++i)
      out[i] = gate[i] / (1.0f + std::exp(-gate[i])) * up[i];
  });
}

void rope_table(int positions, int head_dim, float base, float* cosines, float* sines) {
  const int half = head_dim / 2;
  for (int i = 0; i < half; ++i) {
    const double frequency = std::pow(static_cast<double>(base), -2.0 * i / head_dim);
    for (int position = 0; position < positions; ++position) {
      cosines[static_cast<std::size_t>(position) * half + i] =
          static_cast<float>(std::cos(position * frequency));
      sines[static_cast<std::size_t>(position) * half + i] =
          static_cast<float>(std::sin(position * frequency));
    }
  }
}

void rope(const float* cosines, const float* sines, const std::int32_t* positions, int rows,
          int heads, int head_dim, float* x, int ldx, ThreadPool& pool) {
  const int half = head_dim / 2;
  pool.parallel_for(rows, 4, [&](int begin, int end) {
    for (int row = begin; row < end; ++row) {
      const float* c = cosines + static_cast<std::size_t>(positions[row]) * half;
      const float* s = sines + static_cast<std::size_t>(positions[row]) * half;
      for (int head = 0; head < heads; ++head) {
        float* low =
            x + static_cast<std::size_t>(row) * ldx + static_cast<std::size_t>(head) * head_dim;
        float* high = low + half;
        for (int i = 0; i < half; ++i) {
          const float a = low[i];
          const float b = high[i];
          low[i] = a * c[i] - b * s[i];
          high[i] = a * s[i] + b * c[i];
        }
      }
    }
  });
}

void to_half(Isa, const float* x, int rows, int n, int ldx, std::uint16_t* out, int ldo) {
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < n; ++i) {
      out[static_cast<std::size_t>(row) * ldo + i] =
          float_to_half(x[static_cast<std::size_t>(row) * ldx + i]);
    }
  }
}

void attention(Isa, const AttentionShape& shape, const float* q, const std::uint16_t* keys,
               const std::uint16_t* values, float* out, ThreadPool& pool) {
  pool.parallel_for(shape.rows, 1, [&](int begin, int end) {
    for (int row = begin; row < end; ++row) {
      const std::vector<int> slots = path_of(shape, row);
      for (int head = 0; head < shape.heads; ++head) {
        const std::size_t at =
            (static_cast<std::size_t>(row) * shape.heads + head) * shape.head_dim;
        attend(shape, slots, head, q + at, keys, values, out + at);
      }
    }
  });
}

}  // namespace redraft::kernels
