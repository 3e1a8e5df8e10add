#pragma once

#include <ATen/core/Tensor.h>

#include "decoding/model/transformer_shape.h"

namespace redraft {

// What queries are multiplied by: a temperature that grows with the position, as Llama 4 has it.
class QueryFactors {
 public:
  explicit QueryFactors(const TransformerShape& shape);
  // False: there is nothing to multiply by.
  bool differ_from_one() const { return temperature_scale_ != 0; }
  // Makes positions 0..count-1 available. A position's factor does not depend on `count`.
  void reserve(int count);
  // Float [positions]; undefined if all are 1.
  const at::Tensor& values() const { return values_; }

 private:
  double temperature_scale_;
  int temperature_span_;
  at::Tensor values_;
};

}  // namespace redraft
