#include "decoding/kernels/transformer_ops.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "decoding/kernels/column_split.h"
#include "decoding/kernels/fixed_point.h"
#include "decoding/kernels/operator_kernels.h"

namespace redraft::kernels {
namespace {

constexpr int kElementGrain = 8192;  // the minimum that is worth another thread

}  // namespace

const OperatorKernels& operator_kernels(Isa isa) {
#if defined(__x86_64__)
  if (has_avx2_only(isa)) return avx2_operators();
  if (has_avx512(isa)) return avx512_operators();
#elif defined(__aarch64__)
  if (has_neon(isa)) return neon_operators();
#endif
  return portable_operators();
}

// The sum of squares is a sum of the superblocks' sums, so that threads may divide the columns.
void rms_norm(Isa isa, const float* x, const float* weight, float epsilon, int rows, int n,
              float* out, ThreadPool& pool) {
  const OperatorKernels& kernels = operator_kernels(isa);
  const int superblocks = superblock_count(n);
  static thread_local std::vector<float> scratch;  // [rows, superblocks]
  scratch.resize(static_cast<std::size_t>(rows) * superblocks);
  float* const sums = scratch.data();
  const auto at = [](int row, int width) { return static_cast<std::size_t>(row) * width; };
  for_each_part(rows, n, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      for (int i = begin; i < end; i += kSuperblock) {
        sums[at(row, superblocks) + i / kSuperblock] =
            kernels.sum_squares(x + at(row, n) + i, std::min(kSuperblock, end - i));
      }
    }
  });
  for_each_part(rows, n, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      float sum = 0;
      for (int i = 0; i < superblocks; ++i) sum += sums[at(row, superblocks) + i];
      const float scale = 1.0f / std::sqrt(sum / static_cast<float>(n) + epsilon);
      kernels.scale_by(x + at(row, n) + begin, weight + begin, scale, end - begin,
                       out + at(row, n) + begin);
    }
  });
}

void add(Isa isa, float* x, const float* y, int rows, int n, ThreadPool& pool) {
  const OperatorKernels& kernels = operator_kernels(isa);
  for_each_part(rows, n, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * n + begin;
      kernels.add(x + at, y + at, end - begin);
    }
  });
}

void add_scaled(Isa isa, float* x, const float* y, float factor, int rows, int n,
                ThreadPool& pool) {
  const OperatorKernels& kernels = operator_kernels(isa);
  for_each_part(rows, n, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * n + begin;
      kernels.add_scaled(x + at, y + at, factor, end - begin);
    }
  });
}

void scale_rows(float* x, const float* factors, const std::int32_t* places, int rows, int n,
                ThreadPool& pool) {
  for_each_part(rows, n, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      const float factor = factors[places ? places[row] : 0];
      float* const values = x + static_cast<std::size_t>(row) * n;
      for (int i = begin; i < end; ++i) values[i] *= factor;
    }
  });
}

void silu_mul(Isa isa, const float* gate, const float* up, int rows, int n, float* out,
              ThreadPool& pool) {
  const OperatorKernels& kernels = operator_kernels(isa);
  for_each_part(rows, n, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * n + begin;
      kernels.silu_mul(gate + at, up + at, end - begin, out + at);
    }
  });
}

void clamped_silu_mul(Isa isa, const float* gate, const float* up, int rows, int n, float* out,
                      ThreadPool& pool) {
  const OperatorKernels& kernels = operator_kernels(isa);
  for_each_part(rows, n, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * n + begin;
      kernels.clamped_silu_mul(gate + at, up + at, end - begin, out + at);
    }
  });
}

void gelu_mul(Isa isa, const float* gate, const float* up, int rows, int n, float* out,
              ThreadPool& pool) {
  const OperatorKernels& kernels = operator_kernels(isa);
  for_each_part(rows, n, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * n + begin;
      kernels.gelu_mul(gate + at, up + at, end - begin, out + at);
    }
  });
}

void cap_softly(float* x, float cap, int rows, int n, ThreadPool& pool) {
  for_each_part(rows, n, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      float* const part = x + static_cast<std::size_t>(row) * n;
      for (int i = begin; i < end; ++i) part[i] = cap * std::tanh(part[i] / cap);
    }
  });
}

namespace {

bool is_better(float score, float than) {
  return score > than || (std::isnan(than) && !std::isnan(score));
}

// The best `used` of n scores, by insertion: there are few.
void choose_best(const float* scores, int n, int used, std::int32_t* chosen, float* best) {
  int count = 0;
  for (std::int32_t i = 0; i < n; ++i) {
    const float score = scores[i];
    if (count == used && !is_better(score, best[used - 1])) continue;
    int at = count < used ? count++ : used - 1;
    for (; at > 0 && is_better(score, best[at - 1]); --at) {
      best[at] = best[at - 1];
      chosen[at] = chosen[at - 1];
    }
    best[at] = score;
    chosen[at] = i;
  }
}

}  // namespace

void route(Isa isa, const float* scores, int rows, int n, int used, std::int32_t* chosen,
           float* shares, ThreadPool& pool) {
  const OperatorKernels& kernels = operator_kernels(isa);
  pool.parallel_for(rows, std::max(1, kElementGrain / n), [&](int begin, int end) {
    for (int row = begin; row < end; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * used;
      float* const own = shares + at;
      choose_best(scores + static_cast<std::size_t>(row) * n, n, used, chosen + at, own);
      kernels.exp_below(own, own[0], used, own);
      float sum = 0;
      for (int i = 0; i < used; ++i) sum += own[i];
      for (int i = 0; i < used; ++i) own[i] /= sum;
    }
  });
}

void gather_rows(const float* x, const std::int32_t* sources, int rows, int n, float* out,
                 ThreadPool& pool) {
  const auto width = static_cast<std::size_t>(n);
  for_each_part(rows, n, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      std::copy(x + static_cast<std::size_t>(sources[row]) * width + begin,
                x + static_cast<std::size_t>(sources[row]) * width + end,
                out + static_cast<std::size_t>(row) * width + begin);
    }
  });
}

void mix_rows(Isa isa, const float* x, const std::int32_t* places, const float* shares, int rows,
              int count, int n, float* out, ThreadPool& pool) {
  const OperatorKernels& kernels = operator_kernels(isa);
  const auto width = static_cast<std::size_t>(n);
  for_each_part(rows, n, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      float* const to = out + static_cast<std::size_t>(row) * width + begin;
      std::fill_n(to, end - begin, 0.0f);
      for (int i = 0; i < count; ++i) {
        const std::size_t at = static_cast<std::size_t>(row) * count + i;
        kernels.add_scaled(to, x + static_cast<std::size_t>(places[at]) * width + begin, shares[at],
                           end - begin);
      }
    }
  });
}

void rope_table(int positions, std::span<const double> frequencies, double amplitude,
                float* cosines, float* sines) {
  for (int position = 0; position < positions; ++position) {
    for (const double frequency : frequencies) {
      *cosines++ = static_cast<float>(amplitude * std::cos(position * frequency));
      *sines++ = static_cast<float>(amplitude * std::sin(position * frequency));
    }
  }
}

void rope(const float* cosines, const float* sines, const std::int32_t* positions, int rows,
          int heads, int head_dim, int rotated, float* x, int ldx, ThreadPool& pool) {
  const int half = rotated / 2;
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

void store_fixed(Isa isa, const float* x, int rows, int heads, int head_dim, std::int16_t* out,
                 std::int64_t head_pitch, ThreadPool& pool) {
  const OperatorKernels& kernels = operator_kernels(isa);
  const int grain = std::max(1, kElementGrain / (heads * head_dim));
  pool.parallel_for(rows, grain, [&](int begin, int end) {
    for (int row = begin; row < end; ++row) {
      for (int head = 0; head < heads; ++head) {
        kernels.to_fixed(
            x + (static_cast<std::size_t>(row) * heads + head) * head_dim, head_dim,
            out + head * head_pitch + static_cast<std::int64_t>(row) * (head_dim + kScaleInts));
      }
    }
  });
}

}  // namespace redraft::kernels
