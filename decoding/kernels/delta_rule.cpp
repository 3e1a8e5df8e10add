#include "decoding/kernels/delta_rule.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "decoding/kernels/column_split.h"
#include "decoding/kernels/operator_kernels.h"

namespace redraft::kernels {
namespace {

constexpr float kNormEpsilon = 1e-6f;  // of the length of queries and keys

float sigmoid(float x) { return static_cast<float>(1 / (1 + std::exp(-static_cast<double>(x)))); }

// exp(base * softplus(alpha + bias)), by one scalar function for every row.
float decay_of(float alpha, float bias, float base) {
  const double x = static_cast<double>(alpha + bias);
  const double softplus = x > 20 ? x : std::log1p(std::exp(x));
  return static_cast<float>(std::exp(static_cast<double>(base) * softplus));
}

// out = x / |x| * scale
void normalise(const OperatorKernels& kernels, const float* x, int n, float scale, float* out) {
  const float inverse = scale / std::sqrt(kernels.sum_squares(x, n) + kNormEpsilon);
  for (int i = 0; i < n; ++i) out[i] = x[i] * inverse;
}

// The working memory of one thread.
struct HeadScratch {
  std::vector<float> levels;  // [levels, keys, values]
  std::vector<float> query, key, answer;

  void reserve(const DeltaShape& shape, int level_count) {
    const std::size_t needed = static_cast<std::size_t>(level_count) * shape.head_floats();
    if (levels.size() < needed) levels.resize(needed);
    query.resize(static_cast<std::size_t>(shape.key_dim));
    key.resize(static_cast<std::size_t>(shape.key_dim));
    answer.resize(static_cast<std::size_t>(shape.value_dim));
  }
};

// All steps of one value head.
class HeadRun {
 public:
  HeadRun(const OperatorKernels& kernels, const DeltaShape& shape, const DeltaWeights& weights,
          const DeltaInputs& inputs, int head, HeadScratch& scratch)
      : kernels_(kernels),
        shape_(shape),
        weights_(weights),
        inputs_(inputs),
        head_(head),
        scratch_(scratch) {}

  void run(const DeltaSteps& steps, float* committed, float* out) {
    float* const state = committed + static_cast<std::size_t>(head_) * shape_.head_floats();
    const auto at = [&](int level) {
      return level == DeltaStep::kCommitted
                 ? state
                 : scratch_.levels.data() + static_cast<std::size_t>(level) * shape_.head_floats();
    };
    for (const DeltaStep& step : steps.steps) {
      update(step.row, at(step.from), at(step.to), out != nullptr);
      if (out) finish(step.row, out);
    }
  }

 private:
  void update(int row, const float* from, float* to, bool wanted) {
    const float* const mixed =
        inputs_.convolved + static_cast<std::size_t>(row) * shape_.channels();
    const int key_at = shape_.key_head_of(head_) * shape_.key_dim;
    const auto own = static_cast<std::size_t>(row) * shape_.value_heads + head_;
    const int n = shape_.key_dim;
    normalise(kernels_, mixed + shape_.key_width() + key_at, n, 1, scratch_.key.data());
    if (wanted) {
      const float scale = 1.0f / std::sqrt(static_cast<float>(n));
      normalise(kernels_, mixed + key_at, n, scale, scratch_.query.data());
    }
    const DeltaHead head{
        .state = from,
        .next = to,
        .query = scratch_.query.data(),
        .key = scratch_.key.data(),
        .value = mixed + 2 * shape_.key_width() + head_ * shape_.value_dim,
        .decay =
            decay_of(inputs_.alpha[own], weights_.decay_bias[head_], weights_.decay[head_]),
        .beta = sigmoid(inputs_.beta[own]),
        .keys = n,
        .values = shape_.value_dim};
    kernels_.delta_step(head, wanted ? scratch_.answer.data() : nullptr);
  }

  void finish(int row, float* out) {
    const int n = shape_.value_dim;
    float* const answer = scratch_.answer.data();
    const float mean = kernels_.sum_squares(answer, n) / static_cast<float>(n);
    kernels_.scale_by(answer, weights_.norm, 1.0f / std::sqrt(mean + weights_.epsilon), n, answer);
    const std::size_t at = static_cast<std::size_t>(row) * shape_.value_width() +
                           static_cast<std::size_t>(head_) * static_cast<std::size_t>(n);
    kernels_.silu_mul(inputs_.gate + at, answer, n, out + at);
  }

  const OperatorKernels& kernels_;
  const DeltaShape& shape_;
  const DeltaWeights& weights_;
  const DeltaInputs& inputs_;
  int head_;
  HeadScratch& scratch_;
};

}  // namespace

DeltaSteps delta_steps(const DeltaRows& rows) {
  constexpr int kRoot = -1;
  DeltaSteps out;
  for (int row = 0; row < rows.context; ++row)
    out.steps.push_back({row, DeltaStep::kCommitted, DeltaStep::kCommitted});
  const int nodes = static_cast<int>(rows.parents.size());
  // The children of each node, and of the root in the last place, in descending order.
  std::vector<std::vector<int>> children(static_cast<std::size_t>(nodes) + 1);
  const auto of = [&](int node) -> std::vector<int>& {
    return children[static_cast<std::size_t>(node == kRoot ? nodes : node)];
  };
  for (int node = nodes - 1; node >= 0; --node)
    of(rows.parents[static_cast<std::size_t>(node)]).push_back(node);
  struct Open {
    int node;
    int level;
  };
  std::vector<Open> path = {{kRoot, DeltaStep::kCommitted}};
  while (!path.empty()) {
    const Open parent = path.back();
    std::vector<int>& rest = of(parent.node);
    if (rest.empty()) {
      path.pop_back();
      continue;
    }
    const int node = rest.back();
    rest.pop_back();
    const bool in_place = rest.empty() && parent.level != DeltaStep::kCommitted;
    const int level = in_place ? parent.level : parent.level + 1;
    out.steps.push_back({rows.context + node, parent.level, level});
    out.levels = std::max(out.levels, level + 1);
    path.push_back({node, level});
  }
  return out;
}

void causal_convolution(Isa isa, const DeltaShape& shape, const float* weight,
                        const DeltaRows& rows, const float* columns, const float* mixed, float* out,
                        ThreadPool& pool) {
  const OperatorKernels& kernels = operator_kernels(isa);
  const int channels = shape.channels();
  // The row before; below 0: that many columns before the pass.
  const auto before = [&](int row) {
    if (row < 0) return row - 1;
    if (row < rows.context) return row - 1;
    const int parent = rows.parents[static_cast<std::size_t>(row - rows.context)];
    return parent < 0 ? rows.context - 1 : rows.context + parent;
  };
  std::vector<const float*> inputs(static_cast<std::size_t>(rows.count()) * shape.taps);
  for (int row = 0; row < rows.count(); ++row) {
    int at = row;
    for (int tap = shape.taps - 1; tap >= 0; --tap, at = before(at)) {
      inputs[static_cast<std::size_t>(row) * shape.taps + tap] =
          at >= 0 ? mixed + static_cast<std::size_t>(at) * channels
                  : columns + static_cast<std::size_t>(shape.saved_columns() + at) * channels;
    }
  }
  for_each_part(rows.count(), channels, pool,
                [&](int first_row, int end_row, int begin, int end) {
                  for (int row = first_row; row < end_row; ++row) {
                    kernels.convolve(inputs.data() + static_cast<std::size_t>(row) * shape.taps,
                                     weight, shape.taps, channels, begin, end,
                                     out + static_cast<std::size_t>(row) * channels);
                  }
                });
}

void advance_columns(const DeltaShape& shape, std::span<const float* const> rows_of_path,
                     float* columns) {
  const auto channels = static_cast<std::size_t>(shape.channels());
  const auto saved = static_cast<std::size_t>(shape.saved_columns());
  const std::size_t read = rows_of_path.size();
  const std::size_t stay = saved - std::min(saved, read);
  std::copy(columns + (saved - stay) * channels, columns + saved * channels, columns);
  for (std::size_t i = stay; i < saved; ++i)
    std::copy_n(rows_of_path[read - saved + i], channels, columns + i * channels);
}

void delta_rule(Isa isa, const DeltaShape& shape, const DeltaWeights& weights,
                const DeltaSteps& steps, const DeltaInputs& inputs, float* state, float* out,
                ThreadPool& pool) {
  assert(shape.value_dim % 16 == 0 && shape.value_heads % shape.key_heads == 0);
  const OperatorKernels& kernels = operator_kernels(isa);
  pool.parallel_for(shape.value_heads, 1, [&](int begin, int end) {
    static thread_local HeadScratch scratch;
    scratch.reserve(shape, steps.levels);
    for (int head = begin; head < end; ++head)
      HeadRun(kernels, shape, weights, inputs, head, scratch).run(steps, state, out);
  });
}

void split_gated_query(const float* x, int rows, int heads, int head_dim, float* query, float* gate,
                       ThreadPool& pool) {
  const auto dim = static_cast<std::size_t>(head_dim);
  pool.parallel_for(rows, 4, [&](int begin, int end) {
    for (std::size_t i = static_cast<std::size_t>(begin) * heads;
         i < static_cast<std::size_t>(end) * heads; ++i) {
      std::copy_n(x + 2 * i * dim, dim, query + i * dim);
      std::copy_n(x + (2 * i + 1) * dim, dim, gate + i * dim);
    }
  });
}

void gate_by_sigmoid(Isa isa, float* x, const float* gate, int rows, int n, ThreadPool& pool) {
  const OperatorKernels& kernels = operator_kernels(isa);
  for_each_part(rows, n, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * n + begin;
      kernels.sigmoid_mul(x + at, gate + at, end - begin, x + at);
    }
  });
}

void add_gated_rows(Isa isa, const float* x, const float* gate, int rows, int n, float* y,
                    ThreadPool& pool) {
  const OperatorKernels& kernels = operator_kernels(isa);
  for_each_part(rows, n, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * n + begin;
      kernels.add_scaled(y + at, x + at, sigmoid(gate[row]), end - begin);
    }
  });
}

}  // namespace redraft::kernels
