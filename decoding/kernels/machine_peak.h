#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"

namespace redraft::kernels {

// The numbers of this machine's roofline on all threads of a pool.
struct MachinePeak {
  double int8_gmacs;  // 10^9 int8 multiply-adds per second that the instruction set can do at most
  double bandwidth_gbps;  // 10^9 bytes per second of a plain read of memory
  double f32_gmacs;       // 10^9 single-precision multiply-adds per second
  double bf16_gmacs;      // likewise for bfloat16; 0 where there is no instruction for it
  double int16_gmacs;     // likewise for 16-bit integers: attention's
};

// Measures what a machine, or a device in it, can do at most, and later whether it still does.
class MachineProbe {
 public:
  virtual ~MachineProbe() = default;
  // The best of all rounds so far: a busy machine only ever makes a round slower.
  virtual const MachinePeak& peak() const = 0;
  // Runs a few rounds, some ten milliseconds, and says whether most of them came near the peak: no
  // other program takes a share of the cores or of the memory's bandwidth.
  virtual bool is_quiet() = 0;
};

// Of the CPU, on the pool's own threads, by the thread that drives the pool.
class PeakProbe : public MachineProbe {
 public:
  // Takes about a third of a second and `buffer_bytes` of memory, which it keeps; they should be
  // far more than the caches hold.
  PeakProbe(Isa isa, ThreadPool& pool, std::size_t buffer_bytes = std::size_t{256} << 20);

  const MachinePeak& peak() const override { return peak_; }
  bool is_quiet() override;

 private:
  // One round: 10^9 multiply-adds, or bytes, per second.
  double mac_round(std::int64_t (*work)());
  double read_round();
  // The middle of `rounds` rounds of int8 or of reading; raises the peak.
  double middle(int rounds, double& peak, bool reading);

  Isa isa_;
  ThreadPool& pool_;
  std::size_t slice_;  // in words
  std::unique_ptr<std::uint64_t[]> buffer_;
  int next_slice_ = 0;
  MachinePeak peak_{};
};

// The peak alone. Needs `buffer_bytes` of memory meanwhile.
MachinePeak measure_machine_peak(Isa isa, ThreadPool& pool,
                                 std::size_t buffer_bytes = std::size_t{256} << 20);

}  // namespace redraft::kernels
