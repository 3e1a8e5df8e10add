// The known instruction sets, and those that this process uses.
#include <algorithm>
#include <atomic>
#include <iterator>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "decoding/kernels/amx_kernel.h"
#include "decoding/kernels/linear.h"
#include "decoding/kernels/neon_kernels.h"
#include "decoding/kernels/tile_kernel.h"

namespace redraft::kernels {
namespace {

#if defined(__x86_64__)
bool has_f16c() {  // clang's __builtin_cpu_supports does not know it
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
#endif

}  // namespace

bool is_available(Isa isa) {
  switch (isa) {
    case Isa::kPortable:
      return true;
#if defined(__x86_64__)
    case Isa::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
    case Isa::kAvxVnni:
      return is_available(Isa::kAvx2) && avx_vnni_available();
    case Isa::kAvx512Vnni:
      return is_available(Isa::kAvx2) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni");
    case Isa::kAmx:
      return is_available(Isa::kAvx512Vnni) && amx_available();
#elif defined(__aarch64__)
    case Isa::kNeonDotProd:
      return neon_dotprod_available();
    case Isa::kNeonI8mm:
      return neon_i8mm_available();
#endif
    default:
      return false;
  }
}

std::vector<Isa> available_isas() {
  std::vector<Isa> isas;
  std::ranges::copy_if(kIsas, std::back_inserter(isas), is_available);
  return isas;
}

std::optional<Isa> available_isa(std::string_view name) {
  const auto* const isa =
      std::ranges::find_if(kIsas, [&](Isa one) { return name == to_string(one); });
  return isa != std::end(kIsas) && is_available(*isa) ? std::optional(*isa) : std::nullopt;
}

std::string names_of_available_isas() {
  std::string names;
  for (const Isa isa : available_isas())
    names += (names.empty() ? "" : ", ") + std::string(to_string(isa));
  return names;
}

namespace {

// Checks the best first and stops at the first available one, because checking kernels takes a
// child process.
Isa best_available_isa() {
  return *std::find_if(std::rbegin(kIsas), std::rend(kIsas), is_available);
}

std::atomic<Isa>& chosen_isa() {
  static std::atomic<Isa> chosen = best_available_isa();
  return chosen;
}

}  // namespace

Isa best_isa() { return chosen_isa(); }

void set_best_isa(Isa isa) { chosen_isa() = isa; }

const char* to_string(Isa isa) {
  switch (isa) {
    case Isa::kPortable:
      return "portable";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvxVnni:
      return "avx-vnni";
    case Isa::kAvx512Vnni:
      return "avx512-vnni";
    case Isa::kAmx:
      return "amx";
    case Isa::kNeonDotProd:
      return "neon-dotprod";
    case Isa::kNeonI8mm:
      return "neon-i8mm";
  }
  return "unknown";
}

}  // namespace redraft::kernels
