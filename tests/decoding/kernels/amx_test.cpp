// The AMX kernels on emulated tiles (linear_amx_emulated.cpp is linked in place of the
// processor's), compared with those of AVX-512, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "decoding/kernels/activations.h"
#include "decoding/kernels/amx_kernel.h"
#include "decoding/kernels/machine_peak.h"
#include "decoding/kernels/operator_kernels.h"
#include "decoding/kernels/packed_layout.h"
#include "tests/decoding/kernels/emulated_tiles.h"
#include "tests/decoding/kernels/kernel_cases.h"

namespace redraft::kernels {
namespace {

constexpr int kMaxRows = 200;

class Amx : public ::testing::Test {
 protected:
  void SetUp() override {
    if (best_isa() != Isa::kAmx) GTEST_SKIP() << "the vector half of the kernels needs AVX-512";
    set_tile_flaw(TileFlaw::kNone);
    take_broken_tile_rule();
  }
  void TearDown() override {
    set_tile_flaw(TileFlaw::kNone);
    EXPECT_EQ(threads_with_tiles(), 0);
  }
};

// Each up to 64, which covers every mixture of tiles, groups and remainders, and some above; with a
// long k, which takes its time, those around the sizes of tiles and groups.
std::vector<int> row_counts(int k) {
  if (k > 1024) return {1, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65, 72, 73, 128, kMaxRows};
  std::vector<int> counts;
  for (int rows = 1; rows <= 64; ++rows) counts.push_back(rows);
  counts.insert(counts.end(), {65, 127, 128, kMaxRows});
  return counts;
}

// k that ends within a superblock and within a step, outputs that leave part of a tile empty, and k
// so large that 200 rows take several passes.
struct Shape {
  int n, k;
};
std::vector<Shape> shapes(WeightFormat format) {
  if (is_k_format(format)) return {{33, 512}, {1, 256}, {16, 768}, {3, 8960}};
  return {{33, 576}, {1, 32}, {16, 512}, {17, 96}, {3, 4864}};
}

// A weight as both instruction sets store it, and rows.
struct Pair {
  Pair(WeightFormat format, int n, int k, const std::vector<std::uint8_t>& file)
      : amx(make_weight(format, Isa::kAmx, n, k, file)),
        avx512(make_weight(format, Isa::kAvx512Vnni, n, k, file)) {}
  bool agree(const float* x, int rows, ThreadPool& pool) const {
    const std::vector<float> expected = run_linear(avx512.packed, x, rows, pool);
    const std::vector<float> got = run_linear(amx.packed, x, rows, pool);
    return std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)) == 0;
  }
  TestWeight amx, avx512;
};

TEST_F(Amx, LinearsHaveTheBitsOfAvx512ForAnyNumberOfRows) {
  ThreadPool one(1);
  ThreadPool two(2);
  for (const WeightFormat format : kAllFormats) {
    for (const auto& [n, k] : shapes(format)) {
      std::mt19937 random(static_cast<unsigned>(k));
      const Pair pair(format, n, k, random_file(format, n, k, random));
      const std::vector<float> x = random_floats(std::size_t{kMaxRows} * k, random);
      for (const int rows : row_counts(k)) {
        for (ThreadPool* pool : {&one, &two}) {
          ASSERT_TRUE(pair.agree(x.data(), rows, *pool))
              << name_of(format, Isa::kAmx) << " " << n << "x" << k << ", rows " << rows;
        }
      }
    }
  }
  EXPECT_STREQ(take_broken_tile_rule(), nullptr);
}

// All codes, scales and activations at their largest, with either sign: where sums of floats would
// stop being exact first.
TEST_F(Amx, TheLargestSumsAreStillExact) {
  constexpr int kN = 32;
  constexpr int kK = 512;
  ThreadPool pool(1);
  std::mt19937 random(3);
  for (const WeightFormat format : kAllFormats) {
    if (reads_floats(format)) continue;
    for (const int fill : {0x00, 0x7f, 0x80, 0xff}) {
      // One repeated byte in all of the file but the scales, which products round with.
      std::vector<std::uint8_t> file(weight_bytes(format, kN, kK), static_cast<std::uint8_t>(fill));
      set_scales(format, 1 + 0x1p-10F, file);
      const Pair pair(format, kN, kK, file);
      std::vector<float> x(std::size_t{32} * kK);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t row = i / kK;
        x[i] = row == 0 ? 1.0F : row == 1 ? -1.0F : random() % 2 == 0 ? 1.0F : -1.0F;
        if (row == 2) x[i] = i % 37 == 0 ? 1.0F : 0.99F;
      }
      for (const int rows : {9, 17, 32})
        EXPECT_TRUE(pair.agree(x.data(), rows, pool)) << name_of(format, Isa::kAmx) << " " << fill;
    }
  }
}

TEST_F(Amx, RowsOfNaNsOrZeros) {
  constexpr int kK = 512;
  constexpr int kRows = 40;
  ThreadPool pool(2);
  for (const WeightFormat format : kAllFormats) {
    if (reads_floats(format)) continue;  // multiplied by AVX-512
    std::mt19937 random(4);
    const Pair pair(format, 35, kK, random_file(format, 35, kK, random));
    std::vector<float> x = random_floats(std::size_t{kRows} * kK, random);
    x[3] = std::numeric_limits<float>::quiet_NaN();
    x[5 * kK + 300] = std::numeric_limits<float>::infinity();
    std::fill_n(x.begin() + 7 * kK, kK, 0.0F);
    std::fill_n(x.begin() + 9 * kK, kK, -0.0F);
    std::fill_n(x.begin() + 11 * kK, kK, 3e38F);
    std::fill_n(x.begin() + 13 * kK, kK, 1e-29F);
    EXPECT_TRUE(pair.agree(x.data(), kRows, pool)) << name_of(format, Isa::kAmx);
  }
}

TEST_F(Amx, HeadsChooseTheSame) {
  constexpr int kN = 333;
  constexpr int kK = 512;
  constexpr int kBest = 5;
  std::mt19937 random(9);
  const Pair pair(WeightFormat::kQ6_K, kN, kK, random_file(WeightFormat::kQ6_K, kN, kK, random));
  const std::vector<float> x = random_floats(std::size_t{kMaxRows} * kK, random);
  ThreadPool pool(2);
  for (const int rows : {1, 8, 9, 16, 17, 33, 41, kMaxRows}) {
    std::vector<std::int32_t> ids[2];
    std::vector<float> logits[2];
    for (const bool amx : {false, true}) {
      const PackedWeight& w = amx ? pair.amx.packed : pair.avx512.packed;
      const PreparedRows prepared = prepare(w, x.data(), rows, pool);
      ids[amx].resize(static_cast<std::size_t>(rows) * (kBest + 1));
      logits[amx].resize(ids[amx].size());
      const std::size_t most = static_cast<std::size_t>(rows) * kBest;
      linear_top_k(w, prepared.input, rows, kBest, ids[amx].data(), logits[amx].data(), pool);
      linear_argmax(w, prepared.input, rows, ids[amx].data() + most, logits[amx].data() + most,
                    pool);
    }
    EXPECT_EQ(ids[0], ids[1]) << rows;
    EXPECT_EQ(logits[0], logits[1]) << rows;
  }
}

// The quants are where tiles are loaded from, and a tile with too few rows is filled up.
TEST_F(Amx, QuantsStandInTiles) {
  for (const int k : {96, 512}) {
    for (const int rows : {9, 16, 21, 48}) {
      std::mt19937 random(6);
      const std::vector<float> x = random_floats(static_cast<std::size_t>(rows) * k, random);
      ThreadPool pool(2);
      const std::size_t bytes = quantized_bytes(Isa::kAmx, rows, k);
      const std::size_t plain = quantized_bytes(Isa::kAvx512Vnni, rows, k);
      const int tiles = (rows + kAmxTileRows - 1) / kAmxTileRows;
      ASSERT_EQ(bytes, plain + static_cast<std::size_t>(tiles) * amx_tile_bytes(k));
      const AlignedBytes got = aligned_bytes(bytes);
      std::memset(got.get(), 0x55, bytes);
      quantize_rows(Isa::kAmx, x.data(), rows, k, got.get(), pool);
      const AlignedBytes expected = aligned_bytes(plain);
      quantize_rows(Isa::kAvx512Vnni, x.data(), rows, k, expected.get(), pool);
      const auto* superblocks = reinterpret_cast<const ActivationSuperblock*>(expected.get());
      const auto* quants = reinterpret_cast<const std::int8_t*>(got.get() + plain);
      for (int row = 0; row < tiles * kAmxTileRows; ++row) {
        for (int i = 0; i < superblock_count(k) * kSuperblock; ++i) {
          const std::int8_t quant =
              quants[static_cast<std::size_t>(row / kAmxTileRows) * amx_tile_bytes(k) +
                     static_cast<std::size_t>(i / kBlock * kAmxTileRows + row % kAmxTileRows) *
                         kBlock +
                     i % kBlock];
          const int group = row / kRowGroup;
          const int in_group = rows_in_group(rows, group);
          const int wanted = row >= rows ? 0
                                         : superblocks[group_offset(group, k) +
                                                       i / kSuperblock * in_group + row % kRowGroup]
                                               .quants[i % kSuperblock];
          ASSERT_EQ(quant, wanted) << "row " << row << " of " << rows << ", " << i << " of " << k;
        }
      }
    }
  }
  EXPECT_EQ(quantized_bytes(Isa::kAmx, 8, 512), quantized_bytes(Isa::kAvx512Vnni, 8, 512));
}

// Negative controls: a unit that computes anything else is detected, by the tests and by the check
// that each program makes before it uses AMX.
TEST_F(Amx, WrongTilesAreSeen) {
  EXPECT_TRUE(amx_agrees_with_avx512());
  for (const TileFlaw flaw :
       {TileFlaw::kUnsignedActivations, TileFlaw::kUnsignedCodes, TileFlaw::kSumsTransposed,
        TileFlaw::kLastFourMissing, TileFlaw::kSumsNotZeroed, TileFlaw::kRowsLoadedTwice}) {
    set_tile_flaw(flaw);
    EXPECT_FALSE(amx_agrees_with_avx512()) << static_cast<int>(flaw);
    for (const WeightFormat format : kAllFormats) {
      // Codes of less than eight bits without an offset have no sign.
      const bool harmless = flaw == TileFlaw::kUnsignedCodes && has_minimum(format);
      std::mt19937 random(7);
      const Pair pair(format, 16, 512, random_file(format, 16, 512, random));
      const std::vector<float> x = random_floats(std::size_t{32} * 512, random);
      ThreadPool pool(1);
      for (const int rows : {9, 32}) {
        EXPECT_EQ(pair.agree(x.data(), rows, pool), harmless || reads_floats(format))
            << name_of(format, Isa::kAmx) << ", flaw " << static_cast<int>(flaw);
      }
      EXPECT_TRUE(pair.agree(x.data(), 8, pool)) << "a group of rows is left to AVX-512";
    }
  }
}

struct Config {
  std::uint8_t bytes[64] = {1};
  Config& shape(int tile, int rows, int row_bytes) {
    bytes[16 + 2 * tile] = static_cast<std::uint8_t>(row_bytes);
    bytes[48 + tile] = static_cast<std::uint8_t>(rows);
    return *this;
  }
  Config& with(int at, int value) {
    bytes[at] = static_cast<std::uint8_t>(value);
    return *this;
  }
};

const char* rule_broken_by(const Config& config) {
  emulated_tiles::configure(config.bytes);
  emulated_tiles::release();
  return take_broken_tile_rule();
}

const char* rule_broken_by_product(const Config& config) {
  emulated_tiles::configure(config.bytes);
  emulated_tiles::add_products(0, 4, 6);
  emulated_tiles::release();
  return take_broken_tile_rule();
}

// What a processor would answer with a fault.
TEST_F(Amx, BrokenRulesOfTilesAreSeen) {
  const Config right = Config().shape(0, 16, 64).shape(4, 16, 32).shape(6, 8, 64);
  EXPECT_EQ(rule_broken_by_product(right), nullptr);
  EXPECT_STREQ(rule_broken_by(Config(right).with(0, 2)), "palette 1");
  EXPECT_STREQ(rule_broken_by(Config(right).with(33, 1)), "reserved bytes are zero");
  EXPECT_STREQ(rule_broken_by(Config(right).shape(3, 17, 64)), "at most 16 rows");
  EXPECT_STREQ(rule_broken_by(Config(right).shape(3, 16, 68)), "at most 64 bytes a row");
  EXPECT_STREQ(rule_broken_by(Config(right).shape(3, 16, 0)), "rows and bytes, or neither");
  EXPECT_STREQ(rule_broken_by_product(Config(right).shape(6, 4, 64)),
               "as many fours in a row of A as rows of B");
  EXPECT_STREQ(rule_broken_by_product(Config(right).shape(6, 8, 32)),
               "as many sums as columns of B");
  EXPECT_STREQ(rule_broken_by_product(Config(right).shape(4, 8, 32)), "as many sums as rows of A");
  EXPECT_STREQ(rule_broken_by_product(Config(right).shape(4, 16, 30)), "rows of whole fours");
  EXPECT_STREQ(rule_broken_by_product(Config(right).shape(6, 0, 0)), "the tile has a shape");
  emulated_tiles::zero(0);
  EXPECT_STREQ(take_broken_tile_rule(), "tiles are configured");
  emulated_tiles::configure(right.bytes);
  emulated_tiles::add_products(0, 0, 6);
  EXPECT_STREQ(take_broken_tile_rule(), "three different tiles");
  emulated_tiles::release();
}

// One range of work then configures the tiles for one format after another.
TEST_F(Amx, LinearsTogetherAreEachAsAlone) {
  for (const int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    for (const int rows : {1, 13, 40})
      EXPECT_TRUE(linears_are_as_alone(Isa::kAmx, rows, pool)) << "rows " << rows;
  }
  EXPECT_STREQ(take_broken_tile_rule(), nullptr);
}

// A kernel with the tiles of another format, which has a different k: no fault, but other sums.
TEST_F(Amx, TilesOfAnotherFormatAreSeen) {
  constexpr int kK = 256;
  std::mt19937 random(8);
  const Pair pair(WeightFormat::kQ4_K, 16, kK, random_file(WeightFormat::kQ4_K, 16, kK, random));
  ThreadPool pool(1);
  const std::vector<float> x = random_floats(std::size_t{16} * kK, random);
  const PreparedRows prepared = prepare(pair.amx.packed, x.data(), 16, pool);
  const AmxInput input{reinterpret_cast<const ActivationSuperblock*>(prepared.blocks.get()),
                       reinterpret_cast<const std::int8_t*>(
                           prepared.blocks.get() + quantized_bytes(Isa::kAvx512Vnni, 16, kK))};
  const auto run = [&](WeightFormat configured) {
    const AmxTiles tiles(configured);
    std::vector<float> out(16 * 16);
    amx_tile_kernel(WeightFormat::kQ4_K)(pair.amx.data.get(), input, 16, kK / kBlock, out.data());
    return out;
  };
  const std::vector<float> right = run(WeightFormat::kQ4_K);
  EXPECT_EQ(right, run_linear(pair.avx512.packed, x.data(), 16, pool));
  EXPECT_EQ(right, run(WeightFormat::kQ5_K));
  EXPECT_NE(right, run(WeightFormat::kQ6_K));
  EXPECT_STREQ(take_broken_tile_rule(), nullptr);
}

TEST_F(Amx, IsTheBestAndElseLikeAvx512) {
  EXPECT_STREQ(to_string(Isa::kAmx), "amx");
  const std::vector<Isa> isas = available_isas();
  EXPECT_EQ(isas.back(), Isa::kAmx);
  EXPECT_EQ(std::count(isas.begin(), isas.end(), Isa::kAvx512Vnni), 1);
  EXPECT_EQ(&operator_kernels(Isa::kAmx), &operator_kernels(Isa::kAvx512Vnni));
  ThreadPool pool(2);
  const MachinePeak peak = measure_machine_peak(Isa::kAmx, pool, std::size_t{8} << 20);
  EXPECT_GT(peak.int8_gmacs[0], 0);
  EXPECT_GT(peak.f32_gmacs, 0.05);
  EXPECT_STREQ(take_broken_tile_rule(), nullptr);
}

}  // namespace
}  // namespace redraft::kernels
