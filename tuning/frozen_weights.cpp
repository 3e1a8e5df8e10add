#include "tuning/frozen_weights.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "decoding/kernels/finite_weights.h"
#include "decoding/model/architecture.h"
#include "decoding/model/weight_plan.h"

namespace redraft {
namespace {

at::Tensor to_tensor(const std::vector<float>& values) {
  if (values.empty()) return {};
  at::Tensor out = at::empty({static_cast<std::int64_t>(values.size())}, at::kFloat);
  std::copy(values.begin(), values.end(), out.mutable_data_ptr<float>());
  return out;
}

// The destination of row `row` of a file in which neighbouring rows of a head rotate together: in
// each head first the even rows, then the odd ones.
std::int64_t place_in_halves(std::int64_t row, std::int64_t head_dim) {
  const std::int64_t at = row % head_dim;
  return row - at + at % 2 * (head_dim / 2) + at / 2;
}

class FrozenLoader {
 public:
  FrozenLoader(const ModelFiles& files, at::ScalarType matrices, const LoadControl& control)
      : files_(files), matrices_(matrices), control_(control) {}

  Result<FrozenWeights> run(WeightPlan plan) {
    for (PlannedLayer& layer : plan.layers)
      for (const PlannedMatrix* matrix : layer.matrices()) total_ += 1.0 * matrix->n * matrix->k;
    total_ += 1.0 * plan.embedding.n * plan.embedding.k * (plan.tied ? 1 : 2);
    out_.embedding = numbers_of(plan.embedding, at::kFloat);
    out_.head = plan.tied ? out_.embedding : numbers_of(plan.head, at::kFloat);
    out_.output_norm = to_tensor(plan.output_norm);
    for (PlannedLayer& layer : plan.layers) take_layer(layer);
    if (error_) return *error_;
    return std::move(out_);
  }

 private:
  void take_layer(PlannedLayer& from) {
    FrozenLayer layer;
    layer.attention_norm = to_tensor(from.attention_norm);
    layer.feed_forward_norm = to_tensor(from.feed_forward_norm);
    layer.query_norm = to_tensor(from.query_norm);
    layer.key_norm = to_tensor(from.key_norm);
    const std::vector<PlannedMatrix*> matrices = from.matrices();  // in the order of LinearRole
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      layer.linears[i].weight = numbers_of(*matrices[i], matrices_);
      layer.linears[i].bias = to_tensor(matrices[i]->bias);
    }
    out_.layers.push_back(std::move(layer));
  }

  // Undefined after an error; the first error is kept.
  at::Tensor numbers_of(const PlannedMatrix& matrix, at::ScalarType type) {
    if (!error_ && control_.stop.stop_requested())
      error_ = Error(files_.path() + ": loading was cancelled");
    const StoredTensor& source = *matrix.source;
    if (!error_ && !are_finite(source.format, source.data))
      error_ = not_finite(files_, matrix.role);
    if (error_) return {};
    at::Tensor out = at::empty({matrix.n, matrix.k}, at::kFloat);
    float* const to = out.mutable_data_ptr<float>();
    const std::size_t row_bytes = weight_bytes(source.format, 1, matrix.k);
    at::parallel_for(0, matrix.n, 64, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t place =
            matrix.paired_head_dim > 0 ? place_in_halves(row, matrix.paired_head_dim) : row;
        dequantize_row(source.format,
                       source.data.data() + row_bytes * static_cast<std::size_t>(row), matrix.k,
                       to + place * matrix.k);
      }
    });
    done_ += 1.0 * matrix.n * matrix.k;
    if (control_.progress) control_.progress(done_ / total_);
    return type == at::kFloat ? out : out.to(type);
  }

  const ModelFiles& files_;
  at::ScalarType matrices_;
  const LoadControl& control_;
  FrozenWeights out_;
  double total_ = 0;  // numbers in all matrices
  double done_ = 0;
  std::optional<Error> error_;
};

std::string trainable_architectures() {
  std::string names;
  for (const Architecture& each : architectures()) {
    if (each.not_trainable.empty()) names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  return names;
}

}  // namespace

Result<FrozenWeights> FrozenWeights::load(const ModelFiles& files, const TransformerShape& shape,
                                          at::ScalarType matrices, const LoadControl& control) {
  if (const std::string_view what = shape.architecture->not_trainable; !what.empty())
    return Error(files.path() + ": " + std::string(what) + " cannot be trained; redraft trains " +
                 trainable_architectures() + " models");
  Result<WeightPlan> plan = WeightPlan::make(files, shape);
  if (!plan) return plan.error();
  return FrozenLoader(files, matrices, control).run(std::move(*plan));
}

}  // namespace redraft
