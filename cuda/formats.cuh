#pragma once

#include "cuda/weight_layout.h"

namespace redraft::cuda {

// Calls `with` with the format as a template argument, if GPUs support it.
template <typename With>
void for_format(WeightFormat format, const With& with) {
  switch (format) {
    case WeightFormat::kF32:
    case WeightFormat::kQ2_K:
    case WeightFormat::kQ3_K:
    case WeightFormat::kIQ4_NL:
    case WeightFormat::kIQ4_XS:
    case WeightFormat::kMXFP4:
      break;
    case WeightFormat::kF16:
      return with.template operator()<WeightFormat::kF16>();
    case WeightFormat::kBF16:
      return with.template operator()<WeightFormat::kBF16>();
    case WeightFormat::kQ4_0:
      return with.template operator()<WeightFormat::kQ4_0>();
    case WeightFormat::kQ4_1:
      return with.template operator()<WeightFormat::kQ4_1>();
    case WeightFormat::kQ5_0:
      return with.template operator()<WeightFormat::kQ5_0>();
    case WeightFormat::kQ5_1:
      return with.template operator()<WeightFormat::kQ5_1>();
    case WeightFormat::kQ8_0:
      return with.template operator()<WeightFormat::kQ8_0>();
    case WeightFormat::kQ4_K:
      return with.template operator()<WeightFormat::kQ4_K>();
    case WeightFormat::kQ5_K:
      return with.template operator()<WeightFormat::kQ5_K>();
    case WeightFormat::kQ6_K:
      return with.template operator()<WeightFormat::kQ6_K>();
  }
}

}  // namespace redraft::cuda
