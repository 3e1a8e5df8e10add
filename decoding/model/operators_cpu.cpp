// The CPU implementations, which pass the tensors' memory to the kernels. What the caller must get
// right (shapes, types, contiguity) is asserted, because the only caller is the transformer in this
// folder.
#include <c10/util/SmallVector.h>
#include <torch/library.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "decoding/kernels/delta_rule.h"
#include "decoding/kernels/packed_rows.h"
#include "decoding/kernels/transformer_ops.h"
#include "decoding/model/operators.h"

namespace redraft::operators {

namespace {

using at::Tensor;

// Set by CpuScope: the dispatcher cannot pass it as an argument, and each decoding thread has its
// own.
thread_local ThreadPool* current_pool = nullptr;
thread_local kernels::Isa current_isa = kernels::Isa::kPortable;

ThreadPool& pool() {
  assert(current_pool && "CPU operators run inside a CpuScope");
  return *current_pool;
}

int as_int(std::int64_t value) { return static_cast<int>(value); }
int rows(const Tensor& x) { return as_int(x.size(0)); }

const float* floats(const Tensor& x) {
  assert(x.is_contiguous());
  return x.const_data_ptr<float>();
}
// Output arguments are const handles to memory that the schema declares as written.
float* out_floats(const Tensor& x) {
  assert(x.is_contiguous());
  return x.mutable_data_ptr<float>();
}

kernels::PackedWeight packed(const Tensor& weight, std::int64_t format, std::int64_t n,
                             std::int64_t k) {
  return {static_cast<WeightFormat>(format), current_isa, as_int(n), as_int(k),
          weight.const_data_ptr<std::uint8_t>()};
}

// Bytes are quantised rows, floats the rows themselves.
kernels::LinearInput input(const Tensor& x) {
  if (x.scalar_type() == at::kByte) return x.const_data_ptr<std::uint8_t>();
  return floats(x);
}

void embedding_cpu(const Tensor& table, std::int64_t format, const Tensor& ids, const Tensor& out) {
  const std::uint8_t* data = table.const_data_ptr<std::uint8_t>();
  const std::int32_t* id = ids.const_data_ptr<std::int32_t>();
  for (int r = 0; r < rows(out); ++r) {
    assert(id[r] >= 0 && id[r] < table.size(0));
    dequantize_row(static_cast<WeightFormat>(format), data + id[r] * table.size(1),
                   as_int(out.size(1)), out_floats(out) + r * out.size(1));
  }
}

void packed_embedding_cpu(const Tensor& table, std::int64_t format, const Tensor& ids,
                          const Tensor& out) {
  const std::uint8_t* tiles = table.const_data_ptr<std::uint8_t>();
  const std::int32_t* id = ids.const_data_ptr<std::int32_t>();
  for (int r = 0; r < rows(out); ++r)
    kernels::dequantize_packed_row(static_cast<WeightFormat>(format), as_int(out.size(1)), tiles,
                                   id[r], out_floats(out) + r * out.size(1));
}

void rms_norm_cpu(const Tensor& x, const Tensor& weight, double epsilon, const Tensor& out) {
  kernels::rms_norm(current_isa, floats(x), floats(weight), static_cast<float>(epsilon), rows(x),
                    as_int(x.size(1)), out_floats(out), pool());
}

void quantize_cpu(const Tensor& x, const Tensor& out) {
  assert(static_cast<std::size_t>(out.numel()) >=
         kernels::quantized_bytes(current_isa, rows(x), as_int(x.size(1))));
  kernels::quantize_rows(current_isa, floats(x), rows(x), as_int(x.size(1)),
                         out.mutable_data_ptr<std::uint8_t>(), pool());
}

void linears_cpu(at::TensorList weights, at::IntArrayRef formats, at::IntArrayRef n,
                 at::IntArrayRef k, at::TensorList x, at::TensorList biases, at::TensorList y) {
  c10::SmallVector<kernels::Linear, 3> all;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    assert(rows(y[i]) == rows(y[0]));
    all.push_back({packed(weights[i], formats[i], n[i], k[i]), input(x[i]),
                   biases[i].defined() ? floats(biases[i]) : nullptr, out_floats(y[i]),
                   as_int(y[i].size(1))});
  }
  kernels::linears({all.data(), all.size()}, rows(y[0]), pool());
}

void route_cpu(const Tensor& scores, const Tensor& chosen, const Tensor& shares) {
  const int used = as_int(chosen.size(1));
  assert(used >= 1 && used <= scores.size(1) && chosen.is_contiguous());
  kernels::route(current_isa, floats(scores), rows(scores), as_int(scores.size(1)), used,
                 chosen.mutable_data_ptr<std::int32_t>(), out_floats(shares), pool());
}

const std::int32_t* places_of(const Tensor& x) {
  assert(x.is_contiguous());
  return x.const_data_ptr<std::int32_t>();
}

// One factor for each share: a matrix of one column.
void scale_shares_cpu(const Tensor& shares, const Tensor& scales, const Tensor& chosen) {
  kernels::scale_rows(out_floats(shares), floats(scales), places_of(chosen), as_int(shares.numel()),
                      1, pool());
}

void gather_rows_cpu(const Tensor& x, const Tensor& sources, const Tensor& out) {
  kernels::gather_rows(floats(x), places_of(sources), rows(out), as_int(x.size(1)), out_floats(out),
                       pool());
}

std::vector<int> counts_of(at::IntArrayRef groups) { return {groups.begin(), groups.end()}; }

void quantize_groups_cpu(const Tensor& x, const Tensor& sources, at::IntArrayRef groups,
                         const Tensor& out) {
  const std::vector<int> counts = counts_of(groups);
  const int k = as_int(x.size(1));
  assert(static_cast<std::size_t>(out.numel()) >=
         kernels::quantized_groups_bytes(current_isa, counts, k));
  kernels::quantize_groups(current_isa, floats(x), sources.defined() ? places_of(sources) : nullptr,
                           counts, k, out.mutable_data_ptr<std::uint8_t>(), pool());
}

void grouped_linears_cpu(at::TensorList weights, at::IntArrayRef formats, std::int64_t n,
                         std::int64_t k, at::TensorList biases, at::IntArrayRef groups,
                         const Tensor& blocks, const Tensor& gathered, at::TensorList y) {
  std::vector<kernels::GroupedLinear> all;
  all.reserve(weights.size());
  for (const Tensor& out : y) {
    const std::uint8_t* block = blocks.defined() ? blocks.const_data_ptr<std::uint8_t>() : nullptr;
    std::int64_t row = 0;
    for (const std::int64_t count : groups) {
      const kernels::PackedWeight weight = packed(weights[all.size()], formats[all.size()], n, k);
      const kernels::LinearInput x = kernels::reads_floats(weight.format)
                                         ? kernels::LinearInput(floats(gathered) + row * k)
                                         : kernels::LinearInput(block);
      const Tensor& bias = biases[all.size()];
      all.push_back({{weight, x, bias.defined() ? floats(bias) : nullptr, out_floats(out) + row * n,
                      as_int(n)},
                     as_int(count)});
      if (block) block += kernels::quantized_bytes(current_isa, as_int(count), as_int(k));
      row += count;
    }
  }
  kernels::grouped_linears(all, pool());
}

void mix_rows_cpu(const Tensor& x, const Tensor& places, const Tensor& shares, const Tensor& out) {
  kernels::mix_rows(current_isa, floats(x), places_of(places), floats(shares), rows(out),
                    as_int(places.size(1)), as_int(out.size(1)), out_floats(out), pool());
}

void rope_cpu(const Tensor& cosines, const Tensor& sines, const Tensor& positions,
              std::int64_t head_dim, const Tensor& x) {
  const int width = as_int(x.size(1));
  kernels::rope(floats(cosines), floats(sines), positions.const_data_ptr<std::int32_t>(), rows(x),
                width / as_int(head_dim), as_int(head_dim), as_int(2 * cosines.size(1)),
                out_floats(x), width, pool());
}

void store_rows_cpu(const Tensor& x, std::int64_t slot, const Tensor& cache) {
  const std::int64_t slots = cache.size(1);
  assert(rows(x) <= slots);
  auto* const to = cache.mutable_data_ptr<std::int16_t>();
  for (std::int64_t row = 0; row < rows(x);) {
    const std::int64_t first = (slot + row) % slots;
    const std::int64_t count = std::min(rows(x) - row, slots - first);
    kernels::store_fixed(current_isa, floats(x) + row * x.size(1), as_int(count),
                         as_int(cache.size(0)), as_int(x.size(1) / cache.size(0)),
                         to + first * cache.stride(1), cache.stride(0), pool());
    row += count;
  }
}

void tree_attention_cpu(const Tensor& q, const Tensor& keys, const Tensor& values,
                        const Tensor& parents, const Tensor& sinks, std::int64_t heads,
                        std::int64_t committed, std::int64_t context, std::int64_t window,
                        double scale, const Tensor& out) {
  assert(keys.strides() == values.strides() && keys.sizes() == values.sizes());
  const kernels::AttentionShape shape{.rows = rows(q),
                                      .heads = as_int(heads),
                                      .kv_heads = as_int(keys.size(0)),
                                      .head_dim = as_int(q.size(1) / heads),
                                      .head_pitch = keys.stride(0),
                                      .slots = as_int(keys.size(1)),
                                      .committed = as_int(committed),
                                      .context = as_int(context),
                                      .parents = parents.const_data_ptr<std::int32_t>(),
                                      .window = as_int(window),
                                      .scale = static_cast<float>(scale),
                                      .sinks = sinks.defined() ? floats(sinks) : nullptr};
  kernels::attention(current_isa, shape, floats(q), keys.const_data_ptr<std::int16_t>(),
                     values.const_data_ptr<std::int16_t>(), out_floats(out), pool());
}

void split_gated_query_cpu(const Tensor& x, std::int64_t head_dim, const Tensor& query,
                           const Tensor& gate) {
  const int heads = as_int(query.size(1) / head_dim);
  assert(x.size(1) == 2 * query.size(1));
  kernels::split_gated_query(floats(x), rows(x), heads, as_int(head_dim), out_floats(query),
                             out_floats(gate), pool());
}

void gate_by_sigmoid_cpu(const Tensor& x, const Tensor& gate) {
  kernels::gate_by_sigmoid(current_isa, out_floats(x), floats(gate), rows(x), as_int(x.size(1)),
                           pool());
}

void add_gated_rows_cpu(const Tensor& x, const Tensor& gate, const Tensor& y) {
  assert(gate.numel() == x.size(0));
  kernels::add_gated_rows(current_isa, floats(x), floats(gate), rows(x), as_int(x.size(1)),
                          out_floats(y), pool());
}

void silu_mul_cpu(const Tensor& gate, const Tensor& up) {
  kernels::silu_mul(current_isa, floats(gate), floats(up), rows(gate), as_int(gate.size(1)),
                    out_floats(gate), pool());
}

void gelu_mul_cpu(const Tensor& gate, const Tensor& up) {
  kernels::gelu_mul(current_isa, floats(gate), floats(up), rows(gate), as_int(gate.size(1)),
                    out_floats(gate), pool());
}

void cap_softly_cpu(const Tensor& x, double cap) {
  kernels::cap_softly(out_floats(x), static_cast<float>(cap), rows(x), as_int(x.size(1)), pool());
}

void clamped_silu_mul_cpu(const Tensor& gate, const Tensor& up) {
  kernels::clamped_silu_mul(current_isa, floats(gate), floats(up), rows(gate), as_int(gate.size(1)),
                            out_floats(gate), pool());
}

void add_cpu(const Tensor& x, const Tensor& y) {
  kernels::add(current_isa, out_floats(x), floats(y), rows(x), as_int(x.size(1)), pool());
}

void add_scaled_cpu(const Tensor& x, const Tensor& y, double factor) {
  kernels::add_scaled(current_isa, out_floats(x), floats(y), static_cast<float>(factor), rows(x),
                      as_int(x.size(1)), pool());
}

void scale_cpu(const Tensor& x, double factor) {
  const auto by = static_cast<float>(factor);
  kernels::scale_rows(out_floats(x), &by, nullptr, rows(x), as_int(x.size(1)), pool());
}

void scale_rows_cpu(const Tensor& x, const Tensor& factors, const Tensor& positions) {
  kernels::scale_rows(out_floats(x), floats(factors), positions.const_data_ptr<std::int32_t>(),
                      rows(x), as_int(x.size(1)), pool());
}

void head_argmax_cpu(const Tensor& weight, std::int64_t format, std::int64_t n, std::int64_t k,
                     const Tensor& x, const Tensor& best) {
  kernels::linear_argmax(packed(weight, format, n, k), input(x), rows(best),
                         best.mutable_data_ptr<std::int32_t>(), nullptr, pool());
}

void head_top_k_cpu(const Tensor& weight, std::int64_t format, std::int64_t n, std::int64_t k,
                    const Tensor& x, const Tensor& ids, const Tensor& logits) {
  kernels::linear_top_k(packed(weight, format, n, k), input(x), rows(ids), as_int(ids.size(1)),
                        ids.mutable_data_ptr<std::int32_t>(), out_floats(logits), pool());
}

void log_probability_cpu(const Tensor& logits, const Tensor& tokens, const Tensor& out) {
  const std::int64_t vocabulary = logits.size(1);
  const float* x = floats(logits);
  const std::int32_t* token = tokens.const_data_ptr<std::int32_t>();
  float* result = out_floats(out);
  pool().parallel_for(rows(logits), 1, [&](int begin, int end) {
    for (int r = begin; r < end; ++r) {
      const float* row = x + r * vocabulary;
      const float largest = *std::max_element(row, row + vocabulary);
      double sum = 0;
      for (std::int64_t i = 0; i < vocabulary; ++i) sum += std::exp(row[i] - largest);
      result[r] = static_cast<float>(static_cast<double>(row[token[r]]) - largest - std::log(sum));
    }
  });
}

TORCH_LIBRARY_IMPL(redraft, CPU, m) {
  m.impl("embedding", &embedding_cpu);
  m.impl("packed_embedding", &packed_embedding_cpu);
  m.impl("rms_norm", &rms_norm_cpu);
  m.impl("quantize", &quantize_cpu);
  m.impl("linears", &linears_cpu);
  m.impl("route", &route_cpu);
  m.impl("scale_shares", &scale_shares_cpu);
  m.impl("gather_rows", &gather_rows_cpu);
  m.impl("quantize_groups", &quantize_groups_cpu);
  m.impl("grouped_linears", &grouped_linears_cpu);
  m.impl("mix_rows", &mix_rows_cpu);
  m.impl("rope", &rope_cpu);
  m.impl("store_rows", &store_rows_cpu);
  m.impl("tree_attention", &tree_attention_cpu);
  m.impl("split_gated_query", &split_gated_query_cpu);
  m.impl("gate_by_sigmoid", &gate_by_sigmoid_cpu);
  m.impl("add_gated_rows", &add_gated_rows_cpu);
  m.impl("silu_mul", &silu_mul_cpu);
  m.impl("gelu_mul", &gelu_mul_cpu);
  m.impl("cap_softly", &cap_softly_cpu);
  m.impl("clamped_silu_mul", &clamped_silu_mul_cpu);
  m.impl("add", &add_cpu);
  m.impl("add_scaled", &add_scaled_cpu);
  m.impl("scale", &scale_cpu);
  m.impl("scale_rows", &scale_rows_cpu);
  m.impl("head_argmax", &head_argmax_cpu);
  m.impl("head_top_k", &head_top_k_cpu);
  m.impl("log_probability", &log_probability_cpu);
}

}  // namespace

std::int64_t quantized_groups_bytes(const RowGroups& groups, std::int64_t k) {
  return static_cast<std::int64_t>(
      kernels::quantized_groups_bytes(current_isa, counts_of(groups), as_int(k)));
}

CpuScope::CpuScope(ThreadPool& pool, kernels::Isa isa)
    : outer_pool_(current_pool), outer_isa_(current_isa) {
  current_pool = &pool;
  current_isa = isa;
}

CpuScope::~CpuScope() {
  current_pool = outer_pool_;
  current_isa = outer_isa_;
}

}  // namespace redraft::operators
