#include <gtest/gtest.h>

#include <algorithm>

#include "decoding/kernels/fixed_point.h"
#include "decoding/kernels/transformer_ops.h"
#include "tests/decoding/kernels/kernel_cases.h"

namespace redraft::kernels {
namespace {

struct Heads {
  int heads, kv_heads, head_dim;
};
constexpr Heads kHeadShapes[] = {{12, 2, 128}, {14, 2, 64}, {9, 3, 64}, {4, 4, 32}, {10, 1, 48}};

// Keys or values of `slots` slots, rounded from `x` [slots, kv_heads * head_dim].
std::vector<std::int16_t> stored(Isa isa, const Heads& h, const std::vector<float>& x) {
  const int slots = static_cast<int>(x.size()) / (h.kv_heads * h.head_dim);
  const int pitch = slots * (h.head_dim + kScaleInts);
  std::vector<std::int16_t> out(static_cast<std::size_t>(h.kv_heads) * pitch);
  ThreadPool pool(1);
  store_fixed(isa, x.data(), slots, h.kv_heads, h.head_dim, out.data(), pitch, pool);
  return out;
}

// A cache and queries for committed + context + nodes slots, and attention over any part of it.
struct Scene {
  Heads heads;
  int slots;
  std::vector<float> keys, values;  // [slots, kv_heads * head_dim]
  std::vector<float> q;  // [slots, heads * head_dim]: the query of the row that is in a slot

  Scene(Heads h, int slot_count, std::mt19937& random)
      : heads(h),
        slots(slot_count),
        keys(random_floats(static_cast<std::size_t>(slots) * kv_width(), random)),
        values(random_floats(keys.size(), random)),
        q(random_floats(static_cast<std::size_t>(slots) * width(), random)) {}
  int width() const { return heads.heads * heads.head_dim; }
  int kv_width() const { return heads.kv_heads * heads.head_dim; }

  std::vector<float> attend(Isa isa, int committed, int context,
                            const std::vector<std::int32_t>& parents, int threads = 2) const {
    const int rows = context + static_cast<int>(parents.size());
    const AttentionShape shape{.rows = rows,
                               .heads = heads.heads,
                               .kv_heads = heads.kv_heads,
                               .head_dim = heads.head_dim,
                               .head_pitch = slots * (heads.head_dim + kScaleInts),
                               .slots = slots,
                               .committed = committed,
                               .context = context,
                               .parents = parents.data()};
    std::vector<float> out(static_cast<std::size_t>(rows) * width());
    ThreadPool pool(threads);
    attention(isa, shape, q.data() + static_cast<std::size_t>(committed) * width(),
              stored(isa, heads, keys).data(), stored(isa, heads, values).data(), out.data(), pool);
    return out;
  }

  // The same slots in the order of `order`.
  Scene along(const std::vector<int>& order) const {
    Scene path = *this;
    const auto copy = [](const std::vector<float>& from, int slot, std::vector<float>& to,
                         std::size_t i, int n) {
      std::copy_n(&from[static_cast<std::size_t>(slot) * n], n, &to[i * n]);
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
      copy(keys, order[i], path.keys, i, kv_width());
      copy(values, order[i], path.values, i, kv_width());
      copy(q, order[i], path.q, i, width());
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
      for (const int threads : {2, 3, 16}) {  // more threads than tiles: spans in parallel
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

double norm_of(const float* x, int n) {
  double squares = 0;
  for (int i = 0; i < n; ++i) squares += static_cast<double>(x[i]) * x[i];
  return std::sqrt(squares);
}

// One head of the last row, in double precision, and how far off the kernels may be. `bound` cannot
// be exceeded: a rounded vector has an error of half a unit of its norm / 32767 in each dimension,
// a score the effect of both vectors' errors on the other vector, a weight e to the power of that
// and half a unit of its part's sum. In practice such errors do not all have one sign: the whole
// head is off by at most `typical`.
struct ExactHead {
  std::vector<double> out;
  double bound;
  double typical;
};
ExactHead exact_head(const Scene& scene, int length, int head) {
  const int dim = scene.heads.head_dim;
  const int column = head / (scene.heads.heads / scene.heads.kv_heads) * dim;
  const auto row = [&](const std::vector<float>& x, int i) {
    return &x[static_cast<std::size_t>(i) * scene.kv_width() + column];
  };
  const float* q = &scene.q[static_cast<std::size_t>(length - 1) * scene.width() + head * dim];
  const double half_unit = 0.5 / kFixedNorm;
  std::vector<double> weights;
  double score_error = 0;
  double largest_value = 0;
  const double q_norm = norm_of(q, dim);
  for (int i = 0; i < length; ++i) {
    const float* k = row(scene.keys, i);
    const double k_norm = norm_of(k, dim);
    double score = 0;
    double error = 0;
    for (int d = 0; d < dim; ++d) {
      score += static_cast<double>(q[d]) * k[d];
      error += half_unit * (std::fabs(q[d]) * k_norm + std::fabs(k[d]) * q_norm);
    }
    weights.push_back(score / std::sqrt(dim));
    score_error = std::max(score_error, 1.01 * error / std::sqrt(dim));
    largest_value = std::max(largest_value, norm_of(row(scene.values, i), dim));
  }
  const double most = *std::max_element(weights.begin(), weights.end());
  double total = 0;
  for (double& weight : weights) total += weight = std::exp(weight - most);
  ExactHead exact{std::vector<double>(static_cast<std::size_t>(dim)), 0, 0};
  for (int i = 0; i < length; ++i) {
    for (int d = 0; d < dim; ++d) {
      exact.out[static_cast<std::size_t>(d)] +=
          weights[static_cast<std::size_t>(i)] / total * row(scene.values, i)[d];
    }
  }
  constexpr double kPart = 64;  // positions whose weights are rounded together
  exact.bound = largest_value * (2 * score_error + half_unit * (1 + kPart) + length * 0x1p-22);
  exact.typical = largest_value * 2e-4;
  return exact;
}

TEST(Attention, EqualsSoftmaxInDouble) {
  std::mt19937 random(5);
  for (const Isa isa : available_isas()) {
    for (const Heads& heads : kHeadShapes) {
      for (const int length : {1, 2, 16, 17, 255, 256, 257, 700}) {
        const Scene scene(heads, length, random);
        const std::vector<float> out = scene.attend(isa, length - 1, 1, {});
        for (int head = 0; head < heads.heads; ++head) {
          const ExactHead exact = exact_head(scene, length, head);
          double squares = 0;
          for (int d = 0; d < heads.head_dim; ++d) {
            const double error = out[static_cast<std::size_t>(head) * heads.head_dim + d] -
                                 exact.out[static_cast<std::size_t>(d)];
            ASSERT_LE(std::fabs(error), exact.bound) << to_string(isa) << " " << length;
            squares += error * error;
          }
          EXPECT_LE(std::sqrt(squares), exact.typical) << to_string(isa) << " " << length;
        }
      }
    }
  }
}

// NaN and infinity stay what they are and do not leave their head.
TEST(Attention, NotANumberStaysWhereItIs) {
  std::mt19937 random(12);
  const Heads heads{4, 2, 32};
  for (const Isa isa : available_isas()) {
    for (const float poison : {std::nanf(""), HUGE_VALF}) {
      Scene scene(heads, 70, random);
      const std::vector<float> clean = scene.attend(isa, 60, 10, {});
      scene.values[static_cast<std::size_t>(65) * scene.kv_width() + 3] = poison;  // KV head 0
      const std::vector<float> out = scene.attend(isa, 60, 10, {});
      for (int row = 0; row < 10; ++row) {
        for (int i = 0; i < scene.width(); ++i) {
          const std::size_t at = static_cast<std::size_t>(row) * scene.width() + i;
          if (row >= 5 && i < 2 * heads.head_dim) {
            ASSERT_FALSE(std::isfinite(out[at])) << to_string(isa) << " row " << row;
          } else {
            ASSERT_EQ(std::memcmp(&out[at], &clean[at], sizeof(float)), 0)
                << to_string(isa) << " row " << row;
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
      add(isa, x.data(), y.data(), 1, count, pool);
      for (int i = 0; i < count; ++i) ASSERT_EQ(x[i], before[i] + y[i]);
    }
  }
}

TEST(AddScaled, AddsEveryElementTimesTheFactor) {
  std::mt19937 random(8);
  ThreadPool pool(2);
  for (const Isa isa : available_isas()) {
    for (const int n : {1, 15, 16, 17, 10000}) {
      constexpr int kRows = 3;
      std::vector<float> x = random_floats(static_cast<std::size_t>(kRows) * n, random);
      const std::vector<float> before = x;
      const std::vector<float> y = random_floats(x.size(), random);
      add_scaled(isa, x.data(), y.data(), 0.22F, kRows, n, pool);
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_NEAR(x[i], 0.22 * y[i] + before[i], 1e-6) << to_string(isa) << " " << n;
    }
  }
}

TEST(ScaleRows, MultipliesEachRowByTheFactorOfItsPlace) {
  std::mt19937 random(8);
  ThreadPool pool(2);
  const float factors[] = {0.1F, 1, 7, -3};
  const std::int32_t places[] = {3, 0, 2};
  for (const int n : {1, 15, 16, 17, 10000}) {
    std::vector<float> x = random_floats(std::size_t{3} * static_cast<std::size_t>(n), random);
    const std::vector<float> before = x;
    scale_rows(x.data(), factors, places, 3, n, pool);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(x[i], before[i] * factors[places[i / static_cast<std::size_t>(n)]]);
    x = before;
    scale_rows(x.data(), factors + 2, nullptr, 3, n, pool);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], before[i] * 7);
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
  rope(cosines.data(), sines.data(), at, 3, 3, head_dim, head_dim, x.data(), ldx, pool);
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

float scale_behind(const std::int16_t* fixed, int n) {
  float scale = 0;
  std::memcpy(&scale, fixed + n, sizeof(scale));
  return scale;
}

TEST(StoreFixed, RoundsToHalfAUnit) {
  std::mt19937 random(10);
  ThreadPool pool(2);
  const int rows = 70;
  const int heads = 3;
  for (const Isa isa : available_isas()) {
    for (const int dim : {16, 48, 64, 96, 128}) {
      std::vector<float> x = random_floats(static_cast<std::size_t>(rows) * heads * dim, random);
      for (int i = 0; i < dim; ++i) x[static_cast<std::size_t>(i)] = i == 5 ? -3e8f : 0;
      const int width = dim + kScaleInts;
      const int pitch = rows * width + 6;
      std::vector<std::int16_t> out(static_cast<std::size_t>(heads) * pitch, 77);
      store_fixed(isa, x.data(), rows, heads, dim, out.data(), pitch, pool);
      for (int vector = 0; vector < rows * heads; ++vector) {
        const int row = vector / heads;
        const int head = vector % heads;
        const std::int16_t* fixed = &out[static_cast<std::size_t>(head) * pitch + row * width];
        const float* from = &x[static_cast<std::size_t>(vector) * dim];
        const float scale = scale_behind(fixed, dim);
        ASSERT_NEAR(scale, norm_of(from, dim) / kFixedNorm, 1e-5 * scale);
        for (int d = 0; d < dim; ++d)
          ASSERT_NEAR(static_cast<double>(fixed[d]) * scale, from[d], 0.503 * scale)
              << to_string(isa) << " " << dim;
      }
      for (int head = 0; head < heads; ++head) {
        for (int i = 0; i < 6; ++i)
          ASSERT_EQ(out[static_cast<std::size_t>(head) * pitch + rows * width + i], 77);
      }
    }
  }
}

TEST(StoreFixed, KeepsWhatHasNoScale) {
  ThreadPool pool(1);
  for (const Isa isa : available_isas()) {
    for (const float value : {0.0f, 1e-30f, HUGE_VALF, std::nanf(""), 3e38f}) {
      std::vector<float> x(32, 1.0f);
      if (std::fabs(value) < 1) std::fill(x.begin(), x.end(), value);
      x[7] = value;
      std::int16_t out[32 + kScaleInts];
      store_fixed(isa, x.data(), 1, 1, 32, out, 0, pool);
      const float scale = scale_behind(out, 32);
      for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], 0) << to_string(isa) << " " << value;
      EXPECT_TRUE(std::fabs(value) < 1 ? scale == 0 : std::isnan(scale)) << value;
    }
  }
}

}  // namespace
}  // namespace redraft::kernels
