// All tiles of all matrices form one list, which is cut into slices by size. Within a slice each
// thread takes the next tile when it is free, which also spreads the page faults of file and memory
// over the threads. Between slices the caller is told the progress and may stop.
#include "decoding/model/packing.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "decoding/kernels/finite_weights.h"
#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/weight_rounding.h"

namespace redraft {

namespace {

using kernels::kTileOutputs;

// A few hundredths of a second of work: the longest that a stop has to wait.
constexpr std::size_t kSliceBytes = std::size_t{32} << 20;

// The tiles of a job, numbered through all jobs.
struct JobTiles {
  int first;
  int end;
};

std::size_t row_bytes(const StoredTensor& source) {
  return source.data.size() / static_cast<std::size_t>(source.rows());
}

std::span<const std::uint8_t> stored_rows(const StoredTensor& source, int first, int count) {
  const std::size_t bytes = row_bytes(source);
  return source.data.subspan(static_cast<std::size_t>(first) * bytes,
                             static_cast<std::size_t>(count) * bytes);
}

// Where the file has row `row` of the order in which a head's halves follow each other.
int paired_row(int row, int head_dim) {
  const int at = row % head_dim;
  const int half = head_dim / 2;
  return row - at + at % half * 2 + at / half;
}

class Packer {
 public:
  Packer(std::span<const PackingJob> jobs, const TileLayout& layout, ThreadPool& pool)
      : jobs_(jobs), layout_(layout), pool_(pool) {
    int next = 0;
    for (const PackingJob& job : jobs) {
      const int tiles = static_cast<int>((job.source->rows() + kTileOutputs - 1) / kTileOutputs);
      tiles_.push_back({next, next + tiles});
      next += tiles;
      all_bytes_ += job.source->data.size();
    }
  }

  std::optional<PackingFailure> run(const LoadControl& control) {
    const int all = tiles_.empty() ? 0 : tiles_.back().end;
    std::size_t bytes = 0;
    for (int begin = 0; begin < all;) {
      if (control.stop.stop_requested()) return PackingFailure{-1};
      const int end = slice_end(begin, bytes);
      pool_.parallel_for(end - begin, 1, [&](int from, int to) { pack(begin + from, begin + to); });
      if (const int bad = bad_.load(); bad >= 0) return PackingFailure{bad};
      if (control.progress)
        control.progress(static_cast<double>(bytes) / static_cast<double>(all_bytes_));
      begin = end;
    }
    return std::nullopt;
  }

 private:
  std::size_t job_of(int tile) const {
    const auto after = std::upper_bound(tiles_.begin(), tiles_.end(), tile,
                                        [](int t, const JobTiles& job) { return t < job.end; });
    return static_cast<std::size_t>(after - tiles_.begin());
  }

  // The end of the slice that begins at tile `begin`; adds its bytes to `bytes`.
  int slice_end(int begin, std::size_t& bytes) const {
    std::size_t slice = 0;
    int at = begin;
    for (std::size_t j = job_of(begin); j < jobs_.size() && slice < kSliceBytes; ++j) {
      const std::size_t tile = row_bytes(*jobs_[j].source) * kTileOutputs;
      const auto wanted = static_cast<int>((kSliceBytes - slice + tile - 1) / tile);
      const int taken = std::min(wanted, tiles_[j].end - at);
      slice += static_cast<std::size_t>(taken) * tile;
      at += taken;
    }
    bytes = std::min(bytes + slice, all_bytes_);
    return at;
  }

  void pack(int begin, int end) {
    std::vector<std::uint8_t> rows;
    for (int tile = begin; tile < end; ++tile) {
      const std::size_t j = job_of(tile);
      pack_one(jobs_[j], static_cast<int>(j), tile - tiles_[j].first, rows);
    }
  }

  void pack_one(const PackingJob& job, int index, int tile, std::vector<std::uint8_t>& rows) {
    const StoredTensor& source = *job.source;
    const int n = static_cast<int>(source.rows());
    const int k = static_cast<int>(source.columns());
    const int first = tile * kTileOutputs;
    const int outputs = std::min(kTileOutputs, n - first);
    const bool as_stored = job.paired_head_dim == 0 && !job.delta;
    const bool finite = as_stored ? are_finite(source.format, stored_rows(source, first, outputs))
                                  : read_held_rows(job, first, outputs, rows);
    if (!finite) {
      int none = -1;
      bad_.compare_exchange_strong(none, index);
      return;
    }
    if (job.out == nullptr) return;
    const WeightFormat format = held_format(source.format, job.delta);
    std::uint8_t* out = job.out + static_cast<std::size_t>(tile) * layout_.tile_bytes(format, k);
    if (as_stored) {
      layout_.pack_tile(format, n, k, source.data.data(), tile, out);
    } else {
      layout_.pack_tile(format, outputs, k, rows.data(), 0, out);
    }
  }

  std::span<const PackingJob> jobs_;
  const TileLayout& layout_;
  ThreadPool& pool_;
  std::vector<JobTiles> tiles_;
  std::size_t all_bytes_ = 0;
  std::atomic<int> bad_ = -1;  // index of a job
};

}  // namespace

WeightFormat held_format(WeightFormat stored, const LowRankDelta* delta) {
  return delta ? format_of_changed(stored) : stored;
}

bool read_held_rows(const PackingJob& job, int first, int count, std::vector<std::uint8_t>& out) {
  const StoredTensor& source = *job.source;
  const int k = static_cast<int>(source.columns());
  const WeightFormat format = held_format(source.format, job.delta);
  const std::size_t bytes = weight_bytes(format, 1, k);
  out.resize(static_cast<std::size_t>(count) * bytes);
  std::vector<float> weights(job.delta ? static_cast<std::size_t>(k) : 0);
  for (int i = 0; i < count; ++i) {
    const int row = first + i;
    const int stored = job.paired_head_dim == 0 ? row : paired_row(row, job.paired_head_dim);
    const std::span<const std::uint8_t> from = stored_rows(source, stored, 1);
    if (!are_finite(source.format, from)) return false;
    std::uint8_t* to = out.data() + static_cast<std::size_t>(i) * bytes;
    if (!job.delta) {
      std::memcpy(to, from.data(), bytes);
      continue;
    }
    dequantize_row(source.format, from.data(), k, weights.data());
    job.delta->add_row(row, weights.data());
    quantize_row(format, weights.data(), k, to);
    if (!are_finite(format, {to, bytes})) return false;
  }
  return true;
}

const TileLayout kCpuLayout = {kernels::tile_bytes, kernels::pack_tile};

std::optional<PackingFailure> pack_matrices(std::span<const PackingJob> jobs,
                                            const TileLayout& layout, ThreadPool& pool,
                                            const LoadControl& control) {
  return Packer(jobs, layout, pool).run(control);
}

}  // namespace redraft
