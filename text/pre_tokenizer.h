#pragma once

#include <cstddef>
#include <string_view>

#include "support/result.h"
#include "text/unicode.h"

namespace redraft {

// How a text is split into the words within which tokens merge. Each value is one or more regular
// expressions, implemented as code that takes time linear in the text, whatever it contains.
enum class PreTokenizer {
  // (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|
  // ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
  kQwen2,
  // The same, but marks go with letters: [^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|
  //  ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|…
  kQwen35,
  // Qwen 2's, but \p{N}{1,3}.
  kLlama3,
  // Qwen 2's, but line ends after other characters are words of their own: …|
  // ?[^\s\p{L}\p{N}\r\n]+|…
  kSeedCoder,
  // o200k's, of gpt-oss: runs of letters end where the case changes from lower to upper.
  // [^\r\n\p{L}\p{N}]?U*D+C?|[^\r\n\p{L}\p{N}]?U+D*C?|\p{N}{1,3}|
  // ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+ where U is
  // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], D is [\p{Ll}\p{Lm}\p{Lo}\p{M}] and C is
  // (?i:'s|'t|'re|'ve|'m|'ll|'d)
  kGpt4o,
  // Mistral's: the same without C, and \p{N}.
  kTekken,
  // GPT-2's: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
  kGpt2,
  // Every number split off first (the package's Digits), then GPT-2's expression in between.
  kSmolLm,
  // Each expression is applied to the pieces that the ones before it left: [\r\n], \s?\p{L}+,
  // \s?\p{P}+, [U+4E00-U+9FA5 U+0800-U+4E00 U+AC00-U+D7FF]+, and every number split off. What none
  // of them matches stays together.
  kDeepSeekCoder,
  // [^\n]+|[\n]+. Gemma 4's texts are not split at all, but its vocabulary has no token with a line
  // end and something else, so nothing merges across the ends of lines.
  kGemma4,
};

// Looks up the name that a GGUF file gives (tokenizer.ggml.pre). Names that llama.cpp uses for the
// same expression are known too; "default" is GPT-2's.
Result<PreTokenizer> find_pre_tokenizer(std::string_view name);

// Whether vocabularies are written in UTF-8 with U+2581 for a space, merge characters, and have a
// token for each byte of other characters. The others are written in the byte alphabet and merge
// bytes.
bool merges_characters(PreTokenizer pre_tokenizer);

// A word depends on the text from its beginning on, and on nothing at or past c + kWordLookAhead,
// where c is the first character at or after the word's end that is not white space. (A run ends
// where its kind does, one character later; white space is split by what follows all of it; a
// contraction is at most four bytes.) EncodedText relies on this to keep words after an edit.
inline constexpr std::size_t kWordLookAhead = 4;

// The exception: where this is true, a word that ends before a letter in upper case depends on what
// follows all of the characters for which before_case_change() is true. (o200k's U*D+ splits 日ABC
// behind 日, but keeps 日ABCd together.)
bool looks_through_capitals(PreTokenizer pre_tokenizer);
// U of PreTokenizer::kGpt4o: all letters but those in lower case, and all marks.
bool before_case_change(const Character& character);

// Where the word that starts at `begin` < text.size() ends; always past `begin`.
std::size_t word_end(PreTokenizer pre_tokenizer, std::string_view text, std::size_t begin);

}  // namespace redraft
