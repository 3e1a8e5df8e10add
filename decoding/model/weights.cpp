// Two walks over the same list of roles: the first checks every tensor and adds up the packed
// bytes, the second packs each into its place in one allocation.
#include "decoding/model/weights.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decoding/kernels/huge_pages.h"

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

// How the rows of a head stand in the file: the halves that rotate with each other one after the
// other, as the kernels have them, or row by row.
enum class RowOrder { kHalves, kPairs };

// Rows of heads from pairs to halves.
std::vector<std::uint8_t> in_halves(std::span<const std::uint8_t> rows, int n, int head_dim) {
  const std::size_t row_bytes = rows.size() / static_cast<std::size_t>(n);
  std::vector<std::uint8_t> out(rows.size());
  for (int row = 0; row < n; ++row) {
    const int at = row % head_dim;
    const int target = row - at + at / 2 + at % 2 * (head_dim / 2);
    std::memcpy(out.data() + static_cast<std::size_t>(target) * row_bytes,
                rows.data() + static_cast<std::size_t>(row) * row_bytes, row_bytes);
  }
  return out;
}

// A matrix to pack once storage is there.
struct PendingMatrix {
  const StoredTensor* source;
  LinearWeight* target;
  RowOrder order;
  std::size_t offset;  // in the storage
  std::size_t bytes;
};

class WeightLoader {
 public:
  WeightLoader(const ModelFiles& files, const TransformerShape& shape, kernels::Isa isa,
               ThreadPool& pool)
      : files_(files), shape_(shape), isa_(isa), pool_(pool) {}

  Result<Weights> run() {
    weights_.layers.resize(static_cast<std::size_t>(shape_.layers));
    take_embedding();
    take_vector("output_norm.weight", shape_.hidden, weights_.output_norm);
    // Without an output matrix the embedding's serves as the head.
    const bool tied = !files_.find_tensor("output.weight");
    take_matrix(tied ? "token_embd.weight" : "output.weight", shape_.vocabulary, shape_.hidden,
                weights_.head);
    for (int i = 0; i < shape_.layers; ++i)
      take_layer("blk." + std::to_string(i) + ".", weights_.layers[i]);
    if (error_) return *error_;
    pack();
    return std::move(weights_);
  }

 private:
  void take_layer(const std::string& prefix, LayerWeights& layer) {
    const int hidden = shape_.hidden;
    const RowOrder order = shape_.paired_rows ? RowOrder::kPairs : RowOrder::kHalves;
    take_vector(prefix + "attn_norm.weight", hidden, layer.attention_norm);
    take_linear(prefix + "attn_q", shape_.query_width(), hidden, layer.query, order);
    take_linear(prefix + "attn_k", shape_.kv_width(), hidden, layer.key, order);
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

  void take_embedding() {
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
  }

  // A matrix and, if there is one, its bias.
  void take_linear(const std::string& name, int n, int k, LinearWeight& out,
                   RowOrder order = RowOrder::kHalves) {
    take_matrix(name + ".weight", n, k, out, order);
    if (!files_.find_tensor(name + ".bias")) return;
    take_vector(name + ".bias", n, out.bias);
    if (order == RowOrder::kPairs && out.bias.defined()) {
      out.bias = out.bias.view({-1, shape_.head_dim / 2, 2}).transpose(1, 2).reshape({n});
    }
  }

  void take_vector(const std::string& name, int n, at::Tensor& out) {
    Result<const StoredTensor*> found = find_shaped(files_, name, {n});
    if (!found) return fail(found.error());
    out = at::empty({n}, at::kFloat);
    dequantize_row((*found)->format, (*found)->data.data(), n, out.mutable_data_ptr<float>());
  }

  void take_matrix(const std::string& name, int n, int k, LinearWeight& out,
                   RowOrder order = RowOrder::kHalves) {
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
    pending_.push_back({&tensor, &out, order, total_bytes_, bytes});
    total_bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  void pack() {
    weights_.storage = at::empty({static_cast<std::int64_t>(total_bytes_ + kAlignment)}, at::kByte);
    std::uint8_t* base = weights_.storage.mutable_data_ptr<std::uint8_t>();
    kernels::ask_for_huge_pages(base, total_bytes_);
    const auto skip =
        static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(base) % kAlignment);
    for (const PendingMatrix& matrix : pending_) {
      const auto start = skip + static_cast<std::int64_t>(matrix.offset);
      LinearWeight& target = *matrix.target;
      target.data = weights_.storage.narrow(0, start, static_cast<std::int64_t>(matrix.bytes));
      std::span<const std::uint8_t> rows = matrix.source->data;
      std::vector<std::uint8_t> reordered;
      if (matrix.order == RowOrder::kPairs)
        rows = reordered = in_halves(rows, static_cast<int>(target.n), shape_.head_dim);
      kernels::pack(target.format, isa_, static_cast<int>(target.n), static_cast<int>(target.k),
                    rows.data(), base + start, pool_);
    }
  }

  const ModelFiles& files_;
  const TransformerShape& shape_;
  kernels::Isa isa_;
  ThreadPool& pool_;
  Weights weights_;
  std::vector<PendingMatrix> pending_;
  std::size_t total_bytes_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<Weights> Weights::load(const ModelFiles& files, const TransformerShape& shape,
                              kernels::Isa isa, ThreadPool& pool) {
  return WeightLoader(files, shape, isa, pool).run();
}

}  // namespace redraft
