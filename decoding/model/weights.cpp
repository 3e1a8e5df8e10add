// Roles are walked once, which checks every tensor and adds up the packed bytes; then all matrices
// are packed together, each into its place in one allocation.
#include "decoding/model/weights.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <string>
#include <utility>
#include <vector>

#include "decoding/kernels/finite_weights.h"
#include "decoding/kernels/huge_pages.h"
#include "decoding/model/packing.h"

namespace redraft {

namespace {

constexpr std::size_t kAlignment = 64;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out = "[";
  for (const std::int64_t size : shape) out += (out.size() > 1 ? ", " : "") + std::to_string(size);
  return out + "]";
}

// The named tensor with the shape that its role asks for.
Result<const StoredTensor*> find_shaped(const ModelFiles& files, const std::string& name,
                                        const std::vector<std::int64_t>& shape) {
  const StoredTensor* tensor = files.find_tensor(name);
  if (!tensor) return files.tensor_error(name, "missing");
  if (tensor->shape != shape) {
    return files.tensor_error(name, "its shape is " + shape_text(tensor->shape) + " where " +
                                        shape_text(shape) + " is expected");
  }
  return tensor;
}

// A matrix to check and, if it has a target, to pack once storage is there.
struct PendingMatrix {
  std::string role;
  const StoredTensor* source;
  LinearWeight* target;
  int paired_head_dim;
  std::size_t offset;  // in the storage
  std::size_t bytes;
};

class WeightLoader {
 public:
  WeightLoader(const ModelFiles& files, const TransformerShape& shape, kernels::Isa isa,
               ThreadPool& pool, const LoadControl& control)
      : files_(files), shape_(shape), isa_(isa), pool_(pool), control_(control) {}

  Result<Weights> run() {
    weights_.layers.resize(static_cast<std::size_t>(shape_.layers));
    // Without an output matrix the embedding's serves as the head.
    const bool tied = !files_.find_tensor("output.weight");
    take_embedding(tied);
    take_vector("output_norm.weight", shape_.hidden, weights_.output_norm);
    take_matrix(tied ? "token_embd.weight" : "output.weight", shape_.vocabulary, shape_.hidden,
                weights_.head);
    for (int i = 0; i < shape_.layers; ++i)
      take_layer("blk." + std::to_string(i) + ".", weights_.layers[i]);
    if (!error_) pack();
    if (error_) return *error_;
    return std::move(weights_);
  }

 private:
  void take_layer(const std::string& prefix, LayerWeights& layer) {
    const int hidden = shape_.hidden;
    const int paired = shape_.paired_rows ? shape_.head_dim : 0;
    take_vector(prefix + "attn_norm.weight", hidden, layer.attention_norm);
    take_linear(prefix + "attn_q", shape_.query_width(), hidden, layer.query, paired);
    take_linear(prefix + "attn_k", shape_.kv_width(), hidden, layer.key, paired);
    take_linear(prefix + "attn_v", shape_.kv_width(), hidden, layer.value);
    if (shape_.query_key_norm) {
      take_vector(prefix + "attn_q_norm.weight", shape_.head_dim, layer.query_norm);
      take_vector(prefix + "attn_k_norm.weight", shape_.head_dim, layer.key_norm);
    }
    take_linear(prefix + "attn_output", hidden, shape_.query_width(), layer.attention_output);
    take_vector(prefix + "ffn_norm.weight", hidden, layer.feed_forward_norm);
    take_linear(prefix + "ffn_gate", shape_.feed_forward, hidden, layer.gate);
    take_linear(prefix + "ffn_up", shape_.feed_forward, hidden, layer.up);
    take_linear(prefix + "ffn_down", hidden, shape_.feed_forward, layer.down);
  }

  // The first error stays.
  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }

  void take_embedding(bool tied) {
    Result<const StoredTensor*> found =
        find_shaped(files_, "token_embd.weight", {shape_.hidden, shape_.vocabulary});
    if (!found) return fail(found.error());
    const StoredTensor& tensor = **found;
    const auto row_bytes = static_cast<std::int64_t>(weight_bytes(tensor.format, 1, shape_.hidden));
    // Nothing writes to it: the operator's schema says so.
    weights_.embedding =
        at::from_blob(const_cast<std::uint8_t*>(tensor.data.data()), {shape_.vocabulary, row_bytes},
                      at::TensorOptions(at::kByte));
    weights_.embedding_format = tensor.format;
    if (!tied) pending_.push_back({"token_embd.weight", &tensor, nullptr, 0, 0, 0});
  }

  // A matrix and, if there is one, its bias.
  void take_linear(const std::string& name, int n, int k, LinearWeight& out,
                   int paired_head_dim = 0) {
    take_matrix(name + ".weight", n, k, out, paired_head_dim);
    if (!files_.find_tensor(name + ".bias")) return;
    take_vector(name + ".bias", n, out.bias);
    if (paired_head_dim > 0 && out.bias.defined()) {
      out.bias = out.bias.view({-1, shape_.head_dim / 2, 2}).transpose(1, 2).reshape({n});
    }
  }

  void take_vector(const std::string& name, int n, at::Tensor& out) {
    Result<const StoredTensor*> found = find_shaped(files_, name, {n});
    if (!found) return fail(found.error());
    if (!are_finite((*found)->format, (*found)->data)) return fail(not_finite(name));
    out = at::empty({n}, at::kFloat);
    dequantize_row((*found)->format, (*found)->data.data(), n, out.mutable_data_ptr<float>());
  }

  void take_matrix(const std::string& name, int n, int k, LinearWeight& out,
                   int paired_head_dim = 0) {
    Result<const StoredTensor*> found = find_shaped(files_, name, {k, n});
    if (!found) return fail(found.error());
    const StoredTensor& tensor = **found;
    if (!kernels::supports(tensor.format)) {
      return fail(files_.tensor_error(name, std::string("weight format ") +
                                                weight_format_info(tensor.format)->name +
                                                " is not supported for a matrix"));
    }
    out.format = tensor.format;
    out.n = n;
    out.k = k;
    const std::size_t bytes = kernels::packed_bytes(tensor.format, isa_, n, k);
    pending_.push_back({name, &tensor, &out, paired_head_dim, total_bytes_, bytes});
    total_bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  void pack() {
    weights_.storage = at::empty({static_cast<std::int64_t>(total_bytes_ + kAlignment)}, at::kByte);
    std::uint8_t* base = weights_.storage.mutable_data_ptr<std::uint8_t>();
    kernels::ask_for_huge_pages(base, total_bytes_);
    const auto skip =
        static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(base) % kAlignment);
    std::vector<PackingJob> jobs;
    for (const PendingMatrix& matrix : pending_) {
      jobs.push_back({matrix.source, matrix.paired_head_dim, nullptr});
      if (matrix.target == nullptr) continue;
      const auto start = skip + static_cast<std::int64_t>(matrix.offset);
      matrix.target->data =
          weights_.storage.narrow(0, start, static_cast<std::int64_t>(matrix.bytes));
      jobs.back().out = base + start;
    }
    const std::optional<PackingFailure> failure = pack_matrices(jobs, pool_, control_);
    if (!failure) return;
    fail(failure->job < 0 ? Error(files_.path() + ": loading was cancelled")
                          : not_finite(pending_[static_cast<std::size_t>(failure->job)].role));
  }

  Error not_finite(const std::string& role) const {
    return files_.tensor_error(role, "holds a weight or a scale that is no finite number");
  }

  const ModelFiles& files_;
  const TransformerShape& shape_;
  kernels::Isa isa_;
  ThreadPool& pool_;
  const LoadControl& control_;
  Weights weights_;
  std::vector<PendingMatrix> pending_;
  std::size_t total_bytes_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<Weights> Weights::load(const ModelFiles& files, const TransformerShape& shape,
                              kernels::Isa isa, ThreadPool& pool, const LoadControl& control) {
  return WeightLoader(files, shape, isa, pool, control).run();
}

}  // namespace redraft
