#include "decoding/model/query_factors.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace redraft {

QueryFactors::QueryFactors(const TransformerShape& shape)
    : temperature_scale_(shape.temperature_scale), temperature_span_(shape.temperature_span) {}

void QueryFactors::reserve(int count) {
  if (!differ_from_one() || (values_.defined() && count <= values_.size(0))) return;
  constexpr unsigned kMinCount = 1024;
  const auto positions =
      static_cast<int>(std::bit_ceil(std::max(kMinCount, static_cast<unsigned>(count))));
  at::Tensor values = at::empty({positions}, at::kFloat);
  float* const out = values.mutable_data_ptr<float>();
  for (int position = 0; position < positions; ++position) {
    out[position] =
        static_cast<float>(1 + temperature_scale_ * std::log1p(position / temperature_span_));
  }
  values_ = values;
}

}  // namespace redraft
