#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decoding/kernels/thread_pool.h"
#include "decoding/load_control.h"
#include "decoding/model/low_rank_delta.h"
#include "decoding/model/stored_tensor.h"

namespace redraft {

// How a device stores weights: in tiles of 16 outputs, each packed by itself.
struct TileLayout {
  std::size_t (*tile_bytes)(WeightFormat format, int k);
  // `file` holds n rows of k weights in the file's order.
  void (*pack_tile)(WeightFormat format, int n, int k, const std::uint8_t* file, int tile,
                    std::uint8_t* out);
};
// The layout of decoding/kernels.
extern const TileLayout kCpuLayout;

// One matrix of a file and where its packed form goes.
struct PackingJob {
  const StoredTensor* source;  // [n, k]
  // 0, or the width of heads whose rows are ordered in the file so that neighbours rotate together:
  // they are packed in halves, as the kernels need them.
  int paired_head_dim = 0;
  std::uint8_t* out;  // all tiles of the layout, 64-byte aligned; null: only checked
  // Added before packing, row by row of the packed order; null: nothing. What it is added to is
  // rounded again, to held_format().
  const LowRankDelta* delta = nullptr;
};

// The format of the packed tiles.
WeightFormat held_format(WeightFormat stored, const LowRankDelta* delta);

// Rows `first` to `first + count` of the packed order, as they are packed: in the held format.
// False if a scale or weight of theirs is not finite; then `out` is useless.
bool read_held_rows(const PackingJob& job, int first, int count, std::vector<std::uint8_t>& out);

// What ended the packing early.
struct PackingFailure {
  int job;  // whose source has a scale or weight that is not finite; -1: stopped
};

// Packs all matrices in one go, so that threads never wait for each other at the end of a small
// one, and checks every scale on the way. After a failure the contents of `out` are useless.
std::optional<PackingFailure> pack_matrices(std::span<const PackingJob> jobs,
                                            const TileLayout& layout, ThreadPool& pool,
                                            const LoadControl& control);

}  // namespace redraft
