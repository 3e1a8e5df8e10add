#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"
#include "support/code_width.h"

namespace redraft::kernels {

// The roofline of this machine: what all threads of a pool achieve together.
struct MachinePeak {
  // Multiply-adds of codes and int8 activations per second / 10^9, with the best sequence known for
  // the instruction set, with the codes opened and in the L1 cache.
  PerCodeWidth int8_gmacs;
  double bandwidth_gbps;  // bytes per second / 10^9 of a plain read of memory
  double f32_gmacs;       // single-precision multiply-adds per second / 10^9
  double bf16_gmacs;      // likewise for bfloat16; 0 if there is no instruction for it
  double int16_gmacs;     // likewise for 16-bit integers, as in attention
};

// Bytes that the probe reads for the bandwidth: far more than caches hold.
inline constexpr std::size_t kProbedBytes = std::size_t{256} << 20;

// Measures the peak performance of a machine, or of a device in it. Tells later whether that
// performance is still available.
class MachineProbe {
 public:
  virtual ~MachineProbe() = default;
  // The best of all rounds so far: other programs can only make a round slower.
  virtual const MachinePeak& peak() const = 0;
  // Runs a few rounds, some ten milliseconds, and returns whether most of them came near the peak,
  // so that no other program is using much of the cores or of the memory bandwidth.
  virtual bool is_quiet() = 0;
};

// The probe for the CPU. Runs on the pool's own threads; used by the thread that drives the pool.
class PeakProbe : public MachineProbe {
 public:
  // Takes about a third of a second and `buffer_bytes` of memory, which it keeps. The buffer should
  // be far larger than the caches.
  PeakProbe(Isa isa, ThreadPool& pool, std::size_t buffer_bytes = kProbedBytes);

  const MachinePeak& peak() const override { return peak_; }
  bool is_quiet() override;

 private:
  // One round: multiply-adds, or bytes, per second / 10^9.
  double mac_round(std::int64_t (*work)());
  double read_round();
  // The median of `rounds` rounds of 4-bit codes or of reading; raises the peak.
  double middle(int rounds, double& peak, bool reading);

  // Raises the peaks of the other code widths with this many rounds of each.
  void raise_int8(int rounds);

  Isa isa_;
  ThreadPool& pool_;
  std::size_t slice_;  // in words
  std::unique_ptr<std::uint64_t[]> buffer_;
  int next_slice_ = 0;
  MachinePeak peak_{};
};

// Measures only the peak. Needs `buffer_bytes` of memory while it runs.
MachinePeak measure_machine_peak(Isa isa, ThreadPool& pool,
                                 std::size_t buffer_bytes = kProbedBytes);

}  // namespace redraft::kernels
