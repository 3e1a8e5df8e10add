// Queries Linux, which knows the instructions of the processor and what it saves for a thread.
// Another system needs its own way here, e.g. macOS sysctlbyname("hw.optional.arm.FEAT_DotProd").
#include "decoding/kernels/neon_kernels.h"

#if defined(__linux__)
#include <sys/auxv.h>
#endif

namespace redraft::kernels {

#if defined(__linux__)
bool neon_dotprod_available() {
  constexpr unsigned long kDotProd = 1ul << 20;  // HWCAP_ASIMDDP
  return (getauxval(AT_HWCAP) & kDotProd) != 0;
}

bool neon_i8mm_available() {
  constexpr unsigned long kI8mm = 1ul << 13;  // HWCAP2_I8MM
  return neon_dotprod_available() && (getauxval(AT_HWCAP2) & kI8mm) != 0;
}
#else
bool neon_dotprod_available() { return false; }
bool neon_i8mm_available() { return false; }
#endif

}  // namespace redraft::kernels
