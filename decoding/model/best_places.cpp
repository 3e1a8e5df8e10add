#include "decoding/model/best_places.h"

#include <ATen/ops/empty.h>

#include <cmath>
#include <cstdint>

#include "decoding/model/operators.h"

namespace redraft {

std::vector<HeadPlace> best_places(const at::Tensor& logits) {
  const std::int64_t rows = logits.size(0);
  const at::Tensor best = at::empty({rows}, at::kInt);
  std::vector<std::int64_t> second(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* const each = logits.const_data_ptr<float>() + row * logits.size(1);
    std::int64_t first = 0;
    std::int64_t next = -1;
    for (std::int64_t i = 1; i < logits.size(1); ++i) {
      if (each[i] > each[first]) {
        next = first;
        first = i;
      } else if (next < 0 || each[i] > each[next]) {
        next = i;
      }
    }
    best.mutable_data_ptr<std::int32_t>()[row] = static_cast<std::int32_t>(first);
    second[static_cast<std::size_t>(row)] = next;
  }
  const at::Tensor log_probability = at::empty({rows}, at::kFloat);
  operators::log_probability(logits, best, log_probability);
  std::vector<HeadPlace> out;
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* const each = logits.const_data_ptr<float>() + row * logits.size(1);
    const auto first = best.const_data_ptr<std::int32_t>()[row];
    const std::int64_t next = second[static_cast<std::size_t>(row)];
    const float share = std::exp(log_probability.const_data_ptr<float>()[row]);
    HeadPlace place{.first = {first, share}, .second = {1, 0}};
    if (next >= 0) {
      place.second = {static_cast<TokenId>(next), share * std::exp(each[next] - each[first])};
    }
    out.push_back(place);
  }
  return out;
}

}  // namespace redraft
