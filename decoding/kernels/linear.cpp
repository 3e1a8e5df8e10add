#include "decoding/kernels/linear.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>

#include "decoding/kernels/activations.h"
#include "decoding/kernels/amx_kernel.h"
#include "decoding/kernels/column_split.h"
#include "decoding/kernels/float_tile_kernel.h"
#include "decoding/kernels/huge_pages.h"
#include "decoding/kernels/neon_kernels.h"
#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/tile_kernel.h"

namespace redraft::kernels {
namespace {

TileKernel tile_kernel(Isa isa, WeightFormat format) {
#if defined(__x86_64__)
  if (isa == Isa::kAvx2) return avx2_tile_kernel(format);
  if (isa == Isa::kAvxVnni) return avx_vnni_tile_kernel(format);
  if (has_avx512(isa)) return avx512_tile_kernel(format);
#elif defined(__aarch64__)
  if (has_neon(isa)) return neon_dotprod_tile_kernel(format);
#endif
  return isa == Isa::kPortable ? portable_tile_kernel(format) : nullptr;
}

FloatTileKernel float_tile_kernel(Isa isa, WeightFormat format) {
#if defined(__x86_64__)
  if (has_avx2_only(isa)) return avx2_float_tile_kernel(format);
  if (has_avx512(isa)) return avx512_float_tile_kernel(format);
#elif defined(__aarch64__)
  if (has_neon(isa)) return neon_float_tile_kernel(format);
#endif
  return isa == Isa::kPortable ? portable_float_tile_kernel(format) : nullptr;
}

QuantizeKernel quantize_kernel(Isa isa) {
#if defined(__x86_64__)
  if (has_avx2_only(isa)) return avx2_quantize;
  if (has_avx512(isa)) return avx512_quantize;
#elif defined(__aarch64__)
  if (has_neon(isa)) return neon_quantize;
#endif
  return isa == Isa::kPortable ? portable_quantize : nullptr;
}

std::size_t superblock_bytes(int rows, int k) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(superblock_count(k)) *
         sizeof(ActivationSuperblock);
}

// Where quantize_rows() stores the quants a second time, for AMX or I8MM.
template <typename Byte>
auto* copied_quants(Byte* blocks, int rows, int k) {
  using Quant = std::conditional_t<std::is_const_v<Byte>, const std::int8_t, std::int8_t>;
  return reinterpret_cast<Quant*>(blocks + superblock_bytes(rows, k));
}

std::size_t copied_quants_bytes(Isa isa, int rows, int k) {
  if (isa == Isa::kAmx) return amx_quants_bytes(rows, k);
  return isa == Isa::kNeonI8mm ? pair_quants_bytes(rows, k) : 0;
}

// How many bytes of activations fit in a core's L2 next to a tile of weights. With more rows than
// that, all weights are read again. That costs little, because the arithmetic then takes many times
// as long as the reading. Processors with AMX have an L2 of 2 MiB.
constexpr std::size_t kActivationBytes = 512 * 1024;
constexpr std::size_t kAmxActivationBytes = 1024 * 1024;

bool has_amx_kernel(const PackedWeight& w) { return w.isa == Isa::kAmx && !reads_floats(w.format); }

// Bytes of a row of activations that a kernel reads.
std::size_t row_bytes(const PackedWeight& w) {
  const auto superblocks = static_cast<std::size_t>(superblock_count(w.k));
  if (reads_floats(w.format)) return static_cast<std::size_t>(w.k) * sizeof(float);
  if (has_amx_kernel(
          w))  // the copy of the quants, and per superblock the cache line with its scales
    return superblocks * (kSuperblock + 64);
  return superblocks * sizeof(ActivationSuperblock);
}

std::size_t activation_room(const PackedWeight& w) {
  return has_amx_kernel(w) ? kAmxActivationBytes : kActivationBytes;
}

// The maximum number of rows per call of a kernel: a whole number of groups.
int rows_per_call(const PackedWeight& w) {
  if (has_amx_kernel(w)) return kAmxRows;
  if (!has_avx2_only(w.isa) || reads_floats(w.format)) return kRowGroup;
  const auto groups = static_cast<int>(activation_room(w) / (row_bytes(w) * kRowGroup));
  return std::clamp(groups * kRowGroup, kRowGroup, kMaxTileRows);
}
constexpr int kMaxRowsPerCall = std::max(kAmxRows, kMaxTileRows);

// Rows of activations that stay in the L2 while all tiles are multiplied; a whole number of calls.
int rows_per_pass(const PackedWeight& w) {
  const int per_call = rows_per_call(w);
  const auto calls =
      static_cast<int>(activation_room(w) / (row_bytes(w) * static_cast<std::size_t>(per_call)));
  return std::max(1, calls) * per_call;
}

// Multiplies tiles of a weight matrix by some of `all_rows` rows, in one thread; chooses the
// kernels for that.
class TileProduct {
 public:
  TileProduct(const PackedWeight& w, LinearInput x, int all_rows)
      : w_(w),
        x_(x),
        kernel_(tile_kernel(w.isa, w.format)),
        float_kernel_(float_tile_kernel(w.isa, w.format)) {
    assert(reads_floats(w.format) ? x.floats() != nullptr : x.blocks() != nullptr);
#if defined(__x86_64__)
    if (!has_amx_kernel(w) || all_rows <= kRowGroup) return;
    amx_kernel_ = amx_tile_kernel(w.format);
    amx_tiles_.emplace(w.format);
    amx_quants_ = copied_quants(x.blocks(), all_rows, w.k);
#elif defined(__aarch64__)
    if (w.isa != Isa::kNeonI8mm || reads_floats(w.format) || all_rows == 1) return;
    pair_kernel_ = neon_i8mm_pair_kernel(w.format);
    pair_quants_ = copied_quants(x.blocks(), all_rows, w.k);
#endif
  }

  // Rows [row, row + rows): rows_per_call() of them, or the last ones; `row` begins a call.
  void operator()(const std::uint8_t* tile, int row, int rows, float* sums) const {
    if (float_kernel_) {
      const auto k = static_cast<std::size_t>(w_.k);
      return float_kernel_(tile, x_.floats() + static_cast<std::size_t>(row) * k, k, rows, w_.k,
                           sums);
    }
    const auto* superblocks = reinterpret_cast<const ActivationSuperblock*>(x_.blocks()) +
                              group_offset(row / kRowGroup, w_.k);
#if defined(__x86_64__)
    if (amx_kernel_ && rows > kRowGroup) {
      const AmxInput x{superblocks, amx_quants_ + static_cast<std::size_t>(row / kAmxTileRows) *
                                                      amx_tile_bytes(w_.k)};
      return amx_kernel_(tile, x, rows, block_count(w_.k), sums);
    }
#elif defined(__aarch64__)
    if (pair_kernel_ && rows > 1) {
      const PairedRows x{superblocks,
                         pair_quants_ + group_offset(row / kRowGroup, w_.k) * kSuperblock};
      return pair_kernel_(tile, x, rows, block_count(w_.k), sums);
    }
#endif
    kernel_(tile, superblocks, rows, block_count(w_.k), sums);
  }

 private:
  const PackedWeight& w_;
  const LinearInput x_;
  const TileKernel kernel_;
  const FloatTileKernel float_kernel_;
#if defined(__x86_64__)
  AmxKernel amx_kernel_ = nullptr;
  std::optional<AmxTiles> amx_tiles_;
  const std::int8_t* amx_quants_ = nullptr;
#elif defined(__aarch64__)
  PairKernel pair_kernel_ = nullptr;
  const std::int8_t* pair_quants_ = nullptr;
#endif
};

// Computes [rows of a call][16 outputs] of every tile in [begin, end) and passes each result to
// `take(tile, first_row, rows, sums)`.
template <typename Take>
void for_each_tile(const PackedWeight& w, LinearInput x, int first_row, int end_row, int all_rows,
                   int begin, int end, const Take& take) {
  const TileProduct multiply(w, x, all_rows);
  const std::size_t bytes = tile_bytes(w.format, w.k);
  const int per_call = rows_per_call(w);
  alignas(64) float sums[kMaxRowsPerCall * kTileOutputs];
  for (int tile = begin; tile < end; ++tile) {
    const std::uint8_t* data = w.data + static_cast<std::size_t>(tile) * bytes;
    for (int row = first_row; row < end_row; row += per_call) {
      const int rows = std::min(per_call, all_rows - row);
      multiply(data, row, rows, sums);
      take(tile, row, rows, sums);
    }
  }
}

int tile_count(int n) { return (n + kTileOutputs - 1) / kTileOutputs; }

// Tiles [begin, end) of a linear layer; may be none.
void multiply_tiles(const Linear& linear, int rows, int begin, int end) {
  if (begin >= end) return;
  const PackedWeight& w = linear.weight;
  const auto store = [&](int tile, int row, int count, const float* sums) {
    const int column = tile * kTileOutputs;
    const int outputs = std::min(kTileOutputs, w.n - column);
    for (int r = 0; r < count; ++r) {
      float* to = linear.y + static_cast<std::size_t>(row + r) * linear.ldy + column;
      for (int j = 0; j < outputs; ++j)
        to[j] = sums[r * kTileOutputs + j] + (linear.bias ? linear.bias[column + j] : 0.0f);
    }
  };
  const int pass = rows_per_pass(w);
  for (int first = 0; first < rows; first += pass)
    for_each_tile(w, linear.x, first, std::min(rows, first + pass), rows, begin, end, store);
}

// A total order that puts NaN last and lower indices first among equals.
struct Candidate {
  float logit;
  std::int32_t id;
  bool operator<(const Candidate& other) const {  // "comes before"
    const bool nan = logit != logit;
    const bool other_nan = other.logit != other.logit;
    if (nan != other_nan) return other_nan;
    if (!nan && logit != other.logit) return logit > other.logit;
    return id < other.id;
  }
};

// Whether one of a tile's 16 sums could displace `least`. Later ids lose ties, so only a larger sum
// can. If `least` is NaN, the list is not full yet.
bool any_above(float least, const float* sums) {
  if (least != least) return true;
  int any = 0;
  for (int j = 0; j < kTileOutputs; ++j) any |= sums[j] > least;
  return any != 0;
}

// Inserts a candidate into a sorted list of `k_best` if it is good enough.
void keep(const Candidate& candidate, int k_best, Candidate* best) {
  if (!(candidate < best[k_best - 1])) return;
  int at = k_best - 1;
  for (; at > 0 && candidate < best[at - 1]; --at) best[at] = best[at - 1];
  best[at] = candidate;
}

// The best `k_best` of each row over the tiles [begin, end), sorted; `out` is [rows][k_best].
void top_of_tiles(const PackedWeight& w, LinearInput x, int first_row, int end_row, int all_rows,
                  int k_best, int begin, int end, std::vector<Candidate>& out) {
  const Candidate none{std::numeric_limits<float>::quiet_NaN(),
                       std::numeric_limits<std::int32_t>::max()};
  out.assign(static_cast<std::size_t>(end_row - first_row) * k_best, none);
  for_each_tile(w, x, first_row, end_row, all_rows, begin, end,
                [&](int tile, int row, int rows, const float* sums) {
                  const int outputs = std::min(kTileOutputs, w.n - tile * kTileOutputs);
                  for (int r = 0; r < rows; ++r) {
                    Candidate* best =
                        out.data() + static_cast<std::size_t>(row - first_row + r) * k_best;
                    if (!any_above(best[k_best - 1].logit, sums + r * kTileOutputs)) continue;
                    for (int j = 0; j < outputs; ++j) {
                      keep({sums[r * kTileOutputs + j], tile * kTileOutputs + j}, k_best, best);
                    }
                  }
                });
}

// Rounds a row of one of the inputs that quantize_rows() writes.
class RowQuantizer {
 public:
  RowQuantizer(Isa isa, int k)
      : isa_(isa),
        k_(k),
        kernel_(quantize_kernel(isa)),
        copy_(isa == Isa::kAmx ? copy_to_amx_tiles : copy_to_pairs) {}

  // Columns [begin, end) of row `row` of `rows`; `out` is where the first row's blocks are.
  void operator()(const float* x, int row, int rows, int begin, int end, std::uint8_t* out) const {
    const int group = row / kRowGroup;
    const int stride = rows_in_group(rows, group);
    ActivationSuperblock* to =
        reinterpret_cast<ActivationSuperblock*>(out) + group_offset(group, k_) + row % kRowGroup;
    kernel_(x, k_, begin, end, to, stride);
    if (copied_quants_bytes(isa_, rows, k_) != 0)
      copy_(to, stride, row, rows, k_, begin, end, copied_quants(out, rows, k_));
  }

 private:
  Isa isa_;
  int k_;
  QuantizeKernel kernel_;
  decltype(&copy_to_pairs) copy_;
};

}  // namespace

bool supports(WeightFormat format) {
  return reads_floats(format) || portable_tile_kernel(format) != nullptr;
}

bool reads_floats(WeightFormat format) { return portable_float_tile_kernel(format) != nullptr; }

std::size_t packed_bytes(WeightFormat format, int n, int k) {
  return static_cast<std::size_t>(tile_count(n)) * tile_bytes(format, k);
}

void pack(WeightFormat format, int n, int k, const void* file, std::uint8_t* out,
          ThreadPool& pool) {
  ask_for_huge_pages(out, packed_bytes(format, n, k));
  pool.parallel_for(tile_count(n), 1, [&](int begin, int end) {
    for (int tile = begin; tile < end; ++tile) {
      pack_tile(format, n, k, static_cast<const std::uint8_t*>(file), tile,
                out + static_cast<std::size_t>(tile) * tile_bytes(format, k));
    }
  });
}

std::size_t quantized_bytes(Isa isa, int rows, int k) {
  return superblock_bytes(rows, k) + copied_quants_bytes(isa, rows, k);
}

void quantize_rows(Isa isa, const float* x, int rows, int k, std::uint8_t* out, ThreadPool& pool) {
  const RowQuantizer quantize(isa, k);
  for_each_part(rows, k, pool, [&](int first_row, int end_row, int begin, int end) {
    for (int row = first_row; row < end_row; ++row)
      quantize(x + static_cast<std::size_t>(row) * k, row, rows, begin, end, out);
  });
}

std::size_t quantized_groups_bytes(Isa isa, std::span<const int> rows, int k) {
  std::size_t bytes = 0;
  for (const int count : rows) bytes += quantized_bytes(isa, count, k);
  return bytes;
}

void quantize_groups(Isa isa, const float* x, const std::int32_t* sources,
                     std::span<const int> rows, int k, std::uint8_t* out, ThreadPool& pool) {
  const RowQuantizer quantize(isa, k);
  const int all = std::accumulate(rows.begin(), rows.end(), 0);
  for_each_part(all, k, pool, [&](int first_row, int end_row, int begin, int end) {
    std::uint8_t* blocks = out;
    int first = 0;  // row of the group
    for (const int count : rows) {
      for (int i = std::max(first, first_row); i < std::min(first + count, end_row); ++i) {
        const auto source = static_cast<std::size_t>(sources ? sources[i] : i);
        quantize(x + source * static_cast<std::size_t>(k), i - first, count, begin, end, blocks);
      }
      blocks += quantized_bytes(isa, count, k);
      first += count;
    }
  });
}

void linears(std::span<const Linear> all, int rows, ThreadPool& pool) {
  int tiles = 0;
  for (const Linear& one : all) tiles += tile_count(one.weight.n);
  pool.parallel_for(tiles, 1, [&](int begin, int end) {
    int offset = 0;  // of a linear layer's first tile among all tiles
    for (const Linear& one : all) {
      const int count = tile_count(one.weight.n);
      multiply_tiles(one, rows, std::max(0, begin - offset), std::min(count, end - offset));
      offset += count;
    }
  });
}

void grouped_linears(std::span<const GroupedLinear> all, ThreadPool& pool) {
  std::vector<int> ends;  // of each layer's tiles among all tiles
  ends.reserve(all.size());
  int tiles = 0;
  for (const GroupedLinear& one : all) ends.push_back(tiles += tile_count(one.layer.weight.n));
  pool.parallel_for(tiles, 1, [&](int begin, int end) {
    auto i = static_cast<std::size_t>(std::ranges::upper_bound(ends, begin) - ends.begin());
    for (int first = i == 0 ? 0 : ends[i - 1]; first < end; first = ends[i++]) {
      multiply_tiles(all[i].layer, all[i].rows, std::max(0, begin - first),
                     std::min(ends[i], end) - first);
    }
  });
}

void linear(const PackedWeight& w, LinearInput x, int rows, const float* bias, float* y, int ldy,
            ThreadPool& pool) {
  const Linear one{w, x, bias, y, ldy};
  linears({&one, 1}, rows, pool);
}

void linear_top_k(const PackedWeight& w, LinearInput x, int rows, int k_best, std::int32_t* ids,
                  float* logits, ThreadPool& pool) {
  const int pass = rows_per_pass(w);
  const int tiles = tile_count(w.n);
  // Fixed ranges of tiles, each with its own list. The candidates are totally ordered, so the order
  // of merging does not matter.
  const int ranges = std::min(tiles, 16 * pool.threads());
  std::vector<std::vector<Candidate>> best(static_cast<std::size_t>(ranges));
  for (int first = 0; first < rows; first += pass) {
    const int end_row = std::min(rows, first + pass);
    pool.parallel_for(ranges, 1, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) {
        const auto bound = [&](int range) {
          return static_cast<int>(static_cast<std::int64_t>(tiles) * range / ranges);
        };
        top_of_tiles(w, x, first, end_row, rows, k_best, bound(i), bound(i + 1),
                     best[static_cast<std::size_t>(i)]);
      }
    });
    for (int row = first; row < end_row; ++row) {
      const std::size_t at = static_cast<std::size_t>(row - first) * k_best;
      Candidate* merged = best[0].data() + at;
      for (int range = 1; range < ranges; ++range) {
        const Candidate* list = best[static_cast<std::size_t>(range)].data() + at;
        for (int i = 0; i < k_best && list[i] < merged[k_best - 1]; ++i)
          keep(list[i], k_best, merged);
      }
      for (int i = 0; i < k_best; ++i) {
        ids[static_cast<std::size_t>(row) * k_best + i] = merged[i].id;
        logits[static_cast<std::size_t>(row) * k_best + i] = merged[i].logit;
      }
    }
  }
}

void linear_argmax(const PackedWeight& w, LinearInput x, int rows, std::int32_t* best,
                   float* best_logit, ThreadPool& pool) {
  std::vector<float> logits(static_cast<std::size_t>(rows));
  linear_top_k(w, x, rows, 1, best, logits.data(), pool);
  if (best_logit) std::copy(logits.begin(), logits.end(), best_logit);
}

}  // namespace redraft::kernels
