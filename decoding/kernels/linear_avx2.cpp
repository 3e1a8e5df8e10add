// Tile kernels for AVX2. maddubs multiplies unsigned codes by signed activations and adds pairs
// into 16 bits; as many of its results are added in 16 bits as cannot overflow (|activation| <=
// 127). Then madd widens to 32 bits and, in K formats, multiplies by the block's integer scale at
// no extra cost. Eight-bit codes are signed: their sign moves to the activation.
//
// This file is compiled for AVX2: it must not instantiate inline functions that other files may
// share.
#include "decoding/kernels/coarse_sums_avx.h"
#include "decoding/kernels/quantize_template.h"
#include "decoding/kernels/tile_kernel_256.h"

namespace redraft::kernels {
namespace {

// Keeps the operations on `x` in the order written: g++ would add up a tree of all products, for
// which there are too few registers.
REDRAFT_INLINE void settle(__m256i& x) { asm("" : "+x"(x)); }

template <int kBits>
REDRAFT_INLINE __m256i multiply(__m256i codes, __m256i quants) {
  if constexpr (kBits == 8)
    return _mm256_maddubs_epi16(_mm256_abs_epi8(codes), _mm256_sign_epi8(quants, codes));
  return _mm256_maddubs_epi16(codes, quants);
}

// How many products fit in a 16-bit sum. One is at most (2^bits - 1) * 2 * 127. In a K format with
// an offset a sum begins with -offset times its activations: it may wrap around, and ends as the
// sum for codes that may be negative.
constexpr int depth(int bits) { return bits == 4 ? 8 : bits == 8 ? 1 : 4; }

struct MaddubsDots {
  static constexpr bool kSignedCodes = true;

  // Each scale as two equal 16-bit numbers.
  template <bool kSigned>
  REDRAFT_INLINE static __m256i widen(__m128i bytes) {
    const __m128i twice = _mm_unpacklo_epi8(bytes, bytes);
    return kSigned ? _mm256_cvtepi8_epi16(twice) : _mm256_cvtepu8_epi16(twice);
  }

  template <WeightFormat kFormat, int kRows, typename Between>
  REDRAFT_INLINE static void add_scaled(const std::uint8_t* codes, const ActivationSuperblock* x,
                                        std::ptrdiff_t at, const __m256i (&scale)[2],
                                        const Between& between, __m256i (*sums)[2]) {
    constexpr int kGroups = run_size(kFormat) / 4;
    constexpr bool kHasStart = !has_minimum(kFormat) && product_bits(kFormat) != 8;
    __m256i start[kRows];
    for (int row = 0; row < kRows && kHasStart; ++row) {
      start[row] = _mm256_set1_epi32(x[row].offsets[at / 16]);
      if constexpr (kFormat == WeightFormat::kQ3_K) start[row] = _mm256_srai_epi16(start[row], 3);
    }
    add_groups<product_bits(kFormat), kGroups, kRows, kHasStart>(codes, x, at, start, scale,
                                                                 between, sums);
  }

  template <WeightFormat kFormat, int kRows, typename Between>
  REDRAFT_INLINE static void add(const std::uint8_t* codes, const ActivationSuperblock* x,
                                 std::ptrdiff_t at, const Between& between, __m256i (*sums)[2]) {
    const __m256i one[2] = {_mm256_set1_epi16(1), _mm256_set1_epi16(1)};
    const __m256i none[kRows] = {};
    add_groups<product_bits(kFormat), 8, kRows, false>(codes, x, at, none, one, between, sums);
  }

 private:
  template <int kBits, int kGroups, int kRows, bool kHasStart, typename Between>
  REDRAFT_INLINE static void add_groups(const std::uint8_t* codes, const ActivationSuperblock* x,
                                        std::ptrdiff_t at, const __m256i (&start)[kRows],
                                        const __m256i (&scale)[2], const Between& between,
                                        __m256i (*sums)[2]) {
    constexpr int kDepth = depth(kBits) < kGroups ? depth(kBits) : kGroups;
    static_assert(!kHasStart || kDepth == kGroups);
    __m256i narrow[kRows][2];
    for (int row = 0; row < kRows && kHasStart; ++row) narrow[row][0] = narrow[row][1] = start[row];
#pragma GCC unroll 8
    for (int i = 0; i < kGroups; ++i) {
      const bool begins = !kHasStart && i % kDepth == 0;
      const bool ends = (i + 1) % kDepth == 0;
      const __m256i opened[2] = {load_codes(codes + 64 * i),
                                 load_codes(codes + 64 * i + kHalfBytes)};
#pragma GCC unroll 4
      for (int row = 0; row < kRows; ++row) {
        const __m256i quants = broadcast_group(x[row], at + 4 * i);
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
          __m256i& sum = narrow[row][half];
          const __m256i product = multiply<kBits>(opened[half], quants);
          sum = begins ? product : _mm256_add_epi16(sum, product);
          if constexpr (kDepth > 1) settle(sum);
          if (!ends) continue;
          __m256i& wide = sums[row][half];
          wide = _mm256_add_epi32(wide, _mm256_madd_epi16(sum, scale[half]));
          if constexpr (kDepth == 1) settle(wide);
        }
      }
      between.after(i);
    }
  }
};

// 32 activations, zeros from `count` on.
struct Values {
  __m256 part[4];
  float largest;  // magnitude
  bool finite;
};

REDRAFT_INLINE Values load_values(const float* x, int count) {
  Values values;
  alignas(32) float padded[kBlock] = {};
  if (count < kBlock) {
    for (int i = 0; i < count; ++i) padded[i] = x[i];
    x = padded;
  }
  const __m256 magnitude_bits = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  __m256 largest = _mm256_setzero_ps();
  int finite = 0xff;
  for (int i = 0; i < 4; ++i) {
    values.part[i] = _mm256_loadu_ps(x + 8 * i);
    const __m256 magnitude = _mm256_and_ps(values.part[i], magnitude_bits);
    finite &=
        _mm256_movemask_ps(_mm256_cmp_ps(magnitude, _mm256_set1_ps(__builtin_inff()), _CMP_LT_OQ));
    largest = _mm256_max_ps(largest, magnitude);
  }
  __m128 most = _mm_max_ps(_mm256_castps256_ps128(largest), _mm256_extractf128_ps(largest, 1));
  most = _mm_max_ps(most, _mm_movehl_ps(most, most));
  values.largest = _mm_cvtss_f32(_mm_max_ss(most, _mm_movehdup_ps(most)));
  values.finite = finite == 0xff;
  return values;
}

// Quantises block `block` by the range of all activations that share its scale.
REDRAFT_INLINE void quantize_block(const Values& values, float largest, bool finite, int block,
                                   ActivationSuperblock& out) {
  const bool live = finite && largest >= kMinMagnitude;
  const __m256 inverse = _mm256_set1_ps(live ? 127.0f / largest : 0.0f);
  __m256i quants[4];
  for (int i = 0; i < 4; ++i) {
    quants[i] =
        live ? _mm256_cvtps_epi32(_mm256_mul_ps(values.part[i], inverse)) : _mm256_setzero_si256();
  }
  // Packing works on 128-bit parts, so four values of each part interleave; the permutation puts
  // them in order.
  const __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(quants[0], quants[1]),
                                            _mm256_packs_epi32(quants[2], quants[3]));
  const __m256i ordered =
      _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.quants + block * kBlock), ordered);
  out.scales[block] = finite ? largest / 127.0f : __builtin_nanf("");
  // For each 16 quants, the sums of the pairs that end up in the even and in the odd 16-bit lanes.
  __m256i sums = _mm256_maddubs_epi16(_mm256_set1_epi8(1), ordered);
  sums = _mm256_add_epi16(sums, _mm256_shuffle_epi32(sums, 0x4e));
  sums = _mm256_add_epi16(sums, _mm256_shuffle_epi32(sums, 0xb1));
  const __m256i offsets = _mm256_sub_epi16(_mm256_setzero_si256(), _mm256_slli_epi16(sums, 5));
  out.offsets[2 * block] = _mm256_cvtsi256_si32(offsets);
  out.offsets[2 * block + 1] = _mm256_extract_epi32(offsets, 4);
  const __m256i wide = _mm256_madd_epi16(sums, _mm256_set1_epi16(1));
  const int first = _mm256_cvtsi256_si32(wide);
  const int second = _mm256_extract_epi32(wide, 4);
  out.sums[2 * block] = static_cast<std::int16_t>(first);
  out.sums[2 * block + 1] = static_cast<std::int16_t>(second);
  out.scaled_sums[block] = out.scales[block] * static_cast<float>(first + second);
}

struct QuantizeOps {
  static Values load(const float* x, int count) { return load_values(x, count); }
  static void quantize(const Values& values, float largest, bool finite, int block,
                       ActivationSuperblock& out) {
    quantize_block(values, largest, finite, block, out);
  }
  static void coarsen_sums(ActivationSuperblock& out) { coarsen_sums_avx(out); }
};

}  // namespace

TileKernel avx2_tile_kernel(WeightFormat format) { return Kernels<MaddubsDots>::of_format(format); }

void avx2_quantize(const float* x, int k, int begin, int end, ActivationSuperblock* out,
                   int stride) {
  quantize_row<QuantizeOps>(x, k, begin, end, out, stride);
}

}  // namespace redraft::kernels
