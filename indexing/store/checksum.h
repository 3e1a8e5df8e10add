#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace redraft {

// XXH3: detects damage, not malice. The same on every machine.
std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace redraft
