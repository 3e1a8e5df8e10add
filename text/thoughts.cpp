#include "text/thoughts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace redraft {

// How a family writes a thought.
struct ThoughtTags {
  std::string_view open, close;
  std::string_view header = {};  // between the thought and the text
};

namespace {

constexpr std::string_view kOpen = "<think>";
constexpr std::string_view kClose = "</think>";
constexpr std::string_view kBlanks = " \t\r\n";

// None is the beginning of another, so the first bytes of an answer select one.
constexpr std::array kAllTags = {
    ThoughtTags{kOpen, kClose},
    ThoughtTags{"<|channel>thought", "<channel|>"},  // Gemma 4
    ThoughtTags{"<|channel|>analysis<|message|>", "<|end|>",
                "<|start|>assistant<|channel|>final<|message|>"},  // gpt-oss
    ThoughtTags{"<seed:think>", "</seed:think>"},
    ThoughtTags{"[THINK]", "[/THINK]"},  // Mistral
};

// The special tokens of which these consist, except for <|end|>, which ends the answer.
constexpr std::array<std::string_view, 10> kTagTokens = {
    kOpen,         kClose,         "<|channel>",    "<channel|>", "<|channel|>",
    "<|message|>", "<seed:think>", "</seed:think>", "[THINK]",    "[/THINK]"};

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
  if (opened && without_blanks_before(begun).starts_with(kOpen)) {
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
  text = without_blanks_before(text);
  return std::ranges::any_of(kAllTags,
                             [&](const ThoughtTags& tags) { return text.starts_with(tags.open); });
}

bool mentions_thought(std::string_view text) {
  return std::ranges::any_of(
      kAllTags, [&](const ThoughtTags& tags) { return text.find(tags.open) != text.npos; });
}

std::string_view answer_bytes(const Tokenizer& tokenizer, TokenId token) {
  const std::string_view bytes = tokenizer.bytes(token);
  if (!bytes.empty() || !tokenizer.is_special(token)) return bytes;
  const auto* const spelling = std::ranges::find_if(
      kTagTokens, [&](std::string_view tag) { return token == tokenizer.special(tag); });
  return spelling == kTagTokens.end() ? bytes : *spelling;
}

ThoughtSplitter::ThoughtSplitter(AnswerBeginning beginning)
    : state_(beginning == AnswerBeginning::kThinks     ? State::kThinking
             : beginning == AnswerBeginning::kMayThink ? State::kDeciding
                                                       : State::kAfter),
      has_thought_(beginning == AnswerBeginning::kThinks),
      tags_(kAllTags.data()) {}

ThoughtSplitter::Pieces ThoughtSplitter::add(std::string_view bytes) {
  Pieces pieces;
  held_ += bytes;
  if (state_ == State::kDeciding && !decide()) return pieces;
  if (state_ == State::kThinking && !think(pieces.thought)) return pieces;
  if (state_ == State::kBetween) {
    drop(std::min(held_.find_first_not_of("\r\n"), held_.size()));
    if (held_.empty() || !skip_header()) return pieces;
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
  for (const ThoughtTags& tags : kAllTags) {
    if (tags.open.starts_with(rest) && rest.size() < tags.open.size()) return false;
    if (!rest.starts_with(tags.open)) continue;
    drop(held_.size() - rest.size() + tags.open.size());
    state_ = State::kThinking;
    has_thought_ = true;
    tags_ = &tags;
    return true;
  }
  state_ = State::kAfter;
  return true;
}

// False: the next bytes decide whether the header follows the thought.
bool ThoughtSplitter::skip_header() {
  const std::string_view header = tags_->header;
  if (header.empty()) return true;
  if (held_.starts_with(header)) {
    drop(header.size());
    tags_ = kAllTags.data();  // only once
    drop(std::min(held_.find_first_not_of("\r\n"), held_.size()));
    return !held_.empty();
  }
  return !header.starts_with(held_);
}

// False: the thought goes on.
bool ThoughtSplitter::think(std::string& thought) {
  const std::size_t close = held_.find(tags_->close);
  const bool ends = close != std::string::npos;
  const std::size_t size = ends ? close : held_.size() - begun(held_, tags_->close);
  take_thought(without_blanks_after(std::string_view(held_).substr(0, size)).size(), thought);
  if (!ends) return false;
  drop(held_.find(tags_->close) + tags_->close.size());
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
