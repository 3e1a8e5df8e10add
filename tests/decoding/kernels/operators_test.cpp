#include <gtest/gtest.h>

#include <algorithm>

#include "decoding/kernels/transformer_ops.h"
#include "tests/decoding/kernels/kernel_cases.h"

namespace redraft::kernels {
namespace {

struct Heads {
  int heads, kv_heads, head_dim;
};
constexpr Heads kHeadShapes[] = {{12, 2, 128}, {14, 2, 64}, {9, 3, 64}, {4, 4, 32}, {10, 1, 48}};

std::vector<std::uint16_t> random_halves(std::size_t count, std::mt19937& random) {
  std::vector<std::uint16_t> halves(count);
  std::normal_distribution<float> normal;
  for (std::uint16_t& half : halves) half = float_to_half(normal(random));
  return halves;
}

// A cache and queries for committed + context + nodes slots, and the attention over any of it.
struct Scene {
  Heads heads;
  std::vector<std::uint16_t> keys, values;
  std::vector<float> q;  // [slots, heads * head_dim]: the query of the row that lies in a slot

  Scene(Heads h, int slots, std::mt19937& random)
      : heads(h),
        keys(random_halves(static_cast<std::size_t>(slots) * h.kv_heads * h.head_dim, random)),
        values(random_halves(keys.size(), random)),
        q(random_floats(static_cast<std::size_t>(slots) * width(), random)) {}
  int width() const { return heads.heads * heads.head_dim; }

  std::vector<float> attend(Isa isa, int committed, int context,
                            const std::vector<std::int32_t>& parents, int threads = 2) const {
    const int rows = context + static_cast<int>(parents.size());
    const AttentionShape shape{rows,      heads.heads, heads.kv_heads, heads.head_dim,
                               committed, context,     parents.data()};
    std::vector<float> out(static_cast<std::size_t>(rows) * width());
    ThreadPool pool(threads);
    attention(isa, shape, q.data() + static_cast<std::size_t>(committed) * width(), keys.data(),
              values.data(), out.data(), pool);
    return out;
  }

  // The same slots in the order of `slots`.
  Scene along(const std::vector<int>& slots) const {
    Scene path = *this;
    const int kv_width = heads.kv_heads * heads.head_dim;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      std::copy_n(&keys[static_cast<std::size_t>(slots[i]) * kv_width], kv_width,
                  &path.keys[i * kv_width]);
      std::copy_n(&values[static_cast<std::size_t>(slots[i]) * kv_width], kv_width,
                  &path.values[i * kv_width]);
      std::copy_n(&q[static_cast<std::size_t>(slots[i]) * width()], width(), &path.q[i * width()]);
    }
    return path;
  }
};

std::vector<float> row_of(const std::vector<float>& rows, int row, int width) {
  return {rows.begin() + static_cast<std::ptrdiff_t>(row) * width,
          rows.begin() + static_cast<std::ptrdiff_t>(row + 1) * width};
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::vector<std::int32_t> random_parents(int nodes, std::mt19937& random) {
  std::vector<std::int32_t> parents;
  for (int i = 0; i < nodes; ++i)
    parents.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(i + 1)) - 1);
  return parents;
}

std::vector<int> path_slots(int before, const std::vector<std::int32_t>& parents, int node) {
  std::vector<int> slots;
  for (int at = node; at >= 0; at = parents[static_cast<std::size_t>(at)])
    slots.push_back(before + at);
  std::reverse(slots.begin(), slots.end());
  std::vector<int> all(static_cast<std::size_t>(before));
  for (int i = 0; i < before; ++i) all[static_cast<std::size_t>(i)] = i;
  all.insert(all.end(), slots.begin(), slots.end());
  return all;
}

TEST(Attention, ATreeRowEqualsItsPathAsAChain) {
  std::mt19937 random(1);
  for (const Isa isa : available_isas()) {
    for (const Heads& heads : kHeadShapes) {
      for (const int before : {1, 15, 250, 600}) {
        const int context =
            1 + static_cast<int>(random() % static_cast<unsigned>(std::min(before, 5)));
        const Scene scene(heads, before + 20, random);
        const std::vector<std::int32_t> parents = random_parents(20, random);
        const std::vector<float> tree = scene.attend(isa, before - context, context, parents);
        for (int node = 0; node < 20; node += 3) {
          const std::vector<int> slots = path_slots(before, parents, node);
          const int last = static_cast<int>(slots.size()) - 1;
          const std::vector<float> alone = scene.along(slots).attend(isa, last, 1, {});
          EXPECT_TRUE(same_bits(row_of(tree, context + node, scene.width()), alone))
              << to_string(isa) << " node " << node;
        }
      }
    }
  }
}

TEST(Attention, SplittingThePassChangesNothing) {
  std::mt19937 random(2);
  for (const Isa isa : available_isas()) {
    for (const Heads& heads : kHeadShapes) {
      const int slots = 300;
      const Scene scene(heads, slots, random);
      const std::vector<float> last = scene.attend(isa, slots - 1, 1, {});
      for (const int context : {2, 8, 9, 50}) {
        const std::vector<float> chain = scene.attend(isa, slots - context, context, {});
        EXPECT_TRUE(same_bits(row_of(chain, context - 1, scene.width()), last))
            << to_string(isa) << " " << context;
        // The same chain as draft nodes after one context row.
        std::vector<std::int32_t> parents;
        for (int i = 0; i < context - 1; ++i) parents.push_back(i - 1);
        const std::vector<float> nodes = scene.attend(isa, slots - context, 1, parents);
        EXPECT_TRUE(same_bits(nodes, chain)) << to_string(isa) << " " << context;
      }
    }
  }
}

TEST(Attention, ThreadsDoNotChangeBits) {
  std::mt19937 random(3);
  for (const Isa isa : available_isas()) {
    const Scene scene({12, 2, 128}, 600, random);
    for (const int context : {1, 5, 20}) {
      const std::vector<float> one = scene.attend(isa, 600 - context, context, {}, 1);
      for (const int threads : {2, 3, 16}) {  // more threads than tiles: spans side by side
        EXPECT_TRUE(same_bits(scene.attend(isa, 600 - context, context, {}, threads), one))
            << to_string(isa) << threads;
      }
    }
  }
}

// A sum in slot order instead of path order must fail the comparison above.
TEST(Attention, TheGateCatchesSumsInAnotherOrder) {
  std::mt19937 random(4);
  const Scene scene({4, 4, 32}, 64, random);
  std::vector<int> slots(63);
  for (int i = 0; i < 63; ++i) slots[static_cast<std::size_t>(i)] = 62 - i;
  slots.push_back(63);
  const std::vector<float> forward = scene.attend(best_isa(), 63, 1, {});
  const std::vector<float> backward = scene.along(slots).attend(best_isa(), 63, 1, {});
  EXPECT_FALSE(same_bits(forward, backward));
  for (std::size_t i = 0; i < forward.size(); ++i) EXPECT_NEAR(forward[i], backward[i], 1e-5);
}

// In double, with an error bound from the operands: a score errs by its roundings, a weight by e to
// that, an output by the weights' errors and its own roundings times the largest value.
TEST(Attention, EqualsSoftmaxInDouble) {
  std::mt19937 random(5);
  for (const Isa isa : available_isas()) {
    for (const Heads& heads : kHeadShapes) {
      for (const int length : {1, 2, 16, 17, 255, 256, 257, 700}) {
        const Scene scene(heads, length, random);
        const std::vector<float> out = scene.attend(isa, length - 1, 1, {});
        const int kv_width = heads.kv_heads * heads.head_dim;
        for (int head = 0; head < heads.heads; ++head) {
          const int column = head / (heads.heads / heads.kv_heads) * heads.head_dim;
          const float* q =
              &scene
                   .q[static_cast<std::size_t>(length - 1) * scene.width() + head * heads.head_dim];
          std::vector<double> scores;
          double score_error = 0;
          double largest_value = 0;
          for (int i = 0; i < length; ++i) {
            double score = 0;
            double magnitude = 0;
            for (int d = 0; d < heads.head_dim; ++d) {
              const double term =
                  q[d] * static_cast<double>(half_to_float(
                             scene.keys[static_cast<std::size_t>(i) * kv_width + column + d]));
              score += term;
              magnitude += std::fabs(term);
              largest_value = std::max(
                  largest_value,
                  std::fabs(static_cast<double>(half_to_float(
                      scene.values[static_cast<std::size_t>(i) * kv_width + column + d]))));
            }
            scores.push_back(score / std::sqrt(heads.head_dim));
            score_error = std::max(score_error, (heads.head_dim + 4) * 0x1p-24 * magnitude /
                                                    std::sqrt(heads.head_dim));
          }
          const double most = *std::max_element(scores.begin(), scores.end());
          double total = 0;
          for (double& score : scores) total += score = std::exp(score - most);
          const double tolerance = largest_value * (2 * score_error + (2 * length + 40) * 0x1p-24);
          for (int d = 0; d < heads.head_dim; ++d) {
            double expected = 0;
            for (int i = 0; i < length; ++i) {
              expected +=
                  scores[static_cast<std::size_t>(i)] / total *
                  half_to_float(scene.values[static_cast<std::size_t>(i) * kv_width + column + d]);
            }
            ASSERT_NEAR(out[static_cast<std::size_t>(head) * heads.head_dim + d], expected,
                        tolerance)
                << to_string(isa) << " " << length;
          }
        }
      }
    }
  }
}

TEST(RmsNorm, MatchesDoubleAndIsRowInvariant) {
  std::mt19937 random(6);
  ThreadPool pool(2);
  for (const Isa isa : available_isas()) {
    for (const int n : {1, 7, 576, 896, 1536}) {
      const int rows = 33;
      const std::vector<float> x = random_floats(static_cast<std::size_t>(rows) * n, random);
      const std::vector<float> weight = random_floats(static_cast<std::size_t>(n), random);
      const auto run = [&](int first, int count) {
        std::vector<float> out(static_cast<std::size_t>(count) * n);
        rms_norm(isa, x.data() + static_cast<std::size_t>(first) * n, weight.data(), 1e-6f, count,
                 n, out.data(), pool);
        return out;
      };
      EXPECT_TRUE(each_row_is_as_alone(rows, n, run)) << to_string(isa) << " " << n;
      const std::vector<float> out = run(0, 1);
      double squares = 0;
      for (int i = 0; i < n; ++i) squares += static_cast<double>(x[i]) * x[i];
      for (int i = 0; i < n; ++i) {
        const double expected = weight[i] * (x[i] / std::sqrt(squares / n + 1e-6));
        ASSERT_NEAR(out[i], expected, std::fabs(expected) * (n + 8) * 0x1p-24);
      }
      std::vector<float> in_place = x;
      rms_norm(isa, in_place.data(), weight.data(), 1e-6f, rows, n, in_place.data(), pool);
      EXPECT_TRUE(same_bits(in_place, run(0, rows)));
    }
  }
}

TEST(SiluMul, MatchesDoubleAndIsRowInvariant) {
  std::mt19937 random(7);
  ThreadPool pool(2);
  for (const Isa isa : available_isas()) {
    for (const int n : {1, 13, 4864, 8960, 20000}) {
      const int rows = 9;
      std::vector<float> gate = random_floats(static_cast<std::size_t>(rows) * n, random);
      for (float& g : gate) g *= 10;
      gate[0] = -1000.0f;
      const std::vector<float> up = random_floats(gate.size(), random);
      const auto run = [&](int first, int count) {
        std::vector<float> out(static_cast<std::size_t>(count) * n);
        const std::size_t at = static_cast<std::size_t>(first) * n;
        silu_mul(isa, gate.data() + at, up.data() + at, count, n, out.data(), pool);
        return out;
      };
      EXPECT_TRUE(each_row_is_as_alone(rows, n, run)) << to_string(isa) << " " << n;
      const std::vector<float> out = run(0, rows);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double g = gate[i];
        const double expected = g / (1 + std::exp(-g)) * up[i];
        ASSERT_NEAR(out[i], expected, std::fabs(expected) * 1e-6 + 1e-30)
            << to_string(isa) << " gate " << gate[i];
      }
    }
  }
}

TEST(Add, AddsEveryElement) {
  std::mt19937 random(8);
  ThreadPool pool(2);
  for (const Isa isa : available_isas()) {
    for (const int count : {1, 15, 16, 17, 30000}) {
      std::vector<float> x = random_floats(static_cast<std::size_t>(count), random);
      const std::vector<float> before = x;
      const std::vector<float> y = random_floats(static_cast<std::size_t>(count), random);
      add(isa, x.data(), y.data(), count, pool);
      for (int i = 0; i < count; ++i) ASSERT_EQ(x[i], before[i] + y[i]);
    }
  }
}

TEST(Rope, RotatesPairsByTheirPosition) {
  const int head_dim = 64;
  const int positions = 4096;
  std::vector<float> cosines(static_cast<std::size_t>(positions) * 32);
  std::vector<float> sines(cosines.size());
  std::vector<double> frequencies;
  for (int i = 0; i < head_dim / 2; ++i) frequencies.push_back(std::pow(1e6, -2.0 * i / head_dim));
  rope_table(positions, frequencies, 1.0, cosines.data(), sines.data());
  std::mt19937 random(9);
  ThreadPool pool(2);
  const std::int32_t at[] = {0, 4095, 17};
  const int ldx = 200;
  const std::vector<float> before = random_floats(3 * ldx, random);
  std::vector<float> x = before;
  rope(cosines.data(), sines.data(), at, 3, 3, head_dim, x.data(), ldx, pool);
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < ldx; ++i) {
      const int d = i % head_dim;
      double expected = before[row * ldx + i];
      if (i < 3 * head_dim) {
        const double angle = at[row] * std::pow(1e6, -2.0 * (d % 32) / head_dim);
        const double partner = before[row * ldx + (d < 32 ? i + 32 : i - 32)];
        expected = expected * std::cos(angle) + (d < 32 ? -partner : partner) * std::sin(angle);
      }
      ASSERT_NEAR(x[row * ldx + i], expected, 1e-6) << row << "," << i;
    }
  }
}

TEST(ToHalf, RoundsAlikeEverywhere) {
  std::mt19937 random(10);
  const std::vector<float> x = random_floats(3 * 50, random);
  for (const Isa isa : available_isas()) {
    std::vector<std::uint16_t> out(3 * 45, 7);
    to_half(isa, x.data(), 3, 40, 50, out.data(), 45);
    for (int row = 0; row < 3; ++row) {
      for (int i = 0; i < 45; ++i)
        ASSERT_EQ(out[row * 45 + i], i < 40 ? float_to_half(x[row * 50 + i]) : 7);
    }
  }
}

}  // namespace
}  // namespace redraft::kernels
