#include "decoding/model/query_factors.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace redraft {

// The attention kernels scale scores by 1 / sqrt(head_dim).
QueryFactors::QueryFactors(const TransformerShape& shape)
    : scale_(shape.attention_scale == 0 ? 1 : shape.attention_scale * std::sqrt(shape.head_dim)),
      temperature_scale_(shape.temperature_scale),
      temperature_span_(shape.temperature_span) {}

void QueryFactors::reserve(int count) {
  if (!differ_from_one() || (values_.defined() && count <= values_.size(0))) return;
  constexpr unsigned kMinCount = 1024;
  const auto positions =
      static_cast<int>(std::bit_ceil(std::max(kMinCount, static_cast<unsigned>(count))));
  at::Tensor values = at::empty({positions}, at::kFloat);
  float* const out = values.mutable_data_ptr<float>();
  for (int position = 0; position < positions; ++position) {
    double factor = scale_;
    if (temperature_scale_ != 0)
      factor *= 1 + temperature_scale_ * std::log1p(position / temperature_span_);
    out[position] = static_cast<float>(factor);
  }
  values_ = values;
}

}  // namespace redraft
