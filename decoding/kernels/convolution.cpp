#include "decoding/kernels/convolution.h"

#include <algorithm>
#include <vector>

#include "decoding/kernels/column_split.h"
#include "decoding/kernels/operator_kernels.h"

namespace redraft::kernels {

void causal_convolution(Isa isa, const ConvolutionShape& shape, const float* weight,
                        const TreeRows& rows, const float* columns, const float* mixed, float* out,
                        ThreadPool& pool) {
  const OperatorKernels& kernels = operator_kernels(isa);
  const auto convolve = shape.activated ? kernels.convolve_silu : kernels.convolve;
  const int channels = shape.channels;
  // The row before; below 0: that many columns before the pass.
  const auto before = [&](int row) {
    if (row < 0) return row - 1;
    if (row < rows.context) return row - 1;
    const int parent = rows.parents[static_cast<std::size_t>(row - rows.context)];
    return parent < 0 ? rows.context - 1 : rows.context + parent;
  };
  std::vector<const float*> inputs(static_cast<std::size_t>(rows.count()) * shape.taps);
  for (int row = 0; row < rows.count(); ++row) {
    int at = row;
    for (int tap = shape.taps - 1; tap >= 0; --tap, at = before(at)) {
      inputs[static_cast<std::size_t>(row) * shape.taps + tap] =
          at >= 0 ? mixed + static_cast<std::size_t>(at) * channels
                  : columns + static_cast<std::size_t>(shape.saved_columns() + at) * channels;
    }
  }
  for_each_part(rows.count(), channels, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      const ConvolutionRow parts{
          .inputs = inputs.data() + static_cast<std::size_t>(row) * shape.taps,
          .weight = weight,
          .taps = shape.taps,
          .channels = channels,
          .begin = begin,
          .end = end};
      convolve(parts, out + static_cast<std::size_t>(row) * channels);
    }
  });
}

void advance_columns(const ConvolutionShape& shape, std::span<const float* const> rows_of_path,
                     float* columns) {
  const auto channels = static_cast<std::size_t>(shape.channels);
  const auto saved = static_cast<std::size_t>(shape.saved_columns());
  const std::size_t read = rows_of_path.size();
  const std::size_t stay = saved - std::min(saved, read);
  std::copy(columns + (saved - stay) * channels, columns + saved * channels, columns);
  for (std::size_t i = stay; i < saved; ++i)
    std::copy_n(rows_of_path[read - saved + i], channels, columns + i * channels);
}

void multiply_rows(Isa isa, const PitchedRows& x, const PitchedRows& y, int rows, int n, float* out,
                   ThreadPool& pool) {
  const OperatorKernels& kernels = operator_kernels(isa);
  for_each_part(rows, n, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row) {
      const auto r = static_cast<std::size_t>(row);
      kernels.scale_by(x.first + r * static_cast<std::size_t>(x.pitch) + begin,
                       y.first + r * static_cast<std::size_t>(y.pitch) + begin, 1, end - begin,
                       out + r * static_cast<std::size_t>(n) + begin);
    }
  });
}

}  // namespace redraft::kernels
