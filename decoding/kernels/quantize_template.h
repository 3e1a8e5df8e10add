#pragma once

#include "decoding/kernels/activations.h"

// The sequence of quantisation steps, shared by the instruction sets. In an unnamed namespace,
// because every file is compiled for other instructions and needs its own copy.
namespace redraft::kernels {
namespace {

// Ops has, for blocks of 32 activations,
//   Values load(const float* x, int count): their values, zeros from `count` on, `largest`
//     magnitude, and whether all are `finite`;
//   void quantize(const Values&, float largest, bool finite, int block, ActivationSuperblock& out):
//     fills a block except the coarse sums, from the range of all that share its scale;
//   void coarsen_sums(ActivationSuperblock&).
template <typename Ops>
void quantize_row(const float* x, int k, int begin, int end, ActivationSuperblock* row,
                  int stride) {
  const bool shared = scale_span(k) > kBlock;
  for (; begin < end; begin += kSuperblock) {
    ActivationSuperblock& out = row[begin / kSuperblock * static_cast<std::ptrdiff_t>(stride)];
    for (int block = 0; block < kSuperblockBlocks; block += 2) {
      const int at = begin + block * kBlock;
      const auto first = Ops::load(x + at, k - at);
      const auto second = Ops::load(x + at + kBlock, k - at - kBlock);
      const float larger = first.largest > second.largest ? first.largest : second.largest;
      const bool finite = first.finite && second.finite;
      Ops::quantize(first, shared ? larger : first.largest, shared ? finite : first.finite, block,
                    out);
      Ops::quantize(second, shared ? larger : second.largest, shared ? finite : second.finite,
                    block + 1, out);
    }
    Ops::coarsen_sums(out);
  }
}

}  // namespace
}  // namespace redraft::kernels
