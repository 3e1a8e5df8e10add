#include "text/same_vocabulary.h"

#include <array>

namespace redraft {
namespace {

// Spellings and a text for which two tokenizers of one family give the same tokens, and those of
// different families do not.
constexpr std::array kSpecials{"<|im_start|>", "<|im_end|>", "<|endoftext|>"};
constexpr const char* kProbe =
    "def naïve_sum(xs: list[int]) -> int:\n\treturn sum(x for x in xs if x != 0x1F)  # 12345 — "
    "日本語 🙂\r\n\n\n    }\n";

}  // namespace

bool same_vocabulary(const Tokenizer& a, const Tokenizer& b) {
  if (&a == &b) return true;
  if (a.vocabulary_size() != b.vocabulary_size()) return false;
  for (const char* spelling : kSpecials) {
    if (a.special(spelling) != b.special(spelling)) return false;
  }
  return a.encode(kProbe) == b.encode(kProbe);
}

}  // namespace redraft
