// The gate on which losslessness rests: an operator gives a row the same bits whatever other rows
// are in the pass and however many threads compute it.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "decoding/kernels/fixed_point.h"
#include "decoding/kernels/transformer_ops.h"
#include "tests/decoding/kernels/each_isa.h"
#include "tests/decoding/kernels/kernel_cases.h"

namespace redraft::kernels {
namespace {

constexpr int kMaxRows = 200;

// 1..64, 65, 127, 128 and 200; only every ninth for the portable kernels, which are slow.
std::vector<int> row_counts(Isa isa) {
  std::vector<int> counts;
  for (int rows = 1; rows <= 64; rows += isa == Isa::kPortable ? 9 : 1) counts.push_back(rows);
  counts.insert(counts.end(), {65, 127, 128, kMaxRows});
  return counts;
}

// Computes rows [first, first + rows): [rows * width] floats, or numbers with their bits.
using RunRows = std::function<std::vector<float>(int first, int rows, ThreadPool& pool)>;

// For how many of the row counts some row differs from its result alone. Every row is tried alone;
// a pass of n rows is rows 0..n-1, and n..2n-1 if there are that many, so that a row changes its
// place.
int counts_with_differences(const std::vector<int>& counts, const RunRows& run) {
  ThreadPool one(1);
  ThreadPool two(2);
  const int most = *std::max_element(counts.begin(), counts.end());
  std::vector<std::vector<float>> alone;
  for (int row = 0; row < most; ++row) alone.push_back(run(row, 1, one));
  const std::size_t width = alone[0].size();
  int different = 0;
  for (const int rows : counts) {
    bool same = true;
    for (ThreadPool* pool : {&one, &two}) {
      for (int first = 0; first <= rows && first + rows <= most; first += rows) {
        const std::vector<float> together = run(first, rows, *pool);
        EXPECT_EQ(together.size(), rows * width);
        for (int row = 0; row < rows; ++row) {
          same = same && std::memcmp(&together[row * width], alone[first + row].data(),
                                     width * sizeof(float)) == 0;
        }
      }
    }
    different += same ? 0 : 1;
  }
  return different;
}

// Rows [first, first + rows) of a matrix.
std::vector<float> rows_of(const std::vector<float>& x, int first, int rows, int width) {
  const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first) * width;
  return {begin, begin + static_cast<std::ptrdiff_t>(rows) * width};
}

constexpr int kOddWidths[] = {1, 17, 100, 576, 899};

using RowInvarianceOfEachIsa = EachIsa;
INSTANTIATE_TEST_SUITE_P(, RowInvarianceOfEachIsa, all_isas(), name_of_isa);

TEST_P(RowInvarianceOfEachIsa, Norm) {
  const Isa isa = GetParam();
  for (const unsigned seed : {1u, 2u}) {
    for (const int n : kOddWidths) {
      std::mt19937 random(seed);
      const std::vector<float> x = random_floats(static_cast<std::size_t>(kMaxRows) * n, random);
      const std::vector<float> weight = random_floats(static_cast<std::size_t>(n), random);
      const RunRows run = [&](int first, int rows, ThreadPool& pool) {
        std::vector<float> out = rows_of(x, first, rows, n);
        rms_norm(isa, out.data(), weight.data(), 1e-6f, rows, n, out.data(), pool);
        return out;
      };
      EXPECT_EQ(counts_with_differences(row_counts(isa), run), 0) << to_string(isa) << " " << n;
    }
  }
}

TEST_P(RowInvarianceOfEachIsa, ActivationAndSum) {
  const Isa isa = GetParam();
  for (const int n : kOddWidths) {
    std::mt19937 random(3);
    const std::vector<float> x = random_floats(static_cast<std::size_t>(kMaxRows) * n, random);
    const std::vector<float> y = random_floats(x.size(), random);
    const RunRows run = [&](int first, int rows, ThreadPool& pool) {
      std::vector<float> out = rows_of(x, first, rows, n);
      const std::vector<float> other = rows_of(y, first, rows, n);
      silu_mul(isa, out.data(), other.data(), rows, n, out.data(), pool);
      gelu_mul(isa, out.data(), other.data(), rows, n, out.data(), pool);
      clamped_silu_mul(isa, out.data(), other.data(), rows, n, out.data(), pool);
      add(isa, out.data(), other.data(), rows, n, pool);
      add_scaled(isa, out.data(), other.data(), 0.3F, rows, n, pool);
      std::vector<std::int32_t> places(static_cast<std::size_t>(rows));
      std::iota(places.begin(), places.end(), first);
      scale_rows(out.data(), x.data(), places.data(), rows, n, pool);
      return out;
    };
    EXPECT_EQ(counts_with_differences(row_counts(isa), run), 0) << to_string(isa) << " " << n;
  }
}

struct Heads {
  int heads, kv_heads, head_dim;
};
constexpr Heads kHeadShapes[] = {{6, 1, 128}, {7, 1, 64}, {3, 3, 96}, {10, 1, 48}, {4, 2, 16}};

TEST_P(RowInvarianceOfEachIsa, RopeAndStore) {
  const Isa isa = GetParam();
  for (const Heads& h : kHeadShapes) {
    std::mt19937 random(4);
    const int n = h.heads * h.head_dim;
    std::vector<float> cosines(static_cast<std::size_t>(kMaxRows) * h.head_dim / 2);
    std::vector<float> sines(cosines.size());
    std::vector<double> frequencies;
    for (int i = 0; i < h.head_dim / 2; ++i)
      frequencies.push_back(std::pow(1e4, -2.0 * i / h.head_dim));
    rope_table(kMaxRows, frequencies, 1.0, cosines.data(), sines.data());
    std::vector<std::int32_t> positions(kMaxRows);
    std::iota(positions.begin(), positions.end(), 0);
    const std::vector<float> x = random_floats(static_cast<std::size_t>(kMaxRows) * n, random);
    const RunRows run = [&](int first, int rows, ThreadPool& pool) {
      std::vector<float> rotated = rows_of(x, first, rows, n);
      rope(cosines.data(), sines.data(), positions.data() + first, rows, h.heads, h.head_dim,
           h.head_dim, rotated.data(), n, pool);
      const int width = h.head_dim + kScaleInts;
      const int pitch = rows * width;
      std::vector<std::int16_t> stored(static_cast<std::size_t>(h.heads) * pitch);
      store_fixed(isa, rotated.data(), rows, h.heads, h.head_dim, stored.data(), pitch, pool);
      std::vector<float> out(static_cast<std::size_t>(rows) * h.heads * width / 2);
      for (int i = 0; i < rows * h.heads; ++i) {
        std::memcpy(&out[static_cast<std::size_t>(i) * width / 2],
                    &stored[static_cast<std::size_t>(i % h.heads * pitch + i / h.heads * width)],
                    width * sizeof(std::int16_t));
      }
      return out;
    };
    EXPECT_EQ(counts_with_differences(row_counts(isa), run), 0) << to_string(isa);
  }
}

// Queries of kMaxRows rows over keys and values of `before` slots and their own.
class AttentionScene {
 public:
  AttentionScene(Isa isa, const Heads& heads, int before, unsigned seed)
      : isa_(isa), heads_(heads), before_(before), random_(seed) {
    const int slots = before + kMaxRows;
    pitch_ = slots * (heads.head_dim + kScaleInts);
    ThreadPool pool(1);
    for (std::vector<std::int16_t>* cache : {&keys_, &values_}) {
      cache->resize(static_cast<std::size_t>(heads.kv_heads) * pitch_);
      store_fixed(
          isa,
          random_floats(static_cast<std::size_t>(slots) * heads.kv_heads * heads.head_dim, random_)
              .data(),
          slots, heads.kv_heads, heads.head_dim, cache->data(), pitch_, pool);
    }
    queries_ = random_floats(static_cast<std::size_t>(kMaxRows) * width(), random_);
  }
  int width() const { return heads_.heads * heads_.head_dim; }

  // Rows [first, first + rows) of the scene, the first `context` of them a chain and the rest a
  // tree.
  std::vector<float> attend(int first, int rows, int context,
                            const std::vector<std::int32_t>& parents, ThreadPool& pool) const {
    const AttentionShape shape{.rows = rows,
                               .heads = heads_.heads,
                               .kv_heads = heads_.kv_heads,
                               .head_dim = heads_.head_dim,
                               .head_pitch = pitch_,
                               .slots = pitch_ / (heads_.head_dim + kScaleInts),
                               .committed = before_ + first,
                               .context = context,
                               .parents = parents.data()};
    std::vector<float> out(static_cast<std::size_t>(rows) * width());
    attention(isa_, shape, queries_.data() + static_cast<std::size_t>(first) * width(),
              keys_.data(), values_.data(), out.data(), pool);
    return out;
  }
  // Copies the query of row `from` and its keys and values to row `to`.
  void copy_row(const AttentionScene& other, int from, int to) {
    std::copy_n(&other.queries_[static_cast<std::size_t>(from) * width()], width(),
                &queries_[static_cast<std::size_t>(to) * width()]);
    const int n = heads_.head_dim + kScaleInts;
    for (int head = 0; head < heads_.kv_heads; ++head) {
      const auto at = [&](int row) {
        return static_cast<std::size_t>(head * pitch_ + (before_ + row) * n);
      };
      std::copy_n(&other.keys_[at(from)], n, &keys_[at(to)]);
      std::copy_n(&other.values_[at(from)], n, &values_[at(to)]);
    }
  }

 private:
  Isa isa_;
  Heads heads_;
  int before_;
  int pitch_ = 0;
  std::mt19937 random_;
  std::vector<std::int16_t> keys_, values_;
  std::vector<float> queries_;
};

TEST_P(RowInvarianceOfEachIsa, AttentionOverChains) {
  const Isa isa = GetParam();
  for (const Heads& heads : kHeadShapes) {
    // Paths of 1..200 and of 171..370 positions: the second range crosses from one span to two.
    for (const int before : {0, 170}) {
      const AttentionScene scene(isa, heads, before, 5);
      const RunRows as_context = [&](int first, int rows, ThreadPool& pool) {
        return scene.attend(first, rows, rows, {}, pool);
      };
      EXPECT_EQ(counts_with_differences(row_counts(isa), as_context), 0) << to_string(isa);
      if (heads.head_dim != 128) continue;
      const RunRows as_draft = [&](int first, int rows, ThreadPool& pool) {
        std::vector<std::int32_t> parents(static_cast<std::size_t>(rows - 1));
        std::iota(parents.begin(), parents.end(), -1);
        return scene.attend(first, rows, 1, parents, pool);
      };
      EXPECT_EQ(counts_with_differences({2, 9, 64, kMaxRows}, as_draft), 0) << to_string(isa);
    }
  }
}

// Random trees: each node compared with the end of its path, laid out as a chain and run alone.
TEST_P(RowInvarianceOfEachIsa, AttentionOverTrees) {
  const Isa isa = GetParam();
  ThreadPool one(1);
  ThreadPool two(2);
  for (const Heads& heads : kHeadShapes) {
    for (const unsigned seed : {6u, 7u, 8u}) {
      for (const int before : {3, 230}) {
        std::mt19937 random(seed);
        const int nodes = seed == 8u ? kMaxRows - 1 : 63;
        const AttentionScene scene(isa, heads, before, seed);
        std::vector<std::int32_t> parents;
        for (int i = 0; i < nodes; ++i) {  // long paths with many branches
          const int back = static_cast<int>(random() % 4);
          parents.push_back(std::max(-1, i - 1 - back));
        }
        const std::vector<float> tree = scene.attend(0, nodes + 1, 1, parents, two);
        AttentionScene chain = scene;
        for (int node = seed == 6u ? 0 : nodes - 9; node < nodes; node += 3) {
          std::vector<int> path;
          for (int at = node; at >= 0; at = parents[static_cast<std::size_t>(at)])
            path.push_back(1 + at);
          std::reverse(path.begin(), path.end());
          for (std::size_t i = 0; i < path.size(); ++i)
            chain.copy_row(scene, path[i], static_cast<int>(i) + 1);
          const std::vector<float> alone =
              chain.attend(static_cast<int>(path.size()), 1, 1, {}, one);
          ASSERT_EQ(std::memcmp(&tree[static_cast<std::size_t>(node + 1) * scene.width()],
                                alone.data(), alone.size() * sizeof(float)),
                    0)
              << to_string(isa) << " node " << node << " of " << nodes;
        }
      }
    }
  }
}

// A head's choices for the rows of `x`: logits and ids of the best 5, and the argmax.
std::vector<float> choices(const PackedWeight& head, const std::vector<float>& x, int rows,
                           ThreadPool& pool) {
  const AlignedBytes quantized = aligned_bytes(quantized_bytes(head.isa, rows, head.k));
  quantize_rows(head.isa, x.data(), rows, head.k, quantized.get(), pool);
  std::vector<std::int32_t> ids(static_cast<std::size_t>(rows) * 5);
  std::vector<float> logits(ids.size());
  std::vector<std::int32_t> best(static_cast<std::size_t>(rows));
  linear_top_k(head, quantized.get(), rows, 5, ids.data(), logits.data(), pool);
  linear_argmax(head, quantized.get(), rows, best.data(), nullptr, pool);
  std::vector<float> out;
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < 5; ++i) {
      out.push_back(logits[static_cast<std::size_t>(5 * row + i)]);
      out.push_back(static_cast<float>(ids[static_cast<std::size_t>(5 * row + i)]));
    }
    EXPECT_EQ(best[static_cast<std::size_t>(row)], ids[static_cast<std::size_t>(5 * row)]);
  }
  return out;
}

// One head that takes all rows at once, and one so wide that 127 rows take two passes.
TEST_P(RowInvarianceOfEachIsa, Head) {
  const Isa isa = GetParam();
  struct Case {
    WeightFormat format;
    int n, k;
  };
  for (const auto& [format, n, k] :
       {Case{WeightFormat::kQ8_0, 333, 96}, Case{WeightFormat::kQ6_K, 50, 2560}}) {
    std::mt19937 random(9);
    const TestWeight weight = make_weight(format, isa, n, k, random_file(format, n, k, random));
    const std::vector<float> x = random_floats(static_cast<std::size_t>(kMaxRows) * k, random);
    const RunRows run = [&, width = k](int first, int rows, ThreadPool& pool) {
      return choices(weight.packed, rows_of(x, first, rows, width), rows, pool);
    };
    EXPECT_EQ(counts_with_differences(row_counts(isa), run), 0) << name_of(format, isa);
  }
}

// Operators that are not row-invariant, each in one of the ways in which kernels fail: the gate
// must see every one of them.
TEST(RowInvariance, TheGateSeesWhatItMustSee) {
  const int n = 64;
  std::mt19937 random(10);
  const std::vector<float> x = random_floats(static_cast<std::size_t>(kMaxRows) * n, random);
  const std::vector<int> counts{1, 2, 7, 64, kMaxRows};
  const auto sum_from = [&](int row, int begin) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += x[static_cast<std::size_t>(row) * n + (begin + i) % n];
    return sum;
  };
  const auto each = [&](const std::function<float(int row, int rows, ThreadPool&)>& f) -> RunRows {
    return [f](int first, int rows, ThreadPool& pool) {
      std::vector<float> out;
      for (int row = first; row < first + rows; ++row) out.push_back(f(row, rows, pool));
      return out;
    };
  };
  const auto fixed = each([&](int row, int, ThreadPool&) { return sum_from(row, 0); });
  EXPECT_EQ(counts_with_differences(counts, fixed), 0);
  // Another order of the sum for many rows.
  const auto by_rows =
      each([&](int row, int rows, ThreadPool&) { return sum_from(row, rows > 4 ? 13 : 0); });
  EXPECT_EQ(counts_with_differences(counts, by_rows), 3);
  // Another order with another number of threads.
  const auto by_threads = each(
      [&](int row, int, ThreadPool& pool) { return sum_from(row, 13 * (pool.threads() - 1)); });
  EXPECT_EQ(counts_with_differences(counts, by_threads), 5);
  // One bit of one row of one pass, and the sign of a zero.
  const auto one_bit = each([&](int row, int rows, ThreadPool&) {
    const float sum = sum_from(row, 0);
    return row == 199 && rows == 200 ? std::nextafter(sum, 1e9f) : sum;
  });
  EXPECT_EQ(counts_with_differences(counts, one_bit), 1);
  const auto sign = each([&](int, int rows, ThreadPool&) { return rows == 7 ? -0.0f : 0.0f; });
  EXPECT_EQ(counts_with_differences(counts, sign), 1);
}

}  // namespace
}  // namespace redraft::kernels
