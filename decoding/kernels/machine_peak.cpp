#include "decoding/kernels/machine_peak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>

#include "decoding/kernels/huge_pages.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace redraft::kernels {
namespace {

constexpr int kRounds = 48;  // of about a millisecond: short enough that some run undisturbed
constexpr int kSlices = 8;
constexpr int kParts = 64;
constexpr int kChains = 12;  // independent sums: more than latency times throughput of any core
constexpr int kSteps = 1 << 18;

// Each returns a value that depends on all its arithmetic, so that nothing is optimised away, and
// counts its multiply-adds in `macs`.
#if defined(__x86_64__)
__attribute__((target("avx512f,avx512vnni"))) int avx512_macs(std::int64_t& macs) {
  __m512i sums[kChains];
  const __m512i a = _mm512_set1_epi8(3);
  const __m512i b = _mm512_set1_epi8(5);
  for (__m512i& sum : sums) sum = _mm512_setzero_si512();
  for (int i = 0; i < kSteps; ++i) {
    for (__m512i& sum : sums) sum = _mm512_dpbusd_epi32(sum, a, b);
  }
  __m512i all = _mm512_setzero_si512();
  for (const __m512i& sum : sums) all = _mm512_add_epi32(all, sum);
  macs = std::int64_t{64} * kChains * kSteps;
  return _mm_cvtsi128_si32(_mm512_castsi512_si128(all));
}

// maddubs, madd and add: how AVX2 multiplies bytes.
__attribute__((target("avx2"))) int avx2_macs(std::int64_t& macs) {
  __m256i sums[kChains];
  const __m256i a = _mm256_set1_epi8(3);
  const __m256i b = _mm256_set1_epi8(5);
  const __m256i ones = _mm256_set1_epi16(1);
  for (__m256i& sum : sums) sum = _mm256_setzero_si256();
  for (int i = 0; i < kSteps; ++i) {
    for (__m256i& sum :
         sums) {  // the multiplied bytes change with the sum: nothing can leave the loop
      sum = _mm256_add_epi32(
          sum, _mm256_madd_epi16(_mm256_maddubs_epi16(a, _mm256_xor_si256(b, sum)), ones));
    }
  }
  __m256i all = _mm256_setzero_si256();
  for (const __m256i& sum : sums) all = _mm256_add_epi32(all, sum);
  macs = std::int64_t{32} * kChains * kSteps;
  return _mm_cvtsi128_si32(_mm256_castsi256_si128(all));
}
#endif

// What the compiler makes of a plain loop over 16-bit integers, as the portable kernel has it.
int portable_macs(std::int64_t& macs) {
  std::int16_t a[256];
  std::int8_t b[256];
  for (int i = 0; i < 256; ++i)
    a[i] = static_cast<std::int16_t>(i % 15), b[i] = static_cast<std::int8_t>(i % 100);
  unsigned sum = 0;  // wraps
  for (int step = 0; step < kSteps / 4; ++step) {
    asm volatile("" : : "r"(a), "r"(b) : "memory");
    for (int i = 0; i < 256; ++i) sum += static_cast<unsigned>(a[i] * b[i]);
  }
  macs = std::int64_t{256} * (kSteps / 4);
  return static_cast<int>(sum);
}

int run_macs(Isa isa, std::int64_t& macs) {
#if defined(__x86_64__)
  if (isa == Isa::kAvx512Vnni) return avx512_macs(macs);
  if (isa == Isa::kAvx2) return avx2_macs(macs);
#endif
  return portable_macs(macs);
}

// Adds up 64-bit words on many chains: bound by memory with any vector instructions.
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

template <typename Work>
double best_seconds(const Work& work) {
  double best = 1e30;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

MachinePeak measure_machine_peak(Isa isa, ThreadPool& pool, std::size_t buffer_bytes) {
  const int threads = pool.threads();
  std::atomic<std::uint64_t> sink{0};
  std::atomic<std::int64_t> macs{0};
  // One part per thread and no fewer: with as many equal parts as threads each thread takes one.
  const double mac_seconds = best_seconds([&] {
    macs = 0;
    pool.parallel_for(threads, 1, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) {
        std::int64_t done = 0;
        sink += static_cast<std::uint64_t>(run_macs(isa, done));
        macs += done;
      }
    });
  });
  const std::size_t slice = buffer_bytes / kSlices / sizeof(std::uint64_t);
  const auto buffer = std::make_unique_for_overwrite<std::uint64_t[]>(slice * kSlices);
  ask_for_huge_pages(buffer.get(),
                     slice * kSlices * sizeof(std::uint64_t));  // as weights have them
  std::memset(buffer.get(), 1, slice * kSlices * sizeof(std::uint64_t));
  // A round reads the slice that was read longest ago, so that no cache still holds it.
  int round = 0;
  const double read_seconds = best_seconds([&] {
    const std::uint64_t* const words =
        buffer.get() + slice * static_cast<std::size_t>(round++ % kSlices);
    pool.parallel_for(kParts, 1, [&](int begin, int end) {
      sink += sum_words(words + slice / kParts * begin, slice / kParts * (end - begin));
    });
  });
  return {.int8_gmacs = static_cast<double>(macs.load()) / mac_seconds / 1e9,
          .bandwidth_gbps = static_cast<double>(slice / kParts * kParts * sizeof(std::uint64_t)) /
                            read_seconds / 1e9};
}

}  // namespace redraft::kernels
