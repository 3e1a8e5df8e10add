#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/kernels/thread_pool.h"
#include "decoding/kernels/weight_format.h"

namespace redraft::kernels {

// The instruction set that the kernels use. Chosen once per process by what the CPU offers. With
// every choice a row has the same bits whatever other rows are in the pass. Different choices give
// different bits, except that AVX-VNNI and both NEON sets give those of AVX2, and AMX those of
// AVX-512.
enum class Isa {
  kPortable,
  kAvx2,
  kAvxVnni,  // AVX2, with dpbusd for linear layers
  kAvx512Vnni,
  kAmx,          // AVX-512, with AMX for linear layers of many rows
  kNeonDotProd,  // AArch64 with sdot
  kNeonI8mm,     // the same, with smmla for linear layers of two rows or more
};
inline constexpr Isa kIsas[] = {
    Isa::kPortable, Isa::kAvx2,        Isa::kAvxVnni, Isa::kAvx512Vnni,
    Isa::kAmx,      Isa::kNeonDotProd, Isa::kNeonI8mm};  // better and better
constexpr bool has_avx2_only(Isa isa) { return isa == Isa::kAvx2 || isa == Isa::kAvxVnni; }
constexpr bool has_avx512(Isa isa) { return isa == Isa::kAvx512Vnni || isa == Isa::kAmx; }
constexpr bool has_neon(Isa isa) { return isa == Isa::kNeonDotProd || isa == Isa::kNeonI8mm; }
// Whether this processor and system support it.
bool is_available(Isa isa);
std::vector<Isa> available_isas();  // the best one last
// The instruction set with this to_string(), if it is available.
std::optional<Isa> available_isa(std::string_view name);
std::string names_of_available_isas();  // "portable, avx2"
// The best available one, or the one that set_best_isa() chose.
Isa best_isa();
// Makes kernels loaded from now on use `isa`, one of available_isas(): to measure what another
// machine would do, or to keep the bits of another one.
void set_best_isa(Isa isa);
const char* to_string(Isa isa);

// y = x W^T with W [n, k] as in the file, repacked at load: reordered, never requantised. One
// layout serves all instruction sets; `isa` says which kernels read it.
struct PackedWeight {
  WeightFormat format;
  Isa isa;
  int n;                     // output features
  int k;                     // input features
  const std::uint8_t* data;  // packed_bytes() bytes, 64-byte aligned; not owned
};

// Whether linear layers support this format. Loaders report any other as an error.
bool supports(WeightFormat format);
std::size_t packed_bytes(WeightFormat format, int n, int k);
// `file` holds n rows of k weights in file order. `out` is 64-byte aligned.
void pack(WeightFormat format, int n, int k, const void* file, std::uint8_t* out, ThreadPool& pool);

// Activations are quantised once per layer input and shared by the linear layers that read it (q, k
// and v; gate and up): int8 with one float scale for 32 or 64 of them, see activations.h. `out` is
// 64-byte aligned for speed. More rows never take fewer bytes.
std::size_t quantized_bytes(Isa isa, int rows, int k);
void quantize_rows(Isa isa, const float* x, int rows, int k, std::uint8_t* out, ThreadPool& pool);

// Rows in groups, each for its own linear layers: in a mixture of experts, the rows of one expert.
// `rows` has the size of each group, >= 1. Each group has the blocks that quantize_rows() writes
// for it alone, quantized_bytes() long, one group after the other. Row i over all groups is
// x[sources[i]], or x[i] if `sources` is null.
std::size_t quantized_groups_bytes(Isa isa, std::span<const int> rows, int k);
void quantize_groups(Isa isa, const float* x, const std::int32_t* sources,
                     std::span<const int> rows, int k, std::uint8_t* out, ThreadPool& pool);

// Whether weights of this format are multiplied by unquantised activations, in single precision,
// and not by int8 blocks of them.
bool reads_floats(WeightFormat format);

// The input rows of linear layers, in one of two forms: blocks from quantize_rows with the weight's
// isa and k, or, where reads_floats(), the floats themselves, [rows, k]. Not owned.
class LinearInput {
 public:
  LinearInput(const std::uint8_t* blocks) : blocks_(blocks) {}  // NOLINT: a view, like a span
  LinearInput(const float* floats) : floats_(floats) {}         // NOLINT
  const std::uint8_t* blocks() const { return blocks_; }
  const float* floats() const { return floats_; }

 private:
  const std::uint8_t* blocks_ = nullptr;
  const float* floats_ = nullptr;
};

// y[r, j] = dot(x[r], W[j]) + (bias ? bias[j] : 0), with a row stride of `ldy` floats in y. `x` has
// the form that the weight's format reads.
struct Linear {
  PackedWeight weight;
  LinearInput x;
  const float* bias;  // may be null
  float* y;
  int ldy;
};
// Computes linear layers that do not depend on one another, over the same number of rows >= 1, as
// one piece of work: threads synchronise once, at its end.
void linears(std::span<const Linear> all, int rows, ThreadPool& pool);
void linear(const PackedWeight& w, LinearInput x, int rows, const float* bias, float* y, int ldy,
            ThreadPool& pool);

// The same for linear layers that have their own rows, at least one each.
struct GroupedLinear {
  Linear layer;
  int rows;
};
void grouped_linears(std::span<const GroupedLinear> all, ThreadPool& pool);

// Computes the same dot products and keeps only the largest of each row: the rows x n logits are
// never stored. Ties go to the lower index; NaN never wins. `best_logit` may be null.
void linear_argmax(const PackedWeight& w, LinearInput x, int rows, std::int32_t* best,
                   float* best_logit, ThreadPool& pool);

// The k_best largest of each row, best first, ties to the lower index: ids and logits are [rows *
// k_best].
void linear_top_k(const PackedWeight& w, LinearInput x, int rows, int k_best, std::int32_t* ids,
                  float* logits, ThreadPool& pool);

}  // namespace redraft::kernels
