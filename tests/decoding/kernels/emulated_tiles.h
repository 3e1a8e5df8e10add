#pragma once

#include <cstddef>

// The tiles of AMX in plain C++, so that kernels can run on processors without AMX. They follow
// Intel's manual (Architecture Instruction Set Extensions Programming Reference, chapter 3),
// including what is a fault: an instruction that breaks a rule does nothing, and the rule is
// recorded. Tiles belong to the thread that uses them, as on a processor.
namespace redraft::kernels {

// What the emulation can be told to get wrong, to prove that tests notice it.
enum class TileFlaw {
  kNone,
  kUnsignedActivations,  // as in TDPBUSD
  kUnsignedCodes,        // as in TDPBSUD
  kSumsTransposed,       // rows and outputs swapped
  kLastFourMissing,      // a product over four k too few
  kSumsNotZeroed,
  kRowsLoadedTwice,  // every other row in place of its neighbour
};
void set_tile_flaw(TileFlaw flaw);  // for all threads

// The first rule that any thread broke since the last call, or null.
const char* take_broken_tile_rule();
// The number of threads that have tiles configured.
int threads_with_tiles();

namespace emulated_tiles {
void configure(const void* config);  // LDTILECFG: 64 bytes
void release();
void zero(int tile);
void load(int tile, const void* from, std::size_t stride);
void store(int tile, void* to, std::size_t stride);
void add_products(int sums, int a, int b);  // TDPBSSD
}  // namespace emulated_tiles

}  // namespace redraft::kernels
