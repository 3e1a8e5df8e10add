// The gated delta rule: what it computes, compared with double precision, and that a row has the
// same bits in a chain, in a tree and in a replay, on any number of threads.
#include "decoding/kernels/delta_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace redraft::kernels {
namespace {

constexpr float kEpsilon = 1e-6F;

std::vector<float> random_floats(std::size_t count, std::uint32_t seed, float scale = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> out(count);
  std::ranges::generate(out, [&] { return normal(random); });
  return out;
}

// A layer, its inputs before the convolution, and the state that it starts from.
struct Layer {
  DeltaShape shape;
  int rows;
  std::vector<float> weight, decay, decay_bias, norm;
  std::vector<float> mixed, alpha, beta, gate;
  std::vector<float> columns, state;

  Layer(const DeltaShape& of, int count) : shape(of), rows(count) {
    const auto n = static_cast<std::size_t>(count);
    const auto channels = static_cast<std::size_t>(shape.channels());
    const auto heads = static_cast<std::size_t>(shape.value_heads);
    weight = random_floats(static_cast<std::size_t>(shape.taps) * channels, 1);
    decay = random_floats(heads, 2);
    for (float& each : decay) each = -std::exp(each - 2);
    decay_bias = random_floats(heads, 3);
    norm = random_floats(static_cast<std::size_t>(shape.value_dim), 4);
    mixed = random_floats(n * channels, 5);
    alpha = random_floats(n * heads, 6);
    beta = random_floats(n * heads, 7);
    gate = random_floats(n * static_cast<std::size_t>(shape.value_width()), 8);
    columns = random_floats(shape.convolution().column_floats(), 9);
    state = random_floats(shape.state_floats(), 10, 0.1F);
  }

  DeltaWeights weights() const {
    return {.decay = decay.data(),
            .decay_bias = decay_bias.data(),
            .norm = norm.data(),
            .epsilon = kEpsilon};
  }
  float* row(std::vector<float>& of, int idx) const {
    return of.data() + static_cast<std::size_t>(idx) * (of.size() / static_cast<std::size_t>(rows));
  }
  // The rows of a path, as a chain.
  Layer chain(const std::vector<int>& path) const {
    Layer out = *this;
    out.rows = static_cast<int>(path.size());
    const auto take = [&](const std::vector<float>& from, std::vector<float>& to) {
      const std::size_t width = from.size() / static_cast<std::size_t>(rows);
      to.clear();
      for (const int each : path) {
        const float* first = from.data() + static_cast<std::size_t>(each) * width;
        to.insert(to.end(), first, first + width);
      }
    };
    take(mixed, out.mixed);
    take(alpha, out.alpha);
    take(beta, out.beta);
    take(gate, out.gate);
    return out;
  }

  // Answers [rows, value_width]; `state` and `columns` are advanced by the context.
  std::vector<float> run(Isa isa, const TreeRows& tree, ThreadPool& pool, bool wanted = true) {
    std::vector<float> convolved(mixed.size());
    causal_convolution(isa, shape.convolution(), weight.data(), tree, columns.data(), mixed.data(),
                       convolved.data(), pool);
    std::vector<float> out(gate.size());
    const DeltaInputs inputs{.convolved = convolved.data(),
                             .alpha = alpha.data(),
                             .beta = beta.data(),
                             .gate = gate.data()};
    delta_rule(isa, shape, weights(), delta_steps(tree), inputs, state.data(),
               wanted ? out.data() : nullptr, pool);
    std::vector<const float*> context;
    for (int i = 0; i < tree.context; ++i) context.push_back(row(mixed, i));
    advance_columns(shape.convolution(), context, columns.data());
    return out;
  }
};

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// One head of a chain in double precision.
class Reference {
 public:
  Reference(const Layer& layer, int head) : layer_(layer), head_(head) {
    const std::size_t floats = layer.shape.head_floats();
    const float* first = layer.state.data() + static_cast<std::size_t>(head) * floats;
    state_.assign(first, first + floats);
  }

  // The answer of the next row, [value_dim].
  std::vector<double> next(int row) {
    const DeltaShape& shape = layer_.shape;
    const int key_at = shape.key_head_of(head_) * shape.key_dim;
    std::vector<double> query = channels(row, key_at, shape.key_dim);
    std::vector<double> key = channels(row, shape.key_width() + key_at, shape.key_dim);
    const int value_at = 2 * shape.key_width() + head_ * shape.value_dim;
    const std::vector<double> value = channels(row, value_at, shape.value_dim);
    normalise(query, std::sqrt(1.0 / shape.key_dim));
    normalise(key, 1);
    const auto own = static_cast<std::size_t>(row * shape.value_heads + head_);
    const auto head = static_cast<std::size_t>(head_);
    const double softplus = std::log1p(std::exp(layer_.alpha[own] + layer_.decay_bias[head]));
    const double decay = std::exp(layer_.decay[head] * softplus);
    const double beta = 1 / (1 + std::exp(-layer_.beta[own]));
    const auto values = static_cast<std::size_t>(shape.value_dim);
    std::vector<double> out(values);
    for (std::size_t j = 0; j < values; ++j) {
      double known = 0;
      for (std::size_t i = 0; i < key.size(); ++i)
        known += key[i] * (state_[shape.state_index(int(i), int(j))] *= decay);
      const double change = beta * (value[j] - known);
      for (std::size_t i = 0; i < key.size(); ++i)
        out[j] += query[i] * (state_[shape.state_index(int(i), int(j))] += key[i] * change);
    }
    return gated(out, row);
  }

 private:
  double input(int row, int channel) const {
    const auto width = static_cast<std::size_t>(layer_.shape.channels());
    const auto at = static_cast<std::size_t>(channel);
    if (row >= 0) return layer_.mixed[static_cast<std::size_t>(row) * width + at];
    const int saved = layer_.shape.convolution().saved_columns();
    return layer_.columns[static_cast<std::size_t>(saved + row) * width + at];
  }
  std::vector<double> channels(int row, int first, int count) const {
    std::vector<double> out;
    for (int channel = first; channel < first + count; ++channel) {
      double sum = 0;
      for (int tap = 0; tap < layer_.shape.taps; ++tap) {
        sum += input(row - (layer_.shape.taps - 1) + tap, channel) *
               layer_.weight[static_cast<std::size_t>(tap * layer_.shape.channels() + channel)];
      }
      out.push_back(sum / (1 + std::exp(-sum)));
    }
    return out;
  }
  static void normalise(std::vector<double>& x, double scale) {
    double sum = 1e-6;
    for (const double each : x) sum += each * each;
    for (double& each : x) each *= scale / std::sqrt(sum);
  }
  std::vector<double> gated(std::vector<double> x, int row) const {
    double sum = 0;
    for (const double each : x) sum += each * each;
    const double scale = 1 / std::sqrt(sum / static_cast<double>(x.size()) + kEpsilon);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double gate = layer_.gate[static_cast<std::size_t>(row * layer_.shape.value_width() +
                                                               head_ * layer_.shape.value_dim) +
                                      i];
      x[i] *= scale * layer_.norm[i] * gate / (1 + std::exp(-gate));
    }
    return x;
  }

  const Layer& layer_;
  int head_;
  std::vector<double> state_;
};

const DeltaShape kShapes[] = {
    {.key_heads = 2, .value_heads = 4, .key_dim = 32, .value_dim = 16, .taps = 4},
    {.key_heads = 2,
     .value_heads = 6,
     .key_dim = 16,
     .value_dim = 48,
     .taps = 2,
     .neighbours_share = true},
    {.key_heads = 1, .value_heads = 2, .key_dim = 128, .value_dim = 128, .taps = 4},
};

class DeltaRule : public testing::TestWithParam<Isa> {
 protected:
  ThreadPool one_{1}, three_{3};
};

TEST_P(DeltaRule, ComputesTheRecurrence) {
  for (const DeltaShape& shape : kShapes) {
    Layer layer(shape, 9);
    const Layer before = layer;
    const std::vector<float> got = layer.run(GetParam(), {.context = 9}, three_);
    for (int head = 0; head < shape.value_heads; ++head) {
      Reference reference(before, head);
      for (int row = 0; row < 9; ++row) {
        const std::vector<double> expected = reference.next(row);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          const auto at =
              static_cast<std::size_t>(row * shape.value_width() + head * shape.value_dim) + i;
          ASSERT_NEAR(got[at], expected[i], 2e-4 * (1 + std::abs(expected[i])))
              << "row " << row << ", head " << head;
        }
      }
    }
  }
}

// Random trees, in which each node's row must be the last one of the chain that leads to it.
TEST_P(DeltaRule, ATreesRowsAreThoseOfItsPathsAndLeaveTheStateAlone) {
  std::mt19937 random(3);
  for (int round = 0; round < 12; ++round) {
    const DeltaShape& shape = kShapes[round % 3];
    const int context = 1 + static_cast<int>(random() % 5);
    std::vector<std::int32_t> parents;
    for (int i = 0; i < 14; ++i)
      parents.push_back(static_cast<int>(random() % static_cast<std::uint32_t>(i + 1)) - 1);
    Layer layer(shape, context + 14);
    const Layer before = layer;
    const std::vector<float> rows =
        layer.run(GetParam(), {.context = context, .parents = parents}, three_);
    const auto width = static_cast<std::size_t>(shape.value_width());
    for (int node = -1; node < 14; ++node) {
      std::vector<int> path;
      for (int at = node; at >= 0; at = parents[static_cast<std::size_t>(at)])
        path.insert(path.begin(), context + at);
      for (int row = context - 1; row >= 0; --row) path.insert(path.begin(), row);
      Layer chain = before.chain(path);
      const std::vector<float> alone =
          chain.run(GetParam(), {.context = static_cast<int>(path.size())}, one_);
      const int row = context + node;
      EXPECT_TRUE(same_bits(std::span(rows).subspan(static_cast<std::size_t>(row) * width, width),
                            std::span(alone).last(width)))
          << "node " << node;
      if (node == -1) {
        EXPECT_TRUE(same_bits(layer.state, chain.state)) << "a draft changed the state";
        EXPECT_TRUE(same_bits(layer.columns, chain.columns));
      }
    }
  }
}

// Chunks of any size, and a replay that wants no answers, leave the same state.
TEST_P(DeltaRule, TheStateDoesNotDependOnHowRowsAreDivided) {
  for (const DeltaShape& shape : kShapes) {
    const Layer all(shape, 11);
    Layer once = all;
    once.run(GetParam(), {.context = 11}, three_);
    for (const int chunk : {1, 2, 5}) {
      Layer part = all;
      for (int first = 0; first < 11; first += chunk) {
        std::vector<int> rows;
        for (int row = first; row < std::min(11, first + chunk); ++row) rows.push_back(row);
        Layer some = all.chain(rows);
        some.state = part.state;
        some.columns = part.columns;
        some.run(GetParam(), {.context = static_cast<int>(rows.size())}, one_, chunk != 2);
        part.state = some.state;
        part.columns = some.columns;
      }
      EXPECT_TRUE(same_bits(part.state, once.state)) << chunk;
      EXPECT_TRUE(same_bits(part.columns, once.columns)) << chunk;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, DeltaRule, testing::ValuesIn(available_isas()), [](const auto& isa) {
  return std::string("isa") + std::to_string(static_cast<int>(isa.param));
});

TEST(DeltaSteps, ABranchTakesALevelAndAChainTakesOne) {
  const std::vector<std::int32_t> chain = {-1, 0, 1, 2};
  EXPECT_EQ(delta_steps({.context = 2, .parents = chain}).levels, 1);
  const std::vector<std::int32_t> fan = {-1, -1, -1};
  EXPECT_EQ(delta_steps({.context = 1, .parents = fan}).levels, 1);
  const std::vector<std::int32_t> comb = {-1, 0, 0, 2, 2, 4, 4};
  EXPECT_EQ(delta_steps({.context = 1, .parents = comb}).levels, 2);
  EXPECT_EQ(delta_steps({.context = 3}).levels, 0);
}

// Every row once, after its parent, and no level is overwritten before its last reader.
TEST(DeltaSteps, EveryRowReadsTheStateOfItsParent) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int32_t> parents;
    const int nodes = static_cast<int>(random() % 20);
    for (int i = 0; i < nodes; ++i)
      parents.push_back(static_cast<int>(random() % static_cast<std::uint32_t>(i + 1)) - 1);
    const DeltaSteps steps = delta_steps({.context = 2, .parents = parents});
    std::vector<int> holds(static_cast<std::size_t>(steps.levels), -2);  // which row's state
    int committed = -1;
    for (const DeltaStep& step : steps.steps) {
      const int parent = step.row < 2 ? step.row - 1 : [&] {
        const int node = parents[static_cast<std::size_t>(step.row - 2)];
        return node < 0 ? 1 : 2 + node;
      }();
      const int read = step.from == DeltaStep::kCommitted
                           ? committed
                           : holds[static_cast<std::size_t>(step.from)];
      EXPECT_EQ(read, parent) << "row " << step.row;
      (step.to == DeltaStep::kCommitted ? committed : holds[static_cast<std::size_t>(step.to)]) =
          step.row;
    }
    EXPECT_EQ(std::ssize(steps.steps), 2 + nodes);
    EXPECT_EQ(committed, 1);
  }
}

}  // namespace
}  // namespace redraft::kernels
