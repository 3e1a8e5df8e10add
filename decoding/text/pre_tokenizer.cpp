#include "decoding/text/pre_tokenizer.h"

#include <string>

#include "decoding/text/unicode.h"

namespace redraft {
namespace {

constexpr auto kSymbol = CharacterKind::kSymbol;
constexpr auto kLetter = CharacterKind::kLetter;
constexpr auto kNumber = CharacterKind::kNumber;
constexpr auto kSpace = CharacterKind::kSpace;

bool is_line_end(char c) { return c == '\r' || c == '\n'; }

bool is_kind_at(std::string_view text, std::size_t position, CharacterKind kind) {
  return position < text.size() && character_at(text, position).kind == kind;
}

// Past the characters of one kind that begin at `position`.
std::size_t run_end(std::string_view text, std::size_t position, CharacterKind kind) {
  while (position < text.size()) {
    const Character character = character_at(text, position);
    if (character.kind != kind) break;
    position += character.length;
  }
  return position;
}

// The length of 's, 't, 'm, 'd, 're, 've or 'll at `begin`, or 0. In a pattern that ignores case
// U+017F, the long s, is an s too; no other character outside ASCII folds to one of these letters.
std::size_t contraction_length(std::string_view text, std::size_t begin, bool any_case) {
  if (text[begin] != '\'') return 0;
  const auto letter = [&](std::size_t i) {
    const char c = begin + i < text.size() ? text[begin + i] : '\0';
    return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  };
  const char first = letter(1);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if ((first == 'r' || first == 'v') && letter(2) == 'e') return 3;
  if (first == 'l' && letter(2) == 'l') return 3;
  if (any_case && text.substr(begin + 1, 2) == "\u017F") return 3;
  return 0;
}

// \s+(?!\S)|\s+ over the white space [begin, end): all of it at the end of what is being split,
// else all but the last character, which goes with what follows, unless it is the only one.
std::size_t space_word_end(std::string_view text, std::size_t begin, std::size_t end, bool at_end) {
  if (at_end) return end;
  std::size_t last = end - 1;
  while (last > begin && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
  return last > begin ? last : end;
}

// \s*[\r\n]+|\s+(?!\S)|\s+
std::size_t qwen2_space_end(std::string_view text, std::size_t begin) {
  const std::size_t end = run_end(text, begin, kSpace);
  for (std::size_t i = end; i > begin; --i) {
    if (is_line_end(text[i - 1])) return i;
  }
  return space_word_end(text, begin, end, end == text.size());
}

std::size_t qwen2_word_end(std::string_view text, std::size_t begin) {
  if (const std::size_t length = contraction_length(text, begin, true)) return begin + length;
  const Character first = character_at(text, begin);
  const std::size_t second = begin + first.length;
  if (first.kind == kLetter) return run_end(text, second, kLetter);
  if (first.kind == kNumber) return second;
  if (!is_line_end(text[begin]) && is_kind_at(text, second, kLetter)) {
    return run_end(text, second, kLetter);
  }
  if (first.kind == kSpace && !(text[begin] == ' ' && is_kind_at(text, second, kSymbol))) {
    return qwen2_space_end(text, begin);
  }
  std::size_t end = run_end(text, second, kSymbol);
  while (end < text.size() && is_line_end(text[end])) ++end;
  return end;
}

std::size_t smollm_word_end(std::string_view text, std::size_t begin) {
  if (const std::size_t length = contraction_length(text, begin, false)) return begin + length;
  const Character first = character_at(text, begin);
  const std::size_t second = begin + first.length;
  if (first.kind == kNumber) return second;
  if (first.kind != kSpace) return run_end(text, second, first.kind);
  if (text[begin] == ' ') {
    if (is_kind_at(text, second, kLetter)) return run_end(text, second, kLetter);
    if (is_kind_at(text, second, kSymbol)) return run_end(text, second, kSymbol);
  }
  const std::size_t end = run_end(text, second, kSpace);
  return space_word_end(text, begin, end, end == text.size() || is_kind_at(text, end, kNumber));
}

}  // namespace

Result<PreTokenizer> find_pre_tokenizer(std::string_view name) {
  if (name == "qwen2") return PreTokenizer::kQwen2;
  if (name == "smollm") return PreTokenizer::kSmolLm;
  return Error("pre-tokenizer \"" + std::string(name) +
               "\" is not supported; supported are: qwen2, smollm");
}

std::size_t word_end(PreTokenizer pre_tokenizer, std::string_view text, std::size_t begin) {
  switch (pre_tokenizer) {
    case PreTokenizer::kQwen2:
      return qwen2_word_end(text, begin);
    case PreTokenizer::kSmolLm:
      break;
  }
  return smollm_word_end(text, begin);
}

}  // namespace redraft
