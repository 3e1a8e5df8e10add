#include "text/thoughts.h"

#include <algorithm>
#include <utility>

namespace redraft {
namespace {

constexpr std::string_view kOpen = "<think>";
constexpr std::string_view kClose = "</think>";
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view without_blanks_before(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}

std::string_view without_blanks_after(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// How many of the last bytes of `text` could be the beginning of `tag`.
std::size_t begun(std::string_view text, std::string_view tag) {
  std::size_t size = std::min(text.size(), tag.size() - 1);
  while (!tag.starts_with(text.substr(text.size() - size))) --size;
  return size;
}

}  // namespace

AnswerBeginning beginning_of_answer(std::span<const PromptPart> parts) {
  std::string_view end;
  for (; end.empty() && !parts.empty(); parts = parts.first(parts.size() - 1))
    end = without_blanks_after(parts.back().text);
  return end.ends_with(kOpen) ? AnswerBeginning::kThinks : AnswerBeginning::kMayThink;
}

AnswerBeginning beginning_of_rest(AnswerBeginning beginning, std::string_view begun) {
  ThoughtSplitter splitter(beginning);
  splitter.add(begun);
  if (splitter.thinking()) return AnswerBeginning::kThinks;
  const bool blank = without_blanks_before(begun).empty();
  return blank ? beginning : AnswerBeginning::kNoThought;
}

AnswerBeginning begin_answer(const Tokenizer& tokenizer, std::string_view begun,
                             std::vector<PromptPart>& parts) {
  const AnswerBeginning beginning = beginning_of_answer(parts);
  const bool opened = beginning == AnswerBeginning::kThinks;
  if (opened && begins_with_thought(begun)) {
    begun = without_blanks_before(begun);
    begun = without_blanks_before(begun.substr(kOpen.size()));
  } else if (opened && !without_blanks_before(begun).empty() &&
             begun.find(kClose) == std::string_view::npos) {
    parts.push_back({std::string(kClose), tokenizer.special(kClose) >= 0});
    parts.push_back({"\n\n" + std::string(begun), false});
    return AnswerBeginning::kNoThought;
  }
  if (!begun.empty()) parts.push_back({std::string(begun), false});
  return beginning_of_rest(beginning, begun);
}

bool begins_with_thought(std::string_view text) {
  return without_blanks_before(text).starts_with(kOpen);
}

bool mentions_thought(std::string_view text) { return text.find(kOpen) != std::string_view::npos; }

std::string_view answer_bytes(const Tokenizer& tokenizer, TokenId token) {
  const std::string_view bytes = tokenizer.bytes(token);
  if (!bytes.empty() || !tokenizer.is_special(token)) return bytes;
  if (token == tokenizer.special(kOpen)) return kOpen;
  return token == tokenizer.special(kClose) ? kClose : bytes;
}

ThoughtSplitter::ThoughtSplitter(AnswerBeginning beginning)
    : state_(beginning == AnswerBeginning::kThinks     ? State::kThinking
             : beginning == AnswerBeginning::kMayThink ? State::kDeciding
                                                       : State::kAfter),
      has_thought_(beginning == AnswerBeginning::kThinks) {}

ThoughtSplitter::Pieces ThoughtSplitter::add(std::string_view bytes) {
  Pieces pieces;
  held_ += bytes;
  if (state_ == State::kDeciding && !decide()) return pieces;
  if (state_ == State::kThinking && !think(pieces.thought)) return pieces;
  if (state_ == State::kBetween) {
    drop(std::min(held_.find_first_not_of("\r\n"), held_.size()));
    if (held_.empty()) return pieces;
    text_begin_ = dropped_;
    state_ = State::kAfter;
  }
  pieces.text = std::exchange(held_, {});
  return pieces;
}

ThoughtSplitter::Pieces ThoughtSplitter::end() {
  Pieces pieces;
  if (state_ == State::kThinking) {
    take_thought(without_blanks_after(held_).size(), pieces.thought);
    return pieces;
  }
  if (state_ == State::kBetween) text_begin_ = dropped_;
  state_ = State::kAfter;
  pieces.text = std::exchange(held_, {});
  return pieces;
}

std::optional<std::size_t> ThoughtSplitter::text_begin() const {
  if (state_ != State::kAfter) return std::nullopt;
  return text_begin_;
}

// False: the next bytes decide whether there is a thought.
bool ThoughtSplitter::decide() {
  const std::string_view rest = without_blanks_before(held_);
  if (rest.starts_with(kOpen)) {
    drop(held_.size() - rest.size() + kOpen.size());
    state_ = State::kThinking;
    has_thought_ = true;
    return true;
  }
  if (kOpen.starts_with(rest)) return false;
  state_ = State::kAfter;
  return true;
}

// False: the thought goes on.
bool ThoughtSplitter::think(std::string& thought) {
  const std::size_t close = held_.find(kClose);
  const bool ends = close != std::string::npos;
  const std::size_t size = ends ? close : held_.size() - begun(held_, kClose);
  take_thought(without_blanks_after(std::string_view(held_).substr(0, size)).size(), thought);
  if (!ends) return false;
  drop(held_.find(kClose) + kClose.size());
  state_ = State::kBetween;
  return true;
}

// Moves the first bytes of held_, which do not end with white space.
void ThoughtSplitter::take_thought(std::size_t size, std::string& thought) {
  std::string_view part = std::string_view(held_).substr(0, size);
  if (!gave_thought_) part = without_blanks_before(part);
  gave_thought_ = gave_thought_ || !part.empty();
  thought += part;
  drop(size);
}

void ThoughtSplitter::drop(std::size_t size) {
  held_.erase(0, size);
  dropped_ += size;
}

}  // namespace redraft
