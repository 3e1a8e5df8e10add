#include "decoding/drafting/redraft/sources/guess.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace redraft {

GuessKindId GuessKinds::add(const GuessKind& kind) {
  if (std::ranges::find(kinds_, kind.name, &GuessKind::name) != kinds_.end())
    throw std::logic_error("two kinds of guesses have the name " + std::string(kind.name));
  if (kinds_.size() > std::numeric_limits<std::uint8_t>::max())
    throw std::logic_error("more kinds of guesses than ids");
  kinds_.push_back(kind);
  return GuessKindId(kinds_.size() - 1);
}

}  // namespace redraft
