#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/model/weights.h"

// The transformer's operators, registered with the torch dispatcher under `redraft::`, so that a
// device is a set of implementations of these schemas. Each writes into tensors that the caller
// owns: a pass allocates nothing. Rows are the first dimension; every result row depends on its own
// inputs alone, to the last bit.
namespace redraft::operators {

// The pool that CPU operators called from this thread compute on, as long as the scope lives.
// Scopes nest; `pool` outlives the scope.
class CpuScope {
 public:
  CpuScope(ThreadPool& pool, kernels::Isa isa);
  ~CpuScope();
  CpuScope(const CpuScope&) = delete;
  CpuScope& operator=(const CpuScope&) = delete;

 private:
  ThreadPool* outer_pool_;
  kernels::Isa outer_isa_;
};

// out[r] = row ids[r] of the table as floats. ids int32 [rows], out float [rows, hidden].
void embedding(const at::Tensor& table, WeightFormat format, const at::Tensor& ids,
               const at::Tensor& out);
// The same for a packed matrix, whose outputs are the rows: the same bits.
void packed_embedding(const LinearWeight& table, const at::Tensor& ids, const at::Tensor& out);
// out = weight * x / rms(x); [rows, n].
void rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon, const at::Tensor& out);
// Rounds activations to the form that linears() reads; `out` is uint8 with at least the kernels'
// quantized_bytes().
void quantize(const at::Tensor& x, const at::Tensor& out);
// y = x W^T + bias. x is what quantize() wrote, or the float rows themselves if
// kernels::reads_floats(weight.format). The same holds for the heads below.
struct Linear {
  const LinearWeight& weight;
  const at::Tensor& x;
  const at::Tensor& y;
};
// Up to three linear layers with the same y.size(0) rows; none reads what another writes.
void linears(std::initializer_list<Linear> all);
// A mixture's experts by their scores, float [rows, experts]: the best of each row in chosen, int32
// [rows, used], best first and ties to the lower index, and in shares, float [rows, used], the
// softmax of their scores.
void route(const at::Tensor& scores, const at::Tensor& chosen, const at::Tensor& shares);
// shares[r, i] *= scales[chosen[r, i]]; scales float [experts].
void scale_shares(const at::Tensor& shares, const at::Tensor& scales, const at::Tensor& chosen);
// The rows of several experts, one group after the other: how many go to each, at least one.
using RowGroups = std::vector<std::int64_t>;
// out[i] = x[sources[i]]; out float [rows, n], sources int32.
void gather_rows(const at::Tensor& x, const at::Tensor& sources, const at::Tensor& out);
// Bytes that quantize_groups() writes.
std::int64_t quantized_groups_bytes(const RowGroups& groups, std::int64_t k);
// quantize() of each group by itself. The rows are x[sources[i]], or those of x if `sources` is not
// defined.
void quantize_groups(const at::Tensor& x, const at::Tensor& sources, const RowGroups& groups,
                     const at::Tensor& out);
// linears() of each group with weights of its own, which all have the same n and k. The rows are in
// `blocks` as quantize_groups() writes them, and in `floats`, [rows, k], if any weight reads
// floats.
struct GroupedLinear {
  const std::vector<const LinearWeight*>& weights;  // [groups]
  const at::Tensor& y;                              // float [rows, n]
};
void grouped_linears(std::initializer_list<GroupedLinear> all, const RowGroups& groups,
                     const at::Tensor& blocks, const at::Tensor& floats);
// out[r] = the sum of shares[r, i] * x[places[r, i]] in the order of i. Not in place.
void mix_rows(const at::Tensor& x, const at::Tensor& places, const at::Tensor& shares,
              const at::Tensor& out);
// Rotates the heads of x [rows, heads * head_dim] in place: as many dimensions of each, the first
// ones, as the tables have angles for. positions int32 [rows] index the tables.
void rope(const at::Tensor& cosines, const at::Tensor& sines, const at::Tensor& positions,
          std::int64_t head_dim, const at::Tensor& x);
// Rounds rows of x [rows, heads * head_dim] to slots slot, slot + 1, …, modulo the number of slots,
// of a cache of keys or values, int16 [heads, slots, head_dim + kernels::kScaleInts]. At most as
// many rows as slots.
void store_rows(const at::Tensor& x, std::int64_t slot, const at::Tensor& cache);

// What a row can see: see kernels::AttentionShape.
struct TreeShape {
  std::int64_t heads;
  std::int64_t committed;
  std::int64_t context;
  std::int64_t window = 0;
  double scale = 0;
};
// q, out float [rows, heads * head_dim]; keys, values as store_rows writes them; int32 parents of
// the draft; sinks float [heads], or not defined.
void tree_attention(const at::Tensor& q, const at::Tensor& keys, const at::Tensor& values,
                    const at::Tensor& parents, const at::Tensor& sinks, const TreeShape& shape,
                    const at::Tensor& out);
// Splits rows of heads, each a query followed by its gate: x [rows, heads * 2 * head_dim] to query
// and gate, [rows, heads * head_dim].
void split_gated_query(const at::Tensor& x, std::int64_t head_dim, const at::Tensor& query,
                       const at::Tensor& gate);
// x *= sigmoid(gate).
void gate_by_sigmoid(const at::Tensor& x, const at::Tensor& gate);
// y[r] += sigmoid(gate[r]) * x[r]; gate float [rows, 1].
void add_gated_rows(const at::Tensor& x, const at::Tensor& gate, const at::Tensor& y);
// gate = silu(gate) * up.
void silu_mul(const at::Tensor& gate, const at::Tensor& up);
// gate = gelu(gate) * up.
void gelu_mul(const at::Tensor& gate, const at::Tensor& up);
// x = cap * tanh(x / cap), float [rows, n].
void cap_softly(const at::Tensor& x, double cap);
// gate = kernels::clamped_silu_mul(gate, up).
void clamped_silu_mul(const at::Tensor& gate, const at::Tensor& up);
// x += y.
void add(const at::Tensor& x, const at::Tensor& y);
// x += factor * y.
void add_scaled(const at::Tensor& x, const at::Tensor& y, double factor);
// x *= factor.
void scale(const at::Tensor& x, double factor);
// x[r] *= factors[positions[r]]; x float [rows, n], factors float [positions], positions int32.
void scale_rows(const at::Tensor& x, const at::Tensor& factors, const at::Tensor& positions);
// best int32 [rows]: the index of the largest of each row's dot products, which are never stored;
// ties go to the lower id.
void head_argmax(const LinearWeight& weight, const at::Tensor& x, const at::Tensor& best);
// The k best of each row, best first, ties to the lower id, NaN last: ids int32 and logits float
// [rows, k]. The rows x vocabulary logits are never stored.
void head_top_k(const LinearWeight& weight, const at::Tensor& x, const at::Tensor& ids,
                const at::Tensor& logits);
// out[r] = log softmax(logits[r])[tokens[r]]; logits float [rows, vocabulary].
void log_probability(const at::Tensor& logits, const at::Tensor& tokens, const at::Tensor& out);

}  // namespace redraft::operators
