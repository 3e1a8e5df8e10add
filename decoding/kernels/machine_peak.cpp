#include "decoding/kernels/machine_peak.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <iterator>
#include <vector>

#include "decoding/kernels/amx_kernel.h"
#include "decoding/kernels/huge_pages.h"
#include "decoding/kernels/neon_kernels.h"
#include "support/seconds_since.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace redraft::kernels {
namespace {

constexpr int kRounds = 48;  // about a millisecond each: short enough for some to run undisturbed
constexpr int kFloatRounds = 16;
constexpr int kProbeRounds = 5;
// The fraction of the peak that a round on a quiet machine reaches. More than the cores share the
// memory.
constexpr double kQuietMacs = 0.93;
constexpr double kQuietReads = 0.85;
constexpr int kSlices = 8;
constexpr int kParts = 64;
constexpr int kChains = 12;  // independent sums: more than latency times throughput on any core
constexpr int kSteps = 1 << 18;

std::atomic<std::uint64_t> sink{0};  // receives every result, so that no work is optimised away

// Each function returns the number of multiply-adds it did.
#if defined(__x86_64__)
__attribute__((target("avx512f,avx512vnni"))) std::int64_t avx512_int8() {
  __m512i sums[kChains];
  const __m512i a = _mm512_set1_epi8(3);
  const __m512i b = _mm512_set1_epi8(5);
  for (__m512i& sum : sums) sum = _mm512_setzero_si512();
  for (int i = 0; i < kSteps; ++i) {
    for (__m512i& sum : sums) sum = _mm512_dpbusd_epi32(sum, a, b);
  }
  __m512i all = _mm512_setzero_si512();
  for (const __m512i& sum : sums) all = _mm512_add_epi32(all, sum);
  sink += static_cast<std::uint64_t>(_mm_cvtsi128_si32(_mm512_castsi512_si128(all)));
  return std::int64_t{64} * kChains * kSteps;
}

__attribute__((target("avx512f,avx512bf16"))) std::int64_t avx512_bf16() {
  __m512 sums[kChains];
  const auto a = reinterpret_cast<__m512bh>(_mm512_set1_epi16(0x3f80));  // ones
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  for (int i = 0; i < kSteps; ++i) {
    for (__m512& sum : sums) sum = _mm512_dpbf16_ps(sum, a, a);
  }
  __m512 all = _mm512_setzero_ps();
  for (const __m512& sum : sums) all = _mm512_add_ps(all, sum);
  sink += static_cast<std::uint64_t>(_mm512_cvtss_f32(all));
  return std::int64_t{32} * kChains * kSteps;
}

__attribute__((target("avx512f"))) std::int64_t avx512_f32() {
  __m512 sums[kChains];
  const __m512 a = _mm512_set1_ps(0.5F);
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  for (int i = 0; i < kSteps; ++i) {
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, a, a);
  }
  __m512 all = _mm512_setzero_ps();
  for (const __m512& sum : sums) all = _mm512_add_ps(all, sum);
  sink += static_cast<std::uint64_t>(_mm512_cvtss_f32(all));
  return std::int64_t{16} * kChains * kSteps;
}

// For AVX2: codes of 16 outputs, in two registers, by four rows of activations from the first
// cache, each four of which are broadcast once for both. `kDepth` products are added in 16 bits
// before they are widened; with a depth of one the codes are signed, and their sign moves to the
// activations.
template <int kDepth>
__attribute__((target("avx2"))) std::int64_t avx2_int8() {
  constexpr int kRows = 4, kGroups = 8;
  alignas(32) std::int8_t codes[kGroups][2][32] = {};
  std::int32_t quants[kRows][kGroups] = {};
  alignas(32) std::int32_t sums[kRows][2][8] = {};
  const __m256i scale = _mm256_set1_epi16(1);
  constexpr int kPeakSteps = kSteps / 4;
  for (int step = 0; step < kPeakSteps; ++step) {
    // Claims to change everything, so that nothing moves out of the loop.
    asm volatile("" : : "r"(codes), "r"(quants), "r"(sums) : "memory");
    __m256i narrow[kRows][2];
#pragma GCC unroll 8
    for (int i = 0; i < kGroups; ++i) {
      const __m256i code[2] = {_mm256_load_si256(reinterpret_cast<const __m256i*>(codes[i][0])),
                               _mm256_load_si256(reinterpret_cast<const __m256i*>(codes[i][1]))};
#pragma GCC unroll 4
      for (int row = 0; row < kRows; ++row) {
        const __m256i x = _mm256_set1_epi32(quants[row][i]);
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
          __m256i& sum = narrow[row][half];
          const __m256i product = kDepth == 1
                                      ? _mm256_maddubs_epi16(_mm256_abs_epi8(code[half]),
                                                             _mm256_sign_epi8(x, code[half]))
                                      : _mm256_maddubs_epi16(code[half], x);
          sum = i % kDepth == 0 ? product : _mm256_add_epi16(sum, product);
          asm("" : "+x"(sum));  // keeps this order: a tree of sums would need more registers
          if (i % kDepth < kDepth - 1) continue;
          auto* wide = reinterpret_cast<__m256i*>(sums[row][half]);
          *wide = _mm256_add_epi32(*wide, _mm256_madd_epi16(sum, scale));
        }
      }
    }
  }
  sink += static_cast<std::uint64_t>(sums[0][0][0] + sums[kRows - 1][1][7]);
  return std::int64_t{2} * 8 * 4 * kGroups * kRows * kPeakSteps;
}

// For AVX-VNNI, in its VEX form. Ten sums hide the latency. They are not an array, since g++ 12
// would keep some of its elements in memory.
__attribute__((target("avx2,avxvnni"))) std::int64_t avx_vnni_int8() {
  const __m256i a = _mm256_set1_epi8(3);
  const __m256i b = _mm256_set1_epi8(5);
  __m256i s0 = a, s1 = a, s2 = a, s3 = a, s4 = a, s5 = a, s6 = a, s7 = a, s8 = a, s9 = a;
  for (int i = 0; i < kSteps; ++i) {
    s0 = _mm256_dpbusd_avx_epi32(s0, a, b), s1 = _mm256_dpbusd_avx_epi32(s1, a, b),
    s2 = _mm256_dpbusd_avx_epi32(s2, a, b), s3 = _mm256_dpbusd_avx_epi32(s3, a, b);
    s4 = _mm256_dpbusd_avx_epi32(s4, a, b), s5 = _mm256_dpbusd_avx_epi32(s5, a, b),
    s6 = _mm256_dpbusd_avx_epi32(s6, a, b), s7 = _mm256_dpbusd_avx_epi32(s7, a, b);
    s8 = _mm256_dpbusd_avx_epi32(s8, a, b), s9 = _mm256_dpbusd_avx_epi32(s9, a, b);
    // Makes the sums look different to the compiler, which would otherwise compute one for all.
    asm("" : "+x"(s0), "+x"(s1), "+x"(s2), "+x"(s3), "+x"(s4));
    asm("" : "+x"(s5), "+x"(s6), "+x"(s7), "+x"(s8), "+x"(s9));
  }
  const __m256i all = _mm256_add_epi32(
      _mm256_add_epi32(_mm256_add_epi32(s0, s1), _mm256_add_epi32(s2, s3)),
      _mm256_add_epi32(_mm256_add_epi32(_mm256_add_epi32(s4, s5), _mm256_add_epi32(s6, s7)),
                       _mm256_add_epi32(s8, s9)));
  sink += static_cast<std::uint64_t>(_mm256_cvtsi256_si32(all));
  return std::int64_t{32} * 10 * kSteps;
}

__attribute__((target("avx2,fma"))) std::int64_t avx2_f32() {
  __m256 sums[kChains];
  const __m256 a = _mm256_set1_ps(0.5F);
  for (__m256& sum : sums) sum = _mm256_setzero_ps();
  for (int i = 0; i < kSteps; ++i) {
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, a, a);
  }
  __m256 all = _mm256_setzero_ps();
  for (const __m256& sum : sums) all = _mm256_add_ps(all, sum);
  sink += static_cast<std::uint64_t>(_mm256_cvtss_f32(all));
  return std::int64_t{8} * kChains * kSteps;
}
#endif

// A plain loop over 16-bit integers, as in the portable kernel and as the compiler vectorises it.
std::int64_t portable_int8() {
  std::int16_t a[256];
  std::int8_t b[256];
  for (int i = 0; i < 256; ++i) {
    a[i] = static_cast<std::int16_t>(i % 15);
    b[i] = static_cast<std::int8_t>(i % 100);
  }
  unsigned sum = 0;  // wraps
  for (int step = 0; step < kSteps / 4; ++step) {
    asm volatile("" : : "r"(a), "r"(b) : "memory");
    for (int i = 0; i < 256; ++i) sum += static_cast<unsigned>(a[i] * b[i]);
  }
  sink += sum;
  return std::int64_t{256} * (kSteps / 4);
}

std::int64_t portable_f32() {
  float sums[64] = {};
  for (int step = 0; step < kSteps; ++step) {
    for (float& sum : sums) sum = sum * 0.5F + 0.5F;
  }
  for (const float sum : sums) sink += static_cast<std::uint64_t>(sum);
  return std::int64_t{64} * kSteps;
}

using Work = std::int64_t (*)();

// Null where there is no such instruction.
struct MacWork {
  std::array<Work, 4> int8;  // by code width, as PerCodeWidth
  Work f32;
  Work bf16;
  Work vector;             // by vector instructions, ..
  double for_int16 = 0.5;  // .. which do this part of them if the integers have 16 bits
};

std::array<Work, 4> for_all_widths(Work work) { return {work, work, work, work}; }

MacWork mac_work(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::kAvx2) {
    // The depths that 16 bits allow: see linear_avx2.cpp.
    return {
        {avx2_int8<8>, avx2_int8<4>, avx2_int8<4>, avx2_int8<1>}, avx2_f32, nullptr, avx2_int8<8>};
  }
  if (isa == Isa::kAvxVnni) return {for_all_widths(avx_vnni_int8), avx2_f32, nullptr, avx2_int8<8>};
  if (has_avx512(isa)) {
    const bool bf16 = __builtin_cpu_supports("avx512bf16");
    return {for_all_widths(isa == Isa::kAmx ? amx_int8_macs : avx512_int8), avx512_f32,
            bf16 ? avx512_bf16 : nullptr, avx512_int8};
  }
#elif defined(__aarch64__)
  if (has_neon(isa)) {
    const Work int8 = isa == Isa::kNeonI8mm ? neon_i8mm_int8_macs : neon_dotprod_int8_macs;
    return {for_all_widths(int8), neon_f32_macs, nullptr, neon_int16_macs, 1};
  }
#endif
  return {for_all_widths(portable_int8), portable_f32, nullptr, portable_int8};
}

// Adds up 64-bit words in many chains: memory-bound with any vector instructions.
std::uint64_t sum_words(const std::uint64_t* words, std::size_t count) {
  constexpr std::size_t kLanes = 32;
  std::uint64_t sums[kLanes] = {};
  for (std::size_t i = 0; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += words[i + lane];
  }
  std::uint64_t all = 0;
  for (const std::uint64_t sum : sums) all += sum;
  return all;
}
}  // namespace

PeakProbe::PeakProbe(Isa isa, ThreadPool& pool, std::size_t buffer_bytes)
    : isa_(isa), pool_(pool), slice_(buffer_bytes / kSlices / sizeof(std::uint64_t)) {
  buffer_ = std::make_unique_for_overwrite<std::uint64_t[]>(slice_ * kSlices);
  const std::size_t bytes = slice_ * kSlices * sizeof(std::uint64_t);
  ask_for_huge_pages(buffer_.get(), bytes);  // as for weights
  std::memset(buffer_.get(), 1, bytes);
  const MacWork work = mac_work(isa);
  middle(kRounds, peak_.int8_gmacs[0], false);
  middle(kRounds, peak_.bandwidth_gbps, true);
  raise_int8(kFloatRounds);
  for (int round = 0; round < kFloatRounds; ++round) {
    peak_.f32_gmacs = std::max(peak_.f32_gmacs, mac_round(work.f32));
    peak_.int16_gmacs = std::max(peak_.int16_gmacs, mac_round(work.vector) * work.for_int16);
    if (work.bf16) peak_.bf16_gmacs = std::max(peak_.bf16_gmacs, mac_round(work.bf16));
  }
}

void PeakProbe::raise_int8(int rounds) {
  const MacWork work = mac_work(isa_);
  for (std::size_t i = 1; i < work.int8.size(); ++i) {
    double& peak = peak_.int8_gmacs[i];
    if (work.int8[i] == work.int8[0]) {
      peak = peak_.int8_gmacs[0];
      continue;
    }
    for (int round = 0; round < rounds; ++round) peak = std::max(peak, mac_round(work.int8[i]));
  }
}

bool PeakProbe::is_quiet() {
  const double macs = middle(kProbeRounds, peak_.int8_gmacs[0], false);
  const double reads = middle(kProbeRounds, peak_.bandwidth_gbps, true);
  raise_int8(1);
  return macs >= kQuietMacs * peak_.int8_gmacs[0] && reads >= kQuietReads * peak_.bandwidth_gbps;
}

double PeakProbe::middle(int rounds, double& peak, bool reading) {
  std::vector<double> rates;
  for (int round = 0; round < rounds; ++round) {
    rates.push_back(reading ? read_round() : mac_round(mac_work(isa_).int8[0]));
    peak = std::max(peak, rates.back());
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

// Runs one part per thread. Normally each thread takes its own; if one is late, the round is slow
// and does not count as the best.
double PeakProbe::mac_round(std::int64_t (*work)()) {
  std::atomic<std::int64_t> macs{0};
  const auto start = std::chrono::steady_clock::now();
  pool_.parallel_for(pool_.threads(), 1, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) macs += work();
  });
  return static_cast<double>(macs.load()) / seconds_since(start) / 1e9;
}

// Reads the slice that was read longest ago, so that no cache holds it.
double PeakProbe::read_round() {
  const std::uint64_t* const words = buffer_.get() + slice_ * static_cast<std::size_t>(next_slice_);
  next_slice_ = (next_slice_ + 1) % kSlices;
  const auto start = std::chrono::steady_clock::now();
  pool_.parallel_for(kParts, 1, [&](int begin, int end) {
    sink += sum_words(words + slice_ / kParts * begin, slice_ / kParts * (end - begin));
  });
  return static_cast<double>(slice_ / kParts * kParts * sizeof(std::uint64_t)) /
         seconds_since(start) / 1e9;
}

MachinePeak measure_machine_peak(Isa isa, ThreadPool& pool, std::size_t buffer_bytes) {
  return PeakProbe(isa, pool, buffer_bytes).peak();
}

}  // namespace redraft::kernels
