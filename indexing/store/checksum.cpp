#include "indexing/store/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace redraft {

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace redraft
