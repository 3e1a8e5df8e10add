// All tiles of all matrices form one list, which is cut into slices by size. Within a slice each
// thread takes the next tile when it is free, which also spreads the page faults of file and memory
// over the threads. Between slices the caller is told the progress and may stop.
#include "decoding/model/packing.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "decoding/kernels/finite_weights.h"
#include "decoding/kernels/packed_layout.h"

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
  static std::size_t row_bytes(const PackingJob& job) {
    return job.source->data.size() / static_cast<std::size_t>(job.source->rows());
  }
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
      const std::size_t tile = row_bytes(jobs_[j]) * kTileOutputs;
      const auto wanted = static_cast<int>((kSliceBytes - slice + tile - 1) / tile);
      const int taken = std::min(wanted, tiles_[j].end - at);
      slice += static_cast<std::size_t>(taken) * tile;
      at += taken;
    }
    bytes = std::min(bytes + slice, all_bytes_);
    return at;
  }

  void pack(int begin, int end) {
    std::vector<std::uint8_t> reordered;
    for (int tile = begin; tile < end; ++tile) {
      const std::size_t j = job_of(tile);
      pack_one(jobs_[j], static_cast<int>(j), tile - tiles_[j].first, reordered);
    }
  }

  void pack_one(const PackingJob& job, int index, int tile, std::vector<std::uint8_t>& reordered) {
    const StoredTensor& source = *job.source;
    const std::size_t bytes = row_bytes(job);
    const int n = static_cast<int>(source.rows());
    const int k = static_cast<int>(source.columns());
    const int outputs = std::min(kTileOutputs, n - tile * kTileOutputs);
    const auto first = static_cast<std::size_t>(tile) * kTileOutputs;
    const auto rows = source.data.subspan(first * bytes, static_cast<std::size_t>(outputs) * bytes);
    if (!are_finite(source.format, rows)) {
      int none = -1;
      bad_.compare_exchange_strong(none, index);
      return;
    }
    if (job.out == nullptr) return;
    std::uint8_t* out =
        job.out + static_cast<std::size_t>(tile) * layout_.tile_bytes(source.format, k);
    if (job.paired_head_dim == 0) {
      layout_.pack_tile(source.format, n, k, source.data.data(), tile, out);
      return;
    }
    reordered.resize(rows.size());
    for (int i = 0; i < outputs; ++i) {
      const std::size_t from = paired_row(tile * kTileOutputs + i, job.paired_head_dim);
      std::memcpy(reordered.data() + static_cast<std::size_t>(i) * bytes,
                  source.data.data() + from * bytes, bytes);
    }
    layout_.pack_tile(source.format, outputs, k, reordered.data(), 0, out);
  }

  // Where the file has row `row` of the order in which a head's halves follow each other.
  static std::size_t paired_row(int row, int head_dim) {
    const int at = row % head_dim;
    const int half = head_dim / 2;
    return static_cast<std::size_t>(row - at + at % half * 2 + at / half);
  }

  std::span<const PackingJob> jobs_;
  const TileLayout& layout_;
  ThreadPool& pool_;
  std::vector<JobTiles> tiles_;
  std::size_t all_bytes_ = 0;
  std::atomic<int> bad_ = -1;  // index of a job
};

}  // namespace

const TileLayout kCpuLayout = {kernels::tile_bytes, kernels::pack_tile};

std::optional<PackingFailure> pack_matrices(std::span<const PackingJob> jobs,
                                            const TileLayout& layout, ThreadPool& pool,
                                            const LoadControl& control) {
  return Packer(jobs, layout, pool).run(control);
}

}  // namespace redraft
