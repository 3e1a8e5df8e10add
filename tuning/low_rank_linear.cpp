#include "tuning/low_rank_linear.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>

#include <algorithm>
#include <span>

#include "tuning/random_stream.h"

namespace redraft {
namespace {

at::Tensor dropout_mask(const Dropout& dropout, const at::Tensor& like) {
  at::Tensor mask = at::empty(like.sizes(), at::kFloat);
  float* const values = mask.mutable_data_ptr<float>();
  const RandomStream random(dropout.seed, dropout.stream);
  constexpr std::int64_t kPart = 1 << 14;  // a multiple of 4
  const std::int64_t parts = (mask.numel() + kPart - 1) / kPart;
  at::parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * kPart;
    const std::int64_t last = std::min(end * kPart, mask.numel());
    random.fill_mask(dropout.share, static_cast<std::size_t>(first),
                     std::span(values + first, values + last));
  });
  return mask;
}

}  // namespace

at::Tensor linear(const FrozenLinear& frozen, const LowRank* low_rank, const Dropout& dropout,
                  const at::Tensor& x) {
  at::Tensor out = at::matmul(x.to(frozen.weight.scalar_type()), frozen.weight.t()).to(at::kFloat);
  if (frozen.bias.defined()) out = out + frozen.bias;
  if (low_rank == nullptr) return out;
  const at::Tensor seen = dropout.share > 0 ? x * dropout_mask(dropout, x) : x;
  return out + at::matmul(at::matmul(seen, low_rank->a.t()), low_rank->b.t()) * low_rank->scale;
}

}  // namespace redraft
