#pragma once

#include <cstddef>

// The tiles of AMX in plain C++, for kernels to be tried on processors that have none. They follow
// Intel's manual (Architecture Instruction Set Extensions Programming Reference, chapter 3) down to
// what is a fault: an instruction that breaks a rule does nothing, and the rule is remembered.
// Tiles belong to the thread that uses them, as a processor's do.
namespace redraft::kernels {

// What an emulation can be told to get wrong, so that tests see that tests would see it.
enum class TileFlaw {
  kNone,
  kUnsignedActivations,  // as TDPBUSD
  kUnsignedCodes,        // as TDPBSUD
  kSumsTransposed,       // rows and outputs exchanged
  kLastFourMissing,      // a product of a k that is four too few
  kSumsNotZeroed,
  kRowsLoadedTwice,  // every other row in place of its neighbour
};
void set_tile_flaw(TileFlaw flaw);  // of all threads

// The first rule that was broken on any thread since the last call, or null.
const char* take_broken_tile_rule();
// Threads that have configured tiles now.
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
