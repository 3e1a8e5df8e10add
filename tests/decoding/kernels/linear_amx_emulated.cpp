// Replaces decoding/kernels/linear_amx.cpp and amx_available.cpp: a program that links this has the
// same kernels on emulated tiles, and Isa::kAmx wherever there is AVX-512.
//
// This file is compiled for AVX-512: it must not instantiate inline functions that other files may
// share.
#include "decoding/kernels/amx_kernel_template.h"
#include "tests/decoding/kernels/emulated_tiles.h"

namespace redraft::kernels {
namespace {

struct EmulatedTiles {
  static void configure(const TileConfig& config) { emulated_tiles::configure(&config); }
  static void release() { emulated_tiles::release(); }
  template <int kTile>
  static void zero() {
    emulated_tiles::zero(kTile);
  }
  template <int kTile>
  static void load(const void* from, std::size_t stride) {
    emulated_tiles::load(kTile, from, stride);
  }
  template <int kTile>
  static void store(void* to, std::size_t stride) {
    emulated_tiles::store(kTile, to, stride);
  }
  template <int kSums, int kA, int kB>
  static void add_products() {
    emulated_tiles::add_products(kSums, kA, kB);
  }
};

using Kernels = AmxKernels<EmulatedTiles>;

}  // namespace

AmxKernel amx_tile_kernel(WeightFormat format) { return Kernels::of_format(format); }

AmxTiles::AmxTiles(WeightFormat format) { Kernels::configure(format); }
AmxTiles::~AmxTiles() { EmulatedTiles::release(); }

std::int64_t amx_int8_macs() { return Kernels::peak_macs(4); }

bool amx_available() { return true; }

}  // namespace redraft::kernels
