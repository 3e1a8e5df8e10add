#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace redraft {

struct FreeAligned {
  void operator()(std::uint8_t* p) const { std::free(p); }
};
using AlignedBytes = std::unique_ptr<std::uint8_t, FreeAligned>;

// Allocates at least `bytes` uninitialised bytes, aligned to 64. Throws std::bad_alloc.
inline AlignedBytes aligned_bytes(std::size_t bytes) {
  AlignedBytes memory(static_cast<std::uint8_t*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)));
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace redraft
