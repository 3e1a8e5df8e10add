#pragma once

#include <cstddef>
#include <string_view>

#include "support/result.h"

namespace redraft {

// How a text is cut into the words within which tokens merge. Each stands for one regular
// expression; they are matched by hand here, in time linear in the text whatever it holds.
enum class PreTokenizer {
  // (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|
  // ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
  kQwen2,
  // \p{N} cut out first, then 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+|
  // ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ in between
  kSmolLm,
};

// By the name a GGUF file gives (tokenizer.ggml.pre).
Result<PreTokenizer> find_pre_tokenizer(std::string_view name);

// Where the word that starts at `begin` < text.size() ends; always past `begin`.
std::size_t word_end(PreTokenizer pre_tokenizer, std::string_view text, std::size_t begin);

}  // namespace redraft
