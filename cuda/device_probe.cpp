#include "cuda/device_probe.h"

#include <algorithm>
#include <chrono>

#include "support/seconds_since.h"

namespace redraft::cuda {
namespace {

constexpr std::size_t kCopied = std::size_t{256} << 20;  // far more than the caches hold
constexpr int kMaxBlocks = 2048;
constexpr double kMinSeconds = 1e-3;  // of one timing
constexpr int kRounds = 5;
constexpr int kProbeRounds = 3;
constexpr double kQuiet = 0.85;  // of the peak
}  // namespace

DeviceProbe::DeviceProbe()
    : from_(kCopied), to_(kCopied), sums_(std::size_t{kMaxBlocks} * kProbeThreads * sizeof(float)) {
  queue_.fill(from_.as<void>(), 0, kCopied);
  matrix_rate();  // determines how much work takes long enough
  for (int round = 0; round < kRounds; ++round) raise(copy_rate(), matrix_rate());
}

bool DeviceProbe::is_quiet() {
  double copy = 0, matrix = 0;
  for (int round = 0; round < kProbeRounds; ++round) {
    copy = std::max(copy, copy_rate());
    matrix = std::max(matrix, matrix_rate());
  }
  raise(copy, matrix);
  return copy >= kQuiet * peak_.bandwidth_gbps && matrix >= kQuiet * peak_.bf16_gmacs;
}

void DeviceProbe::raise(double copy, double matrix) {
  const double most = std::max(matrix, peak_.bf16_gmacs);
  peak_ = {.int8_gmacs = {most, most, most, most},
           .bandwidth_gbps = std::max(copy, peak_.bandwidth_gbps),
           .f32_gmacs = most,
           .bf16_gmacs = most,
           .int16_gmacs = most};
}

double DeviceProbe::copy_rate() {
  queue_.wait();
  const auto start = std::chrono::steady_clock::now();
  queue_.copy_strips(to_.as<void>(), kCopied, from_.as<void>(), kCopied, kCopied, 1);
  queue_.wait();
  return 2e-9 * static_cast<double>(kCopied) / seconds_since(start);
}

double DeviceProbe::matrix_rate() {
  for (;;) {
    queue_.wait();
    const auto start = std::chrono::steady_clock::now();
    multiply_rounds(blocks_, rounds_, sums_.as<float>(), queue_.stream());
    queue_.wait();
    const double seconds = seconds_since(start);
    if (seconds >= kMinSeconds) return 1e-9 * kProbeMacs * blocks_ * rounds_ / seconds;
    (blocks_ < kMaxBlocks ? blocks_ : rounds_) *= 2;
  }
}

}  // namespace redraft::cuda
