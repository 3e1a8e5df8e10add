// Schemas and calls. A weight is passed as its bytes and three numbers, so that each device may
// pack it in its own way.
#include "decoding/model/operators.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <array>
#include <cassert>

namespace redraft::operators {

namespace {

using at::Tensor;

TORCH_LIBRARY(redraft, m) {
  m.def("embedding(Tensor table, int format, Tensor ids, Tensor(a!) out) -> ()");
  m.def("packed_embedding(Tensor table, int format, Tensor ids, Tensor(a!) out) -> ()");
  m.def("rms_norm(Tensor x, Tensor weight, float epsilon, Tensor(a!) out) -> ()");
  m.def("quantize(Tensor x, Tensor(a!) out) -> ()");
  m.def(
      "linears(Tensor[] weights, int[] formats, int[] n, int[] k, Tensor[] x, Tensor[] biases, "
      "Tensor(a!)[] y) -> ()");
  m.def(
      "route(Tensor weight, int format, int n, int k, Tensor x, Tensor(a!) chosen, Tensor(b!) "
      "shares) -> ()");
  m.def("gather_rows(Tensor x, Tensor sources, Tensor(a!) out) -> ()");
  m.def("quantize_groups(Tensor x, Tensor sources, int[] groups, Tensor(a!) out) -> ()");
  m.def(
      "grouped_linears(Tensor[] weights, int[] formats, int n, int k, int[] groups, Tensor blocks, "
      "Tensor floats, Tensor(a!)[] y) -> ()");
  m.def("mix_rows(Tensor x, Tensor places, Tensor shares, Tensor(a!) out) -> ()");
  m.def("split_gated_query(Tensor x, int head_dim, Tensor(a!) query, Tensor(b!) gate) -> ()");
  m.def("gate_by_sigmoid(Tensor(a!) x, Tensor gate) -> ()");
  m.def("add_gated_rows(Tensor x, Tensor gate, Tensor(a!) y) -> ()");
  m.def("rope(Tensor cosines, Tensor sines, Tensor positions, int head_dim, Tensor(a!) x) -> ()");
  m.def("store_rows(Tensor x, int slot, Tensor(a!) cache) -> ()");
  m.def(
      "tree_attention(Tensor q, Tensor keys, Tensor values, Tensor parents, int heads, int "
      "committed, int context, Tensor(a!) out) -> ()");
  m.def("silu_mul(Tensor(a!) gate, Tensor up) -> ()");
  m.def("add(Tensor(a!) x, Tensor y) -> ()");
  m.def("add_scaled(Tensor(a!) x, Tensor y, float factor) -> ()");
  m.def("scale(Tensor(a!) x, float factor) -> ()");
  m.def("scale_rows(Tensor(a!) x, Tensor factors, Tensor positions) -> ()");
  m.def("head_argmax(Tensor weight, int format, int n, int k, Tensor x, Tensor(a!) best) -> ()");
  m.def(
      "head_top_k(Tensor weight, int format, int n, int k, Tensor x, Tensor(a!) ids, Tensor(b!) "
      "logits) -> ()");
  m.def("log_probability(Tensor logits, Tensor tokens, Tensor(a!) out) -> ()");
}

// Looking up a name takes longer than a small operator runs, so each call site keeps its handle.
template <typename Signature>
c10::TypedOperatorHandle<Signature> find(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

std::int64_t number(WeightFormat format) { return static_cast<std::int64_t>(format); }

}  // namespace

void embedding(const Tensor& table, WeightFormat format, const Tensor& ids, const Tensor& out) {
  static const auto op =
      find<void(const Tensor&, std::int64_t, const Tensor&, const Tensor&)>("redraft::embedding");
  op.call(table, number(format), ids, out);
}

void packed_embedding(const LinearWeight& table, const Tensor& ids, const Tensor& out) {
  static const auto op = find<void(const Tensor&, std::int64_t, const Tensor&, const Tensor&)>(
      "redraft::packed_embedding");
  op.call(table.data, number(table.format), ids, out);
}

void rms_norm(const Tensor& x, const Tensor& weight, double epsilon, const Tensor& out) {
  static const auto op =
      find<void(const Tensor&, const Tensor&, double, const Tensor&)>("redraft::rms_norm");
  op.call(x, weight, epsilon, out);
}

void quantize(const Tensor& x, const Tensor& out) {
  static const auto op = find<void(const Tensor&, const Tensor&)>("redraft::quantize");
  op.call(x, out);
}

void linears(std::initializer_list<Linear> all) {
  static const auto op =
      find<void(at::TensorList, at::IntArrayRef, at::IntArrayRef, at::IntArrayRef, at::TensorList,
                at::TensorList, at::TensorList)>("redraft::linears");
  constexpr std::size_t kMaxTensors = 3;
  assert(all.size() <= kMaxTensors);
  std::array<Tensor, kMaxTensors> weights, inputs, biases, outputs;
  std::array<std::int64_t, kMaxTensors> formats{}, n{}, k{};
  std::size_t i = 0;
  for (const Linear& one : all) {
    weights[i] = one.weight.data;
    formats[i] = number(one.weight.format);
    n[i] = one.weight.n;
    k[i] = one.weight.k;
    inputs[i] = one.x;
    biases[i] = one.weight.bias;  // may be undefined
    outputs[i++] = one.y;
  }
  const auto tensors = [i](const std::array<Tensor, kMaxTensors>& list) {
    return at::TensorList(list.data(), i);
  };
  const auto numbers = [i](const std::array<std::int64_t, kMaxTensors>& list) {
    return at::IntArrayRef(list.data(), i);
  };
  op.call(tensors(weights), numbers(formats), numbers(n), numbers(k), tensors(inputs),
          tensors(biases), tensors(outputs));
}

void route(const LinearWeight& router, const Tensor& x, const Tensor& chosen,
           const Tensor& shares) {
  static const auto op = find<void(const Tensor&, std::int64_t, std::int64_t, std::int64_t,
                                   const Tensor&, const Tensor&, const Tensor&)>("redraft::route");
  op.call(router.data, number(router.format), router.n, router.k, x, chosen, shares);
}

void gather_rows(const Tensor& x, const Tensor& sources, const Tensor& out) {
  static const auto op =
      find<void(const Tensor&, const Tensor&, const Tensor&)>("redraft::gather_rows");
  op.call(x, sources, out);
}

void quantize_groups(const Tensor& x, const Tensor& sources, const RowGroups& groups,
                     const Tensor& out) {
  static const auto op = find<void(const Tensor&, const Tensor&, at::IntArrayRef, const Tensor&)>(
      "redraft::quantize_groups");
  op.call(x, sources, groups, out);
}

void grouped_linears(std::initializer_list<GroupedLinear> all, const RowGroups& groups,
                     const Tensor& blocks, const Tensor& floats) {
  static const auto op =
      find<void(at::TensorList, at::IntArrayRef, std::int64_t, std::int64_t, at::IntArrayRef,
                const Tensor&, const Tensor&, at::TensorList)>("redraft::grouped_linears");
  std::vector<Tensor> weights, outputs;
  std::vector<std::int64_t> formats;
  const LinearWeight& first = *all.begin()->weights.front();
  for (const GroupedLinear& one : all) {
    assert(one.weights.size() == groups.size());
    for (const LinearWeight* weight : one.weights) {
      assert(weight->n == first.n && weight->k == first.k && !weight->bias.defined());
      weights.push_back(weight->data);
      formats.push_back(number(weight->format));
    }
    outputs.push_back(one.y);
  }
  op.call(weights, formats, first.n, first.k, groups, blocks, floats, outputs);
}

void mix_rows(const Tensor& x, const Tensor& places, const Tensor& shares, const Tensor& out) {
  static const auto op =
      find<void(const Tensor&, const Tensor&, const Tensor&, const Tensor&)>("redraft::mix_rows");
  op.call(x, places, shares, out);
}

void rope(const Tensor& cosines, const Tensor& sines, const Tensor& positions,
          std::int64_t head_dim, const Tensor& x) {
  static const auto op =
      find<void(const Tensor&, const Tensor&, const Tensor&, std::int64_t, const Tensor&)>(
          "redraft::rope");
  op.call(cosines, sines, positions, head_dim, x);
}

void split_gated_query(const Tensor& x, std::int64_t head_dim, const Tensor& query,
                       const Tensor& gate) {
  static const auto op = find<void(const Tensor&, std::int64_t, const Tensor&, const Tensor&)>(
      "redraft::split_gated_query");
  op.call(x, head_dim, query, gate);
}

void gate_by_sigmoid(const Tensor& x, const Tensor& gate) {
  static const auto op = find<void(const Tensor&, const Tensor&)>("redraft::gate_by_sigmoid");
  op.call(x, gate);
}

void add_gated_rows(const Tensor& x, const Tensor& gate, const Tensor& y) {
  static const auto op =
      find<void(const Tensor&, const Tensor&, const Tensor&)>("redraft::add_gated_rows");
  op.call(x, gate, y);
}

void store_rows(const Tensor& x, std::int64_t slot, const Tensor& cache) {
  static const auto op =
      find<void(const Tensor&, std::int64_t, const Tensor&)>("redraft::store_rows");
  op.call(x, slot, cache);
}

void tree_attention(const Tensor& q, const Tensor& keys, const Tensor& values,
                    const Tensor& parents, const TreeShape& shape, const Tensor& out) {
  static const auto op =
      find<void(const Tensor&, const Tensor&, const Tensor&, const Tensor&, std::int64_t,
                std::int64_t, std::int64_t, const Tensor&)>("redraft::tree_attention");
  op.call(q, keys, values, parents, shape.heads, shape.committed, shape.context, out);
}

void silu_mul(const Tensor& gate, const Tensor& up) {
  static const auto op = find<void(const Tensor&, const Tensor&)>("redraft::silu_mul");
  op.call(gate, up);
}

void add(const Tensor& x, const Tensor& y) {
  static const auto op = find<void(const Tensor&, const Tensor&)>("redraft::add");
  op.call(x, y);
}

void add_scaled(const Tensor& x, const Tensor& y, double factor) {
  static const auto op = find<void(const Tensor&, const Tensor&, double)>("redraft::add_scaled");
  op.call(x, y, factor);
}

void scale(const Tensor& x, double factor) {
  static const auto op = find<void(const Tensor&, double)>("redraft::scale");
  op.call(x, factor);
}

void scale_rows(const Tensor& x, const Tensor& factors, const Tensor& positions) {
  static const auto op =
      find<void(const Tensor&, const Tensor&, const Tensor&)>("redraft::scale_rows");
  op.call(x, factors, positions);
}

void head_argmax(const LinearWeight& weight, const Tensor& x, const Tensor& best) {
  static const auto op = find<void(const Tensor&, std::int64_t, std::int64_t, std::int64_t,
                                   const Tensor&, const Tensor&)>("redraft::head_argmax");
  op.call(weight.data, number(weight.format), weight.n, weight.k, x, best);
}

void head_top_k(const LinearWeight& weight, const Tensor& x, const Tensor& ids,
                const Tensor& logits) {
  static const auto op =
      find<void(const Tensor&, std::int64_t, std::int64_t, std::int64_t, const Tensor&,
                const Tensor&, const Tensor&)>("redraft::head_top_k");
  op.call(weight.data, number(weight.format), weight.n, weight.k, x, ids, logits);
}

void log_probability(const Tensor& logits, const Tensor& tokens, const Tensor& out) {
  static const auto op =
      find<void(const Tensor&, const Tensor&, const Tensor&)>("redraft::log_probability");
  op.call(logits, tokens, out);
}

}  // namespace redraft::operators
