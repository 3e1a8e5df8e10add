#include "decoding/kernels/amx_kernel.h"
#include "decoding/kernels/child_check.h"

#if defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace redraft::kernels {
namespace {

#if defined(__linux__)
// Whether the processor has tiles with int8 products, and the system saves tiles when it switches
// threads.
bool has_int8_tiles() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kOsxsave = 1u << 27;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kOsxsave) == 0) return false;
  constexpr unsigned kTilesAndInt8 = 1u << 24 | 1u << 25;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  if ((edx & kTilesAndInt8) != kTilesAndInt8) return false;
  unsigned low = 0, high = 0;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  constexpr unsigned kTileState = 1u << 17 | 1u << 18;  // configuration and data
  return (low & kTileState) == kTileState;
}

// Linux (5.16) grants tiles only to a process that requests them, and then to all its threads.
bool may_use_tiles() {
  constexpr int kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#endif

}  // namespace

bool amx_available() {
#if defined(__linux__)
  static const bool available =
      has_int8_tiles() && may_use_tiles() && holds_in_a_child(amx_agrees_with_avx512);
  return available;
#else
  return false;
#endif
}

}  // namespace redraft::kernels
