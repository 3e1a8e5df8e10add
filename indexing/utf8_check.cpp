#include "indexing/utf8_check.h"

#include <cstdint>
#include <cstring>

namespace redraft {
namespace {

// Bytes of the character that `lead` begins, 0 if it begins none, and the range of the byte after.
struct Lead {
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
};

Lead read_lead(unsigned char lead) {
  if (lead < 0x80) return {.length = 1};
  if (lead < 0xC2 || lead > 0xF4) return {};
  if (lead < 0xE0) return {.length = 2};
  if (lead == 0xE0) return {.length = 3, .low = 0xA0};
  if (lead == 0xED) return {.length = 3, .high = 0x9F};
  if (lead < 0xF0) return {.length = 3};
  if (lead == 0xF0) return {.length = 4, .low = 0x90};
  if (lead == 0xF4) return {.length = 4, .high = 0x8F};
  return {.length = 4};
}

}  // namespace

bool is_utf8(std::string_view text, bool complete) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = 0x80;
    if (text.size() - at >= sizeof(eight)) std::memcpy(&eight, text.data() + at, sizeof(eight));
    if ((eight & 0x8080808080808080U) == 0) {  // most source text is ASCII
      at += sizeof(eight);
      continue;
    }
    const Lead lead = read_lead(static_cast<unsigned char>(text[at]));
    if (lead.length == 0) return false;
    for (std::size_t i = 1; i < lead.length; ++i) {
      if (at + i == text.size()) return !complete;
      const unsigned char c = static_cast<unsigned char>(text[at + i]);
      if (c < (i == 1 ? lead.low : 0x80) || c > (i == 1 ? lead.high : 0xBF)) return false;
    }
    at += lead.length;
  }
  return true;
}

}  // namespace redraft
