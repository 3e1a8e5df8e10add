#include "indexing/store/stored_definition.h"

#include <span>

#include "indexing/store/checksum.h"

namespace redraft {

std::uint32_t hash_of_name(std::string_view name) {
  return static_cast<std::uint32_t>(checksum(std::as_bytes(std::span(name))));
}

}  // namespace redraft
