#include "serving/edited_code.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/byte_range.h"

namespace redraft {
namespace {

constexpr std::size_t kMinTicks = 3;

std::size_t ticks_of(std::string_view line) {
  const std::size_t end = line.find_first_not_of('`');
  return std::min(end, line.size());
}

bool opens(std::string_view line) {
  const std::size_t ticks = ticks_of(line);
  return ticks >= kMinTicks && line.find_first_of(" \t`", ticks) == std::string_view::npos;
}

bool closes(std::string_view line, std::size_t ticks) {
  const std::size_t own = ticks_of(line);
  return own >= ticks && line.find_first_not_of(" \t\r", own) == std::string_view::npos;
}

// The content of the last closed block.
std::optional<ByteRange> last_block(std::string_view text) {
  std::optional<ByteRange> found;
  std::size_t ticks = 0, inside = 0;  // of the open block; 0 ticks if there is none
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = text.find('\n', begin);
    const std::size_t end = std::min(newline, text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t next = std::min(end + 1, text.size());
    if (ticks == 0) {
      if (opens(line)) {
        ticks = ticks_of(line);
        inside = next;
      }
    } else if (closes(line, ticks)) {
      found = ByteRange{inside, begin};
      ticks = 0;
    }
    begin = end + 1;
  }
  return found;
}

}  // namespace

std::span<const TokenId> edited_code(const Tokenizer& tokenizer, std::span<const TokenId> prompt) {
  // Separates the turns of a conversation: a block does not continue in the next turn, and the text
  // after a control token starts a line.
  std::string text;
  std::vector<std::size_t> begins;  // of each token in `text`
  std::optional<ByteRange> found;
  std::size_t turn = 0;
  const auto end_turn = [&] {
    const auto block = last_block(std::string_view(text).substr(turn));
    if (block) found = ByteRange{turn + block->begin, turn + block->end};
    turn = text.size();
  };
  for (const TokenId token : prompt) {
    if (tokenizer.is_special(token)) end_turn();
    begins.push_back(text.size());
    text += tokenizer.bytes(token);
  }
  end_turn();
  if (!found || found->begin == found->end) return {};
  begins.push_back(text.size());
  // Tokens that cross the end of the block do not belong to it.
  const auto first = std::ranges::lower_bound(begins, found->begin);
  const auto last = std::ranges::upper_bound(begins, found->end) - 1;
  if (last <= first) return {};
  return prompt.subspan(static_cast<std::size_t>(first - begins.begin()),
                        static_cast<std::size_t>(last - first));
}

}  // namespace redraft
