#include "decoding/drafting/redraft/sources/guess_source.h"

#include <algorithm>

namespace redraft {

std::span<const TokenId> prompt_end(const DecodeRequest& request) {
  constexpr std::size_t kPromptEnd = 16;
  return std::span(request.prompt).last(std::min(request.prompt.size(), kPromptEnd));
}

}  // namespace redraft
