#pragma once

#include <cstddef>

#include "cuda/runtime.h"
#include "decoding/kernels/machine_peak.h"

namespace redraft::cuda {

// Queues `rounds` times eight matrix instructions of depth 16 in every warp of `blocks` blocks, and
// writes one float per thread to `out`, so that nothing can be optimised away.
void multiply_rounds(int blocks, int rounds, float* out, Stream stream);
inline constexpr int kProbeThreads = 256;  // of a block
// Multiply-adds of one block in one round.
inline constexpr double kProbeMacs = kProbeThreads / 32 * 8 * (16 * 16 * 8);

// The GPU's roofline: bytes that a copy within its memory reads and writes, and multiply-adds of
// the matrix instructions that linear layers use (which serve as its float and integer peaks, too).
class DeviceProbe : public kernels::MachineProbe {
 public:
  // Takes some ten milliseconds. Throws DeviceError.
  DeviceProbe();

  const kernels::MachinePeak& peak() const override { return peak_; }
  bool is_quiet() override;

 private:
  double copy_rate();    // 10^9 bytes a second
  double matrix_rate();  // 10^9 multiply-adds a second
  void raise(double copy, double matrix);

  DeviceQueue queue_;
  DeviceMemory from_, to_, sums_;
  int blocks_ = 8, rounds_ = 4;
  kernels::MachinePeak peak_{};
};

}  // namespace redraft::cuda
