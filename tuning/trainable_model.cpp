#include "tuning/trainable_model.h"

namespace redraft {

TrainingPrecision best_precision() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bf16")) return TrainingPrecision::kBFloat16;
#endif
  return TrainingPrecision::kFloat32;
}

}  // namespace redraft
