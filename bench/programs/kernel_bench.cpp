// Compares the linear layers with this machine's own roofline, measured in the same run: read
// bandwidth for few rows, the int8 peak for many. One pass goes over copies of a matrix that
// together exceed the caches, like the layers of a model. Usage: redraft_kernel_bench [threads; 0,
// the default: one, then all] [isa, as `redraft doctor` names it] [format, e.g. Q4_K, or ops]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "decoding/kernels/fixed_point.h"
#include "decoding/kernels/linear.h"
#include "decoding/kernels/machine_peak.h"
#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/transformer_ops.h"
#include "support/aligned_bytes.h"
#include "support/seconds_since.h"

namespace redraft::kernels {
namespace {

struct Shape {
  int n;
  int k;
};
template <typename Work>
double best_seconds(int rounds, const Work& work) {
  double best = 1e30;
  for (int i = 0; i < rounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

// The lower quartile of single calls: even on a busy machine, about the time of a quiet one.
template <typename Work>
double quartile_seconds(int rounds, int calls, const Work& work) {
  std::vector<double> seconds;
  for (int i = 0; i < rounds * calls; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work(i % calls);
    seconds.push_back(seconds_since(start));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 4];
}

// Matrices of one shape, more than 200 MB of them, with the same weights: a kernel's time does not
// depend on values.
class Layers {
 public:
  Layers(WeightFormat format, Isa isa, Shape shape, ThreadPool& pool)
      : bytes_(packed_bytes(format, shape.n, shape.k)) {
    const std::vector<std::uint8_t> file(weight_bytes(format, shape.n, shape.k), 0x21);
    count_ = static_cast<int>((std::size_t{200} << 20) / bytes_ + 1);
    data_ = aligned_bytes(bytes_ * static_cast<std::size_t>(count_));
    for (int i = 0; i < count_; ++i) {
      pack(format, shape.n, shape.k, file.data(),
           data_.get() + bytes_ * static_cast<std::size_t>(i), pool);
    }
    weight_ = {format, isa, shape.n, shape.k, data_.get()};
  }
  int count() const { return count_; }
  std::size_t bytes() const { return bytes_ * static_cast<std::size_t>(count_); }
  PackedWeight operator[](int i) const {
    PackedWeight weight = weight_;
    weight.data += bytes_ * static_cast<std::size_t>(i);
    return weight;
  }

 private:
  std::size_t bytes_;
  int count_;
  AlignedBytes data_;
  PackedWeight weight_;
};

std::vector<float> random_floats(std::size_t count) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

// Each line: time, ratio to one row, then bytes and multiplications per second, with their share of
// this machine's peak.
void bench_linear(WeightFormat format, Isa isa, Shape shape, const MachinePeak& peak,
                  ThreadPool& pool) {
  const Layers layers(format, isa, shape, pool);
  const double peak_gmacs = reads_floats(format)
                                ? peak.f32_gmacs
                                : peak.int8_gmacs[code_width_index(product_bits(format))];
  double one_row = 0;
  std::printf("\n%s %dx%d, %d copies, %.0f MB\n", weight_format_info(format)->name, shape.n,
              shape.k, layers.count(), static_cast<double>(layers.bytes()) / 1e6);
  for (const int rows : {1, 2, 3, 4, 6, 8, 16, 32, 64, 128}) {
    const std::vector<float> x = random_floats(static_cast<std::size_t>(rows) * shape.k);
    const AlignedBytes quantized = aligned_bytes(quantized_bytes(isa, rows, shape.k));
    quantize_rows(isa, x.data(), rows, shape.k, quantized.get(), pool);
    const LinearInput input =
        reads_floats(format) ? LinearInput(x.data()) : LinearInput(quantized.get());
    std::vector<float> y(static_cast<std::size_t>(rows) * shape.n);
    const double seconds = quartile_seconds(rows >= 32 ? 2 : 5, layers.count(), [&](int i) {
      linear(layers[i], input, rows, nullptr, y.data(), shape.n, pool);
    });
    const double gigabytes = static_cast<double>(layers.bytes()) / layers.count() / 1e9;
    const double gmacs = static_cast<double>(rows) * shape.n * shape.k / 1e9;
    if (rows == 1) one_row = seconds;
    std::printf("rows %3d  %7.2f ms %5.2fx  %5.1f GB/s %3.0f %%  %6.1f GMAC/s %3.0f %%\n", rows,
                seconds * 1e3, seconds / one_row, gigabytes / seconds,
                100 * gigabytes / seconds / peak.bandwidth_gbps, gmacs / seconds,
                100 * gmacs / seconds / peak_gmacs);
  }
}

void bench_attention(Isa isa, int heads, int kv_heads, int head_dim, int committed,
                     ThreadPool& pool) {
  for (const int rows : {1, 8, 64}) {
    const int slots = committed + rows;
    const int pitch = slots * (head_dim + kScaleInts);
    std::vector<std::int16_t> keys(static_cast<std::size_t>(kv_heads) * pitch);
    store_fixed(isa, random_floats(static_cast<std::size_t>(slots) * kv_heads * head_dim).data(),
                slots, kv_heads, head_dim, keys.data(), pitch, pool);
    const std::vector<float> q = random_floats(static_cast<std::size_t>(rows) * heads * head_dim);
    std::vector<float> out(q.size());
    const AttentionShape shape{.rows = rows,
                               .heads = heads,
                               .kv_heads = kv_heads,
                               .head_dim = head_dim,
                               .head_pitch = pitch,
                               .slots = slots,
                               .committed = committed,
                               .context = rows,
                               .parents = nullptr};
    const double seconds = best_seconds(
        8, [&] { attention(isa, shape, q.data(), keys.data(), keys.data(), out.data(), pool); });
    std::printf("attention %dx%d/%d heads, %d committed, rows %2d  %8.1f us\n", heads, head_dim,
                kv_heads, committed, rows, seconds * 1e6);
  }
}

void bench_small_operators(Isa isa, ThreadPool& pool) {
  const double empty = best_seconds(5, [&] {
    for (int i = 0; i < 1000; ++i) pool.parallel_for(16, 1, [](int, int) {});
  });
  std::printf("\nempty parallel_for %.2f us\n", empty * 1e3);
  for (const int rows : {1, 8, 64}) {
    const int n = 8960;
    std::vector<float> x = random_floats(static_cast<std::size_t>(rows) * n);
    std::vector<float> out(x.size());
    const std::vector<float> weight(n, 1.0f);
    const AlignedBytes quantized = aligned_bytes(quantized_bytes(isa, rows, n));
    const double norm = best_seconds(
        20, [&] { rms_norm(isa, x.data(), weight.data(), 1e-6f, rows, n, out.data(), pool); });
    const double silu =
        best_seconds(20, [&] { silu_mul(isa, x.data(), x.data(), rows, n, out.data(), pool); });
    const double quantize =
        best_seconds(20, [&] { quantize_rows(isa, x.data(), rows, n, quantized.get(), pool); });
    std::printf("rows %2d of %d: rms_norm %.1f us, silu_mul %.1f us, quantize %.1f us\n", rows, n,
                norm * 1e6, silu * 1e6, quantize * 1e6);
  }
}

// All cases, or those of `only`: a format, or "ops".
void bench_with(int threads, Isa isa, const std::string& only) {
  ThreadPool pool(threads);
  const MachinePeak peak = measure_machine_peak(isa, pool);
  std::printf("\n%s, %d threads: int8 peak %.1f GMAC/s (4-bit codes), read bandwidth %.1f GB/s\n",
              to_string(isa), pool.threads(), peak.int8_gmacs[0], peak.bandwidth_gbps);
  const std::pair<WeightFormat, Shape> cases[] = {
      {WeightFormat::kQ4_K, {8960, 1536}},  {WeightFormat::kQ4_K, {1536, 8960}},
      {WeightFormat::kQ6_K, {1536, 8960}},  {WeightFormat::kQ6_K, {151936, 1536}},
      {WeightFormat::kQ5_0, {4864, 896}},   {WeightFormat::kQ8_0, {896, 4864}},
      {WeightFormat::kQ4_1, {1536, 576}},   {WeightFormat::kQ5_K, {1536, 8960}},
      {WeightFormat::kQ2_K, {8960, 1536}},  {WeightFormat::kQ3_K, {8960, 1536}},
      {WeightFormat::kIQ4_NL, {4864, 896}}, {WeightFormat::kIQ4_XS, {8960, 1536}},
      {WeightFormat::kMXFP4, {2880, 2880}},
  };
  for (const auto& [format, shape] : cases) {
    if (!only.empty() && only != weight_format_info(format)->name) continue;
    bench_linear(format, isa, shape, peak, pool);
  }
  if (!only.empty() && only != "ops") return;
  bench_small_operators(isa, pool);
  bench_attention(isa, 12, 2, 128, 512, pool);
  bench_attention(isa, 12, 2, 128, 4096, pool);
  bench_attention(isa, 14, 2, 64, 4096, pool);
}

int run(int argc, char** argv) {
  const int all = static_cast<int>(std::thread::hardware_concurrency());
  const int threads = argc > 1 ? std::atoi(argv[1]) : 0;
  const Isa isa = argc > 2 ? available_isa(argv[2]).value_or(best_isa()) : best_isa();
  if (threads == 0 && all > 1) bench_with(1, isa, argc > 3 ? argv[3] : "");
  bench_with(threads > 0 ? threads : all, isa, argc > 3 ? argv[3] : "");
  return 0;
}

}  // namespace
}  // namespace redraft::kernels

int main(int argc, char** argv) { return redraft::kernels::run(argc, argv); }
