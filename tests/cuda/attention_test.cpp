// Tree attention as on a GPU, on the emulated device.
#include "cuda/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "cuda/reference.h"
#include "tests/cuda/packed_file.h"

namespace redraft::cuda {
namespace {

struct Heads {
  int heads;
  int kv_heads;
  int dim;
};
constexpr Heads kKinds[] = {{12, 2, 128}, {14, 2, 64}, {3, 3, 96}, {16, 1, 64}};

// The slots of positions 0, 1, … of each row's path.
using Slots = std::vector<std::vector<std::int32_t>>;

class Cache {
 public:
  Cache(const Heads& kind, int slots, std::mt19937& random)
      : kind_(kind),
        slots_(slots),
        keys_(random_halves(count(), 1.0F, random)),
        values_(random_halves(count(), 1.0F, random)) {}

  KvMemory memory() { return {keys_.data(), values_.data(), slots_}; }
  // Slot `to` holds what slot `from` holds.
  void copy(int from, int to) {
    for (std::vector<std::uint16_t>* all : {&keys_, &values_}) {
      for (int h = 0; h < kind_.kv_heads; ++h) {
        const auto strip = all->begin() + h * slots_ * kind_.dim;
        std::copy_n(strip + from * kind_.dim, kind_.dim, strip + to * kind_.dim);
      }
    }
  }
  void poison(int slot) {
    for (std::vector<std::uint16_t>* all : {&keys_, &values_}) {
      for (int h = 0; h < kind_.kv_heads; ++h)
        std::fill_n(all->begin() + (h * slots_ + slot) * kind_.dim, kind_.dim,
                    std::uint16_t{0x7e00});
    }
  }

 private:
  std::size_t count() const {
    return static_cast<std::size_t>(kind_.kv_heads * slots_ * kind_.dim);
  }

  Heads kind_;
  int slots_;
  std::vector<std::uint16_t> keys_, values_;
};

struct Result {
  std::vector<std::uint16_t> values;
  std::vector<float> scales;
  int width;

  std::vector<std::uint16_t> row(int r) const {
    const auto begin = values.begin() + r * padded_width(width);
    return {begin, begin + width};
  }
  double at(int r, int i) const {
    return static_cast<double>(kernels::half_to_float(
               values[static_cast<std::size_t>(r * padded_width(width) + i)])) *
           scales[static_cast<std::size_t>(r)];
  }
};

// The first `shared` positions of every path are in the slots of the same number.
Result attend(const Heads& kind, Cache& cache, const std::vector<std::uint16_t>& queries,
              const Slots& slots, int shared) {
  std::vector<std::int32_t> lengths, straight, tails, tail_begin;
  for (const std::vector<std::int32_t>& path : slots) {
    lengths.push_back(static_cast<std::int32_t>(path.size()));
    straight.push_back(std::min(shared, lengths.back()));
    tail_begin.push_back(static_cast<std::int32_t>(tails.size()));
    tails.insert(tails.end(), path.begin() + straight.back(), path.end());
  }
  tails.push_back(0);
  const int rows = static_cast<int>(slots.size()), width = kind.heads * kind.dim;
  const int longest = *std::max_element(lengths.begin(), lengths.end());
  const Attention of{
      queries.data(), cache.memory(),
      kind.heads,     kind.kv_heads,
      kind.dim,       {lengths.data(), straight.data(), tails.data(), tail_begin.data()}};
  Result result{std::vector<std::uint16_t>(static_cast<std::size_t>(rows * padded_width(width))),
                std::vector<float>(static_cast<std::size_t>(rows)), width};
  std::vector<float> scratch(attention_scratch_bytes(of, rows, longest) / sizeof(float), NAN);
  attention(of, rows, longest, scratch.data(), {result.values.data(), result.scales.data()},
            nullptr);
  return result;
}

std::vector<std::int32_t> chain(int length) {
  std::vector<std::int32_t> slots(static_cast<std::size_t>(length));
  std::iota(slots.begin(), slots.end(), 0);
  return slots;
}

TEST(CudaAttention, IsTheReference) {
  std::mt19937 random(1);
  for (const Heads& kind : kKinds) {
    ASSERT_TRUE(takes_heads(kind.heads, kind.kv_heads, kind.dim));
    for (const int length : {1, 15, 16, 17, 255, 257, 530}) {
      Cache cache(kind, length + 40, random);
      // Two rows end a chain, two continue from its middle.
      Slots slots = {chain(length), chain(std::max(1, length - 1))};
      for (int i = 0; i < 2; ++i) {
        slots.push_back(chain((length + 1) / 2));
        for (int n = 0; n < 19; ++n) slots.back().push_back(length + (7 * n + 3 * i) % 40);
      }
      const auto queries = random_halves(
          slots.size() * static_cast<std::size_t>(kind.heads * kind.dim), 0.3F, random);
      const Result result = attend(kind, cache, queries, slots, (length + 1) / 2);
      std::vector<double> expected(static_cast<std::size_t>(kind.dim));
      for (std::size_t r = 0; r < slots.size(); ++r) {
        for (int h = 0; h < kind.heads; ++h) {
          attention_reference(
              &queries[(r * static_cast<std::size_t>(kind.heads) + static_cast<std::size_t>(h)) *
                       static_cast<std::size_t>(kind.dim)],
              cache.memory(), h / (kind.heads / kind.kv_heads), kind.dim, slots[r],
              expected.data());
          for (int i = 0; i < kind.dim; ++i) {
            // Weights are halves, values about 1; the result is rounded to a half once more.
            ASSERT_NEAR(result.at(static_cast<int>(r), h * kind.dim + i),
                        expected[static_cast<std::size_t>(i)], 4e-3)
                << kind.heads << " heads, length " << length << ", row " << r << " head " << h;
          }
        }
      }
    }
  }
}

// A row of a tree is the same as that row of a chain, wherever its keys and values are stored and
// whatever other rows there are; and it reads nothing that is not on its path.
TEST(CudaAttention, GivesARowOfATreeTheBitsOfAChain) {
  std::mt19937 random(2);
  for (const Heads& kind : kKinds) {
    for (const int committed : {3, 250, 300}) {
      const int slots = committed + 80;
      Cache cache(kind, slots, random);
      const auto queries =
          random_halves(static_cast<std::size_t>(40 * kind.heads * kind.dim), 0.3F, random);
      // A chain of 20 more, and the same keys and values in other slots of a tree.
      std::vector<std::int32_t> branch = chain(committed);
      for (int n = 0; n < 20; ++n) {
        branch.push_back(committed + 25 + (7 * n) % 20);
        cache.copy(committed + n, branch.back());
      }
      for (int slot = committed + 45; slot < slots; ++slot) cache.poison(slot);
      Slots tree, alone = {chain(committed + 20)};
      for (int r = 0; r < 17; ++r) tree.push_back(chain(1 + 7 * r % (committed + 20)));
      tree[9] = branch;
      auto own = queries;
      std::copy_n(own.begin(), kind.heads * kind.dim, own.begin() + 9 * kind.heads * kind.dim);
      const Result in_tree = attend(kind, cache, own, tree, committed);
      const Result in_chain = attend(kind, cache, queries, alone, committed + 20);
      EXPECT_EQ(in_tree.row(9), in_chain.row(0)) << kind.heads << " heads after " << committed;
      EXPECT_EQ(in_tree.scales[9], in_chain.scales[0]);
      // Negative control: the same positions in another order give another sum.
      Slots turned = {branch};
      std::reverse(turned[0].end() - 20, turned[0].end());
      std::swap(turned[0][0], turned[0][1]);
      EXPECT_NE(attend(kind, cache, queries, turned, 0).row(0), in_chain.row(0));
    }
  }
}

}  // namespace
}  // namespace redraft::cuda
