#include "text/pre_tokenizer.h"

#include <algorithm>
#include <array>
#include <string>

#include "support/utf8/utf8.h"

namespace redraft {
namespace {

constexpr auto kSymbol = CharacterKind::kSymbol;
constexpr auto kLetter = CharacterKind::kLetter;
constexpr auto kNumber = CharacterKind::kNumber;
constexpr auto kSpace = CharacterKind::kSpace;

bool is_line_end(char c) { return c == '\r' || c == '\n'; }

// Whether marks are letters or symbols to an expression.
enum class Marks { kSymbols, kLetters };

Character character_for(std::string_view text, std::size_t position, Marks marks) {
  Character character = character_at(text, position);
  if (marks == Marks::kLetters && character.mark) character.kind = kLetter;
  return character;
}

bool is_kind_at(std::string_view text, std::size_t position, CharacterKind kind,
                Marks marks = Marks::kSymbols) {
  return position < text.size() && character_for(text, position, marks).kind == kind;
}

// The end of the run of characters of one kind that begins at `position`.
std::size_t run_end(std::string_view text, std::size_t position, CharacterKind kind,
                    Marks marks = Marks::kSymbols) {
  while (position < text.size()) {
    const Character character = character_for(text, position, marks);
    if (character.kind != kind) break;
    position += character.length;
  }
  return position;
}

// The length of 's, 't, 'm, 'd, 're, 've or 'll at `begin`, or 0. In a pattern that ignores case,
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

// \s+(?!\S)|\s+ on the white space [begin, end): all of it at the end of the text that is being
// split; otherwise all but the last character, which belongs to what follows, unless it is the only
// one.
std::size_t space_word_end(std::string_view text, std::size_t begin, std::size_t end, bool at_end) {
  if (at_end) return end;
  std::size_t last = end - 1;
  while (last > begin && continues_character(text[last])) --last;
  return last > begin ? last : end;
}

// \s*[\r\n]+|\s+(?!\S)|\s+
std::size_t line_space_end(std::string_view text, std::size_t begin) {
  const std::size_t end = run_end(text, begin, kSpace);
  for (std::size_t i = end; i > begin; --i) {
    if (is_line_end(text[i - 1])) return i;
  }
  return space_word_end(text, begin, end, end == text.size());
}

// The end of \p{N}{1,n} whose first character ends at `second`.
std::size_t digits_end(std::string_view text, std::size_t second, int max_digits) {
  std::size_t end = second;
  for (int n = 1; n < max_digits && is_kind_at(text, end, kNumber); ++n) {
    end += character_at(text, end).length;
  }
  return end;
}

// What differs between Qwen 2's expression and those like it.
struct LineWords {
  int max_digits = 1;         // n of \p{N}{1,n}
  bool ends_in_lines = true;  // line ends after other characters belong to them: […]+[\r\n]*
  Marks marks = Marks::kSymbols;
};

std::size_t line_word_end(std::string_view text, std::size_t begin, const LineWords& words) {
  if (const std::size_t length = contraction_length(text, begin, true)) return begin + length;
  const Character first = character_for(text, begin, words.marks);
  const std::size_t second = begin + first.length;
  if (first.kind == kLetter) return run_end(text, second, kLetter, words.marks);
  if (first.kind == kNumber) return digits_end(text, second, words.max_digits);
  if (!is_line_end(text[begin]) && is_kind_at(text, second, kLetter, words.marks)) {
    return run_end(text, second, kLetter, words.marks);
  }
  const bool before_symbol = text[begin] == ' ' && is_kind_at(text, second, kSymbol, words.marks);
  if (first.kind == kSpace && !before_symbol) return line_space_end(text, begin);
  std::size_t end = run_end(text, second, kSymbol, words.marks);
  while (words.ends_in_lines && end < text.size() && is_line_end(text[end])) ++end;
  return end;
}

// D of kGpt4o's expression.
bool after_case_change(const Character& character) {
  return character.mark || (character.kind == kLetter && !character.upper);
}

// U*D+ at `begin`: where the match ends, or `begin` if there is none.
std::size_t case_run_end(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  // If nothing of D follows, U* gives characters back until D+ can begin: at the last one that is
  // both.
  std::size_t last_end = begin;
  bool lower = false;
  while (end < text.size()) {
    const Character character = character_at(text, end);
    if (!before_case_change(character)) {
      lower = after_case_change(character);
      break;
    }
    end += character.length;
    if (after_case_change(character)) last_end = end;
  }
  if (!lower) return last_end;
  while (end < text.size()) {
    const Character character = character_at(text, end);
    if (!after_case_change(character)) break;
    end += character.length;
  }
  return end;
}

// U+D* at `begin`, where U*D+ does not match; `begin` if there is none.
std::size_t capitals_end(std::string_view text, std::size_t begin) {
  while (begin < text.size()) {
    const Character character = character_at(text, begin);
    if (!before_case_change(character)) break;
    begin += character.length;
  }
  return begin;
}

// What differs between o200k's expression and Mistral's.
struct CaseWords {
  int max_digits = 1;         // n of \p{N}{1,n}
  bool contractions = false;  // belong to the letters before them
};

// The letters that begin at `begin`, with one other character before them; `begin` if there are
// none.
std::size_t case_letters_end(std::string_view text, std::size_t begin, const Character& first) {
  const std::size_t second = begin + first.length;
  const bool prefix = first.kind != kLetter && first.kind != kNumber && !is_line_end(text[begin]);
  if (prefix) {
    if (const std::size_t end = case_run_end(text, second); end > second) return end;
  }
  if (const std::size_t end = case_run_end(text, begin); end > begin) return end;
  if (prefix) {
    const std::size_t end = capitals_end(text, second);
    return end > second ? end : begin;
  }
  return capitals_end(text, begin);
}

std::size_t case_word_end(std::string_view text, std::size_t begin, const CaseWords& words) {
  const Character first = character_at(text, begin);
  const std::size_t second = begin + first.length;
  if (first.kind == kNumber) return digits_end(text, second, words.max_digits);
  if (const std::size_t end = case_letters_end(text, begin, first); end > begin) {
    if (!words.contractions || end == text.size()) return end;
    return end + contraction_length(text, end, true);
  }
  const bool before_symbol = text[begin] == ' ' && is_kind_at(text, second, kSymbol);
  if (first.kind == kSpace && !before_symbol) return line_space_end(text, begin);
  std::size_t end = run_end(text, second, kSymbol);
  while (end < text.size() && (is_line_end(text[end]) || text[end] == '/')) ++end;
  return end;
}

std::size_t gpt2_word_end(std::string_view text, std::size_t begin) {
  if (const std::size_t length = contraction_length(text, begin, false)) return begin + length;
  const Character first = character_at(text, begin);
  const std::size_t second = begin + first.length;
  if (first.kind != kSpace) return run_end(text, second, first.kind);
  if (text[begin] == ' ' && second < text.size()) {
    const CharacterKind kind = character_at(text, second).kind;
    if (kind != kSpace) return run_end(text, second, kind);
  }
  const std::size_t end = run_end(text, second, kSpace);
  return space_word_end(text, begin, end, end == text.size());
}

// GPT-2's expression within a piece without numbers. A number that only a later version of Unicode
// knows is a symbol to the expression, and ends the piece as other numbers do.
std::size_t smollm_word_end(std::string_view text, std::size_t begin) {
  const Character first = character_at(text, begin);
  const std::size_t second = begin + first.length;
  if (first.numeric) return second;
  if (const std::size_t length = contraction_length(text, begin, false)) return begin + length;
  const auto ends_piece = [&](std::size_t i) {
    return i == text.size() || character_at(text, i).numeric;
  };
  CharacterKind kind = first.kind;
  if (text[begin] == ' ' && !ends_piece(second)) kind = character_at(text, second).kind;
  if (kind == kSpace) {
    const std::size_t end = run_end(text, second, kSpace);
    return space_word_end(text, begin, end, ends_piece(end));
  }
  std::size_t end = second;
  while (!ends_piece(end) && is_kind_at(text, end, kind)) end += character_at(text, end).length;
  return end;
}

// DeepSeek Coder's three kinds of run: \s?\p{L}+, \s?\p{P}+ and what is in between.
enum class RunKind { kLetters, kPunctuation, kRest };

RunKind run_of(const Character& character) {
  if (character.kind == kLetter) return RunKind::kLetters;
  return character.punctuation ? RunKind::kPunctuation : RunKind::kRest;
}

// The run that begins or continues at `position`: the last white space before letters or
// punctuation belongs to them.
RunKind run_at(std::string_view text, std::size_t position, const Character& character) {
  const std::size_t next = position + character.length;
  if (character.kind != kSpace || next >= text.size()) return run_of(character);
  return run_of(character_at(text, next));
}

// [一-龥ࠀ-一가-퟿]: characters of three bytes, whose byte order is that of their code
// points.
bool in_east_asian_range(std::string_view text, std::size_t position, const Character& character) {
  if (character.length != 3) return false;
  const std::string_view bytes = text.substr(position, 3);
  return bytes <= "\u9FA5" || (bytes >= "\uAC00" && bytes <= "\uD7FF");
}

std::size_t deepseek_coder_word_end(std::string_view text, std::size_t begin) {
  const Character first = character_at(text, begin);
  std::size_t end = begin + first.length;
  if (is_line_end(text[begin]) || first.numeric) return end;
  const RunKind run = run_at(text, begin, first);
  const bool in_range = in_east_asian_range(text, begin, first);
  while (end < text.size()) {
    const Character character = character_at(text, end);
    if (is_line_end(text[end]) || character.numeric) break;
    if (run_of(character) != run || run_at(text, end, character) != run) break;
    if (in_east_asian_range(text, end, character) != in_range) break;
    end += character.length;
  }
  return end;
}

std::size_t gemma4_word_end(std::string_view text, std::size_t begin) {
  const std::size_t end =
      text[begin] == '\n' ? text.find_first_not_of('\n', begin) : text.find('\n', begin);
  return std::min(end, text.size());
}

struct NamedPreTokenizer {
  std::string_view name;
  PreTokenizer pre_tokenizer;
};

constexpr std::array kNames{
    NamedPreTokenizer{"qwen2", PreTokenizer::kQwen2},
    NamedPreTokenizer{"deepseek-r1-qwen", PreTokenizer::kQwen2},
    NamedPreTokenizer{"qwen35", PreTokenizer::kQwen35},
    NamedPreTokenizer{"llama-bpe", PreTokenizer::kLlama3},
    NamedPreTokenizer{"llama3", PreTokenizer::kLlama3},
    NamedPreTokenizer{"llama-v3", PreTokenizer::kLlama3},
    NamedPreTokenizer{"lfm2", PreTokenizer::kLlama3},
    NamedPreTokenizer{"pixtral", PreTokenizer::kLlama3},
    // Llama 3's tokens without a first one, as SmolLM3 has them, and cl100k, which Granite 4 uses.
    NamedPreTokenizer{"smaug-bpe", PreTokenizer::kLlama3},
    NamedPreTokenizer{"dbrx", PreTokenizer::kLlama3},
    NamedPreTokenizer{"seed-coder", PreTokenizer::kSeedCoder},
    NamedPreTokenizer{"gpt-4o", PreTokenizer::kGpt4o},
    NamedPreTokenizer{"tekken", PreTokenizer::kTekken},
    NamedPreTokenizer{"smollm", PreTokenizer::kSmolLm},
    NamedPreTokenizer{"mellum2", PreTokenizer::kSmolLm},
    NamedPreTokenizer{"starcoder", PreTokenizer::kSmolLm},
    NamedPreTokenizer{"refact", PreTokenizer::kSmolLm},
    NamedPreTokenizer{"deepseek-coder", PreTokenizer::kDeepSeekCoder},
    NamedPreTokenizer{"default", PreTokenizer::kGpt2},
    NamedPreTokenizer{"gpt-2", PreTokenizer::kGpt2},
    NamedPreTokenizer{"mellum", PreTokenizer::kGpt2},
    NamedPreTokenizer{"gemma4", PreTokenizer::kGemma4},
};

}  // namespace

Result<PreTokenizer> find_pre_tokenizer(std::string_view name) {
  std::string known;
  for (const NamedPreTokenizer& named : kNames) {
    if (named.name == name) return named.pre_tokenizer;
    known += (known.empty() ? "" : ", ") + std::string(named.name);
  }
  return Error("pre-tokenizer " + quoted_in_error(name) +
               " is not supported; supported are: " + known);
}

bool merges_characters(PreTokenizer pre_tokenizer) {
  return pre_tokenizer == PreTokenizer::kGemma4;
}

bool looks_through_capitals(PreTokenizer pre_tokenizer) {
  return pre_tokenizer == PreTokenizer::kGpt4o || pre_tokenizer == PreTokenizer::kTekken;
}

bool before_case_change(const Character& character) {
  return character.mark || (character.kind == kLetter && !character.lower);
}

std::size_t word_end(PreTokenizer pre_tokenizer, std::string_view text, std::size_t begin) {
  switch (pre_tokenizer) {
    case PreTokenizer::kQwen2:
      return line_word_end(text, begin, {});
    case PreTokenizer::kQwen35:
      return line_word_end(text, begin, {.marks = Marks::kLetters});
    case PreTokenizer::kLlama3:
      return line_word_end(text, begin, {.max_digits = 3});
    case PreTokenizer::kSeedCoder:
      return line_word_end(text, begin, {.ends_in_lines = false});
    case PreTokenizer::kGpt4o:
      return case_word_end(text, begin, {.max_digits = 3, .contractions = true});
    case PreTokenizer::kTekken:
      return case_word_end(text, begin, {});
    case PreTokenizer::kGemma4:
      return gemma4_word_end(text, begin);
    case PreTokenizer::kGpt2:
      return gpt2_word_end(text, begin);
    case PreTokenizer::kSmolLm:
      return smollm_word_end(text, begin);
    case PreTokenizer::kDeepSeekCoder:
      break;
  }
  return deepseek_coder_word_end(text, begin);
}

}  // namespace redraft
