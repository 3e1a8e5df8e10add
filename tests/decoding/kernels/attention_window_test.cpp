// Attention with a sliding window, over slots that later positions take again, and with sinks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "decoding/kernels/fixed_point.h"
#include "decoding/kernels/operator_kernels.h"
#include "decoding/kernels/transformer_ops.h"
#include "tests/decoding/kernels/kernel_cases.h"

namespace redraft::kernels {
namespace {

constexpr int kHeads = 6;
constexpr int kKvHeads = 2;
constexpr int kHeadDim = 48;
constexpr int kWidth = kHeads * kHeadDim;
constexpr int kKvWidth = kKvHeads * kHeadDim;
constexpr int kSlotInts = kHeadDim + kScaleInts;

// Rows before a draft, and the draft's tree; a query, a key and a value for each of them.
struct Scene {
  int before;
  std::vector<std::int32_t> parents;
  std::vector<float> q, keys, values;

  Scene(int rows_before, int nodes, std::mt19937& random) : before(rows_before) {
    for (int i = 0; i < nodes; ++i)
      parents.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(i + 1)) - 1);
    const auto rows = static_cast<std::size_t>(before + nodes);
    q = random_floats(rows * kWidth, random);
    keys = random_floats(rows * kKvWidth, random);
    values = random_floats(rows * kKvWidth, random);
  }
  int rows() const { return before + static_cast<int>(parents.size()); }

  // The rows that node `node`'s path consists of; for -1 those before the draft.
  std::vector<int> path(int node) const {
    std::vector<int> tail;
    for (int at = node; at >= 0; at = parents[static_cast<std::size_t>(at)])
      tail.push_back(before + at);
    std::vector<int> all;
    for (int i = 0; i < before; ++i) all.push_back(i);
    all.insert(all.end(), tail.rbegin(), tail.rend());
    return all;
  }
  Scene along(const std::vector<int>& order) const {
    Scene out = *this;
    out.before = static_cast<int>(order.size());
    out.parents.clear();
    const auto take = [&order](const std::vector<float>& from, int width) {
      std::vector<float> to;
      for (const int row : order) {
        const auto begin = from.begin() + static_cast<std::ptrdiff_t>(row) * width;
        to.insert(to.end(), begin, begin + width);
      }
      return to;
    };
    out.q = take(q, kWidth);
    out.keys = take(keys, kKvWidth);
    out.values = take(values, kKvWidth);
    return out;
  }
};

struct Options {
  int window = 0;
  int slots = 0;  // 0: one for each row
  const float* sinks = nullptr;
  int threads = 2;
};

// Fixed-point rows `from` and up of x in `slots` slots; no other slot has a scale that is a number.
std::vector<std::int16_t> stored(Isa isa, const std::vector<float>& x, int from, int slots) {
  std::vector<std::int16_t> out(static_cast<std::size_t>(kKvHeads * slots) * kSlotInts, -1);
  ThreadPool pool(1);
  const int rows = static_cast<int>(x.size()) / kKvWidth;
  for (int row = from; row < rows; ++row) {
    store_fixed(isa, x.data() + static_cast<std::ptrdiff_t>(row) * kKvWidth, 1, kKvHeads, kHeadDim,
                out.data() + static_cast<std::ptrdiff_t>(row % slots) * kSlotInts,
                slots * kSlotInts, pool);
  }
  return out;
}

// The last `context` rows before the draft, and the draft.
std::vector<float> attend(Isa isa, const Scene& scene, int context, const Options& options) {
  const int slots = options.slots > 0 ? options.slots : scene.rows();
  const int committed = scene.before - context;
  // What the first row does not see may have been overwritten.
  const int from = options.window > 0 ? std::max(0, committed + 1 - options.window) : 0;
  const AttentionShape shape{.rows = scene.rows() - committed,
                             .heads = kHeads,
                             .kv_heads = kKvHeads,
                             .head_dim = kHeadDim,
                             .head_pitch = slots * kSlotInts,
                             .slots = slots,
                             .committed = committed,
                             .context = context,
                             .parents = scene.parents.data(),
                             .window = options.window,
                             .sinks = options.sinks};
  std::vector<float> out(static_cast<std::size_t>(shape.rows) * kWidth);
  ThreadPool pool(options.threads);
  attention(isa, shape, scene.q.data() + static_cast<std::ptrdiff_t>(committed) * kWidth,
            stored(isa, scene.keys, from, slots).data(),
            stored(isa, scene.values, from, slots).data(), out.data(), pool);
  return out;
}

std::vector<float> row_of(const std::vector<float>& rows, int row) {
  const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row) * kWidth;
  return {begin, begin + kWidth};
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// One head of the last row before the draft, in double precision.
std::vector<double> exact_head(const Scene& scene, int head, const Options& options) {
  const auto at = [&](const std::vector<float>& x, int row) {
    return &x[static_cast<std::size_t>(row * kKvWidth + head / (kHeads / kKvHeads) * kHeadDim)];
  };
  const int last = scene.before - 1;
  const float* q = &scene.q[static_cast<std::size_t>(last * kWidth + head * kHeadDim)];
  const int first = options.window > 0 ? std::max(0, last + 1 - options.window) : 0;
  double most = options.sinks ? options.sinks[head] : -HUGE_VAL;
  std::vector<double> scores;
  for (int row = first; row <= last; ++row) {
    double score = 0;
    for (int d = 0; d < kHeadDim; ++d) score += static_cast<double>(q[d]) * at(scene.keys, row)[d];
    scores.push_back(score / std::sqrt(kHeadDim));
    most = std::max(most, scores.back());
  }
  double total = options.sinks ? std::exp(options.sinks[head] - most) : 0;
  std::vector<double> out(kHeadDim);
  for (int row = first; row <= last; ++row) {
    const double weight = std::exp(scores[static_cast<std::size_t>(row - first)] - most);
    total += weight;
    for (int d = 0; d < kHeadDim; ++d)
      out[static_cast<std::size_t>(d)] += weight * at(scene.values, row)[d];
  }
  for (double& each : out) each /= total;
  return out;
}

constexpr int kLengths[] = {1, 2, 63, 64, 65, 130, 255, 256, 257, 300, 511, 700};
constexpr int kWindows[] = {1, 2, 16, 31, 64, 100, 256, 300};

TEST(AttentionWindow, EqualsSoftmaxInDouble) {
  std::mt19937 random(1);
  for (const Isa isa : available_isas()) {
    for (const int length : kLengths) {
      const Scene scene(length, 0, random);
      for (const int window : kWindows) {
        const Options options{.window = window};
        const std::vector<float> out = attend(isa, scene, 1, options);
        for (int head = 0; head < kHeads; ++head) {
          const std::vector<double> exact = exact_head(scene, head, options);
          for (int d = 0; d < kHeadDim; ++d) {
            ASSERT_NEAR(out[static_cast<std::size_t>(head * kHeadDim + d)],
                        exact[static_cast<std::size_t>(d)], 5e-4)
                << to_string(isa) << " " << length << " " << window;
          }
        }
      }
    }
  }
}

// Rows of a tile begin at different positions, and in different spans.
TEST(AttentionWindow, ATreeRowEqualsItsPathAlone) {
  std::mt19937 random(2);
  for (const Isa isa : available_isas()) {
    for (const int before : {3, 65, 255, 270, 520}) {
      const Scene scene(before, 24, random);
      const int context = std::min(before, 9);
      for (const int window : kWindows) {
        const std::vector<float> tree = attend(isa, scene, context, {.window = window});
        for (int node = -1; node < 24; node += 3) {
          const std::vector<float> alone =
              attend(isa, scene.along(scene.path(node)), 1, {.window = window});
          EXPECT_TRUE(same_bits(row_of(tree, context + node), alone))
              << to_string(isa) << " " << before << " " << window << " node " << node;
        }
      }
    }
  }
}

TEST(AttentionWindow, SlotsThatAreTakenAgainChangeNothing) {
  std::mt19937 random(3);
  for (const Isa isa : available_isas()) {
    for (const int before : {40, 300, 600}) {
      const Scene scene(before, 20, random);
      for (const int window : {16, 100}) {
        for (const int context : {1, 30}) {
          const std::vector<float> plain = attend(isa, scene, context, {.window = window});
          for (const int more : {0, 1, 13}) {
            const int slots = window - 1 + context + 20 + more;
            EXPECT_TRUE(
                same_bits(attend(isa, scene, context, {.window = window, .slots = slots}), plain))
                << to_string(isa) << " " << before << " " << window << " " << slots;
          }
        }
      }
    }
  }
}

TEST(AttentionWindow, AWindowThatSeesAllIsNone) {
  std::mt19937 random(4);
  for (const Isa isa : available_isas()) {
    const Scene scene(580, 20, random);
    const std::vector<float> plain = attend(isa, scene, 20, {});
    EXPECT_TRUE(same_bits(attend(isa, scene, 20, {.window = 600}), plain)) << to_string(isa);
    EXPECT_FALSE(same_bits(attend(isa, scene, 20, {.window = 579}), plain)) << to_string(isa);
  }
}

TEST(AttentionWindow, ThreadsDoNotChangeBits) {
  std::mt19937 random(5);
  std::vector<float> sinks(kHeads, 0.5F);
  for (const Isa isa : available_isas()) {
    const Scene scene(900, 12, random);
    for (const int window : {0, 100, 300}) {
      for (const int context : {1, 40}) {
        Options options{.window = window, .sinks = sinks.data(), .threads = 1};
        const std::vector<float> one = attend(isa, scene, context, options);
        for (const int threads : {2, 3, 16}) {  // more threads than tiles: spans in parallel
          options.threads = threads;
          EXPECT_TRUE(same_bits(attend(isa, scene, context, options), one))
              << to_string(isa) << " " << window << " " << threads;
        }
      }
    }
  }
}

// A sink below, among and above all scores.
TEST(AttentionSinks, TakePartInTheSoftmax) {
  std::mt19937 random(6);
  for (const Isa isa : available_isas()) {
    for (const int length : {1, 70, 300}) {
      const Scene scene(length, 0, random);
      for (const float sink : {-40.0F, -1.0F, 2.0F, 40.0F}) {
        std::vector<float> sinks(kHeads, sink);
        sinks[1] += 1;
        const Options options{.window = 64, .sinks = sinks.data()};
        const std::vector<float> out = attend(isa, scene, 1, options);
        for (int head = 0; head < kHeads; ++head) {
          const std::vector<double> exact = exact_head(scene, head, options);
          for (int d = 0; d < kHeadDim; ++d) {
            const double expected = exact[static_cast<std::size_t>(d)];
            ASSERT_NEAR(out[static_cast<std::size_t>(head * kHeadDim + d)], expected,
                        5e-4 * std::min(1.0, std::exp(8.0 - sink)))
                << to_string(isa) << " " << length << " " << sink;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace redraft::kernels
