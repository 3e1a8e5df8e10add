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

// What a row does to a head.
struct HeadRow {
  float decay;
  float beta;
};

// The working memory of one thread.
struct HeadScratch {
  std::vector<float> levels;      // [levels, keys, kDeltaTile]
  std::vector<float> query, key;  // [steps, keys]
  std::vector<float> answer;      // [steps, values]
  std::vector<HeadRow> rows;      // [steps]
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
    prepare(steps, out != nullptr);
    float* const state = committed + static_cast<std::size_t>(head_) * shape_.head_floats();
    for (int first = 0; first < shape_.value_dim; first += kDeltaTile)
      run_tile(steps, first, state + shape_.state_index(0, first), out != nullptr);
    for (std::size_t i = 0; out && i < steps.steps.size(); ++i) finish(i, steps.steps[i].row, out);
  }

 private:
  const float* mixed(int row) const {
    return inputs_.convolved + static_cast<std::size_t>(row) * shape_.channels();
  }

  void prepare(const DeltaSteps& steps, bool wanted) {
    const auto count = steps.steps.size();
    const auto keys = static_cast<std::size_t>(shape_.key_dim);
    scratch_.levels.resize(static_cast<std::size_t>(steps.levels) * keys * kDeltaTile);
    scratch_.query.resize(count * keys);
    scratch_.key.resize(count * keys);
    scratch_.answer.resize(count * static_cast<std::size_t>(shape_.value_dim));
    scratch_.rows.resize(count);
    const float scale = 1.0f / std::sqrt(static_cast<float>(shape_.key_dim));
    for (std::size_t i = 0; i < count; ++i) {
      const int row = steps.steps[i].row;
      const float* const query = mixed(row) + shape_.key_head_of(head_) * shape_.key_dim;
      normalise(kernels_, query + shape_.key_width(), shape_.key_dim, 1, &scratch_.key[i * keys]);
      if (wanted) normalise(kernels_, query, shape_.key_dim, scale, &scratch_.query[i * keys]);
      const auto own = static_cast<std::size_t>(row) * shape_.value_heads + head_;
      scratch_.rows[i] = {
          decay_of(inputs_.alpha[own], weights_.decay_bias[head_], weights_.decay[head_]),
          sigmoid(inputs_.beta[own])};
    }
  }

  // Values `first` and up, whose committed state is at `state`.
  void run_tile(const DeltaSteps& steps, int first, float* state, bool wanted) {
    const int width = std::min(kDeltaTile, shape_.value_dim - first);
    const auto keys = static_cast<std::size_t>(shape_.key_dim);
    const auto at = [&](int level) {
      if (level == DeltaStep::kCommitted) return state;
      return scratch_.levels.data() + static_cast<std::size_t>(level) * keys * kDeltaTile;
    };
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
      const DeltaStep& step = steps.steps[i];
      const DeltaTile tile{
          .state = at(step.from),
          .next = at(step.to),
          .query = &scratch_.query[i * keys],
          .key = &scratch_.key[i * keys],
          .value = mixed(step.row) + 2 * shape_.key_width() + head_ * shape_.value_dim + first,
          .decay = scratch_.rows[i].decay,
          .beta = scratch_.rows[i].beta,
          .keys = shape_.key_dim,
          .width = width};
      float* const answer = scratch_.answer.data() + i * static_cast<std::size_t>(shape_.value_dim);
      kernels_.delta_tile(tile, wanted ? answer + first : nullptr);
    }
  }

  void finish(std::size_t step, int row, float* out) {
    const int n = shape_.value_dim;
    float* const answer = &scratch_.answer[step * static_cast<std::size_t>(n)];
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

std::size_t DeltaShape::state_index(int key, int value) const {
  const int first = value / kDeltaTile * kDeltaTile;
  const int width = std::min(kDeltaTile, value_dim - first);
  return std::size_t(first) * std::size_t(key_dim) + std::size_t(key * width + value - first);
}

DeltaSteps delta_steps(const TreeRows& rows) {
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

void delta_rule(Isa isa, const DeltaShape& shape, const DeltaWeights& weights,
                const DeltaSteps& steps, const DeltaInputs& inputs, float* state, float* out,
                ThreadPool& pool) {
  assert(shape.value_dim % 16 == 0 && shape.value_heads % shape.key_heads == 0);
  const OperatorKernels& kernels = operator_kernels(isa);
  pool.parallel_for(shape.value_heads, 1, [&](int begin, int end) {
    static thread_local HeadScratch scratch;
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
