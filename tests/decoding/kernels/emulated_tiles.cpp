#include "tests/decoding/kernels/emulated_tiles.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace redraft::kernels {
namespace {

constexpr int kTiles = 8;
constexpr int kMaxRows = 16;
constexpr int kMaxRowBytes = 64;

struct Tile {
  int rows = 0;
  int row_bytes = 0;
  std::uint8_t bytes[kMaxRows][kMaxRowBytes] = {};
};

struct Unit {
  bool configured = false;
  Tile tiles[kTiles];
};

thread_local Unit unit;
std::atomic<TileFlaw> flaw{TileFlaw::kNone};
std::atomic<const char*> broken_rule{nullptr};
std::atomic<int> configured_units{0};

// Records that `rule` was broken unless it was kept; returns whether it was kept.
bool keeps(bool kept, const char* rule) {
  const char* none = nullptr;
  if (!kept) broken_rule.compare_exchange_strong(none, rule);
  return kept;
}

bool is_usable(int tile) {
  return keeps(unit.configured, "tiles are configured") &&
         keeps(tile >= 0 && tile < kTiles, "there are eight tiles") &&
         keeps(unit.tiles[tile].rows != 0, "the tile has a shape");
}

// Whether the 64 bytes are a configuration that LDTILECFG accepts.
bool is_valid(const std::uint8_t* config) {
  if (!keeps(config[0] == 1, "palette 1")) return false;
  const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
  if (!keeps(config[1] == 0 && std::all_of(config + 2, config + 16, is_zero) &&
                 std::all_of(config + 32, config + 48, is_zero) &&
                 std::all_of(config + 56, config + 64, is_zero),
             "reserved bytes are zero"))
    return false;
  for (int tile = 0; tile < kTiles; ++tile) {
    const int row_bytes = config[16 + 2 * tile] | config[17 + 2 * tile] << 8;
    const int rows = config[48 + tile];
    if (!keeps(rows <= kMaxRows, "at most 16 rows")) return false;
    if (!keeps(row_bytes <= kMaxRowBytes, "at most 64 bytes a row")) return false;
    if (!keeps((rows == 0) == (row_bytes == 0), "rows and bytes, or neither")) return false;
  }
  return true;
}

bool products_keep_the_rules(int sums, int a, int b) {
  if (!is_usable(sums) || !is_usable(a) || !is_usable(b)) return false;
  const Tile& c = unit.tiles[sums];
  const Tile& x = unit.tiles[a];
  const Tile& y = unit.tiles[b];
  return keeps(sums != a && sums != b && a != b, "three different tiles") &&
         keeps(c.row_bytes % 4 == 0 && x.row_bytes % 4 == 0 && y.row_bytes % 4 == 0,
               "rows of whole fours") &&
         keeps(c.rows == x.rows, "as many sums as rows of A") &&
         keeps(c.row_bytes == y.row_bytes, "as many sums as columns of B") &&
         keeps(x.row_bytes / 4 == y.rows, "as many fours in a row of A as rows of B");
}

int value(std::uint8_t byte, bool is_signed) {
  return is_signed ? static_cast<std::int8_t>(byte) : byte;
}

}  // namespace

void set_tile_flaw(TileFlaw to) { flaw = to; }
const char* take_broken_tile_rule() { return broken_rule.exchange(nullptr); }
int threads_with_tiles() { return configured_units; }

namespace emulated_tiles {

void configure(const void* config) {
  const auto* bytes = static_cast<const std::uint8_t*>(config);
  if (!is_valid(bytes)) return;
  if (!unit.configured) ++configured_units;
  unit = {};
  unit.configured = true;
  for (int tile = 0; tile < kTiles; ++tile) {
    unit.tiles[tile].row_bytes = bytes[16 + 2 * tile] | bytes[17 + 2 * tile] << 8;
    unit.tiles[tile].rows = bytes[48 + tile];
  }
}

void release() {
  if (unit.configured) --configured_units;
  unit = {};
}

void zero(int tile) {
  if (!is_usable(tile) || flaw == TileFlaw::kSumsNotZeroed) return;
  std::memset(unit.tiles[tile].bytes, 0, sizeof(Tile::bytes));
}

void load(int tile, const void* from, std::size_t stride) {
  if (!is_usable(tile)) return;
  Tile& to = unit.tiles[tile];
  std::memset(to.bytes, 0, sizeof(to.bytes));
  const bool twice = flaw == TileFlaw::kRowsLoadedTwice;
  for (int row = 0; row < to.rows; ++row) {
    std::memcpy(to.bytes[row],
                static_cast<const std::uint8_t*>(from) +
                    static_cast<std::size_t>(twice ? row / 2 * 2 : row) * stride,
                static_cast<std::size_t>(to.row_bytes));
  }
}

void store(int tile, void* to, std::size_t stride) {
  if (!is_usable(tile)) return;
  const Tile& from = unit.tiles[tile];
  for (int row = 0; row < from.rows; ++row) {
    std::memcpy(static_cast<std::uint8_t*>(to) + static_cast<std::size_t>(row) * stride,
                from.bytes[row], static_cast<std::size_t>(from.row_bytes));
  }
}

void add_products(int sums, int a, int b) {
  const TileFlaw now = flaw;
  if (!products_keep_the_rules(sums, a, b)) return;
  Tile& c = unit.tiles[sums];
  const Tile& x = unit.tiles[a];
  const Tile& y = unit.tiles[b];
  const bool transposed = now == TileFlaw::kSumsTransposed;
  const bool signed_a = now != TileFlaw::kUnsignedActivations;
  const bool signed_b = now != TileFlaw::kUnsignedCodes;
  const int fours = x.row_bytes / 4 - (now == TileFlaw::kLastFourMissing ? 1 : 0);
  for (int row = 0; row < c.rows; ++row) {
    std::int32_t out[kMaxRowBytes / 4];
    std::memcpy(out, c.bytes[row], sizeof(out));
    for (int four = 0; four < fours; ++four) {
      for (int column = 0; column < c.row_bytes / 4; ++column) {
        for (int i = 0; i < 4; ++i) {
          out[column] += value(x.bytes[transposed ? column : row][4 * four + i], signed_a) *
                         value(y.bytes[four][4 * (transposed ? row : column) + i], signed_b);
        }
      }
    }
    std::memcpy(c.bytes[row], out, sizeof(out));
  }
}

}  // namespace emulated_tiles
}  // namespace redraft::kernels
