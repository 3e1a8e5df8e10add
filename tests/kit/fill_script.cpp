#include "tests/kit/fill_script.h"

#include <algorithm>

#include "tests/kit/byte_tokenizer.h"

namespace redraft {
namespace {

constexpr const char* kMiddle = "<|fim_middle|>";

// How much of `write` stands at the end of `before`, behind `after`; npos: `after` does not.
std::size_t written_of(const FillScript::Fill& fill, const std::string& before) {
  for (std::size_t size = std::min(fill.write.size(), before.size()) + 1; size-- > 0;) {
    const std::string expected = fill.after + fill.write.substr(0, size);
    if (before.ends_with(expected)) return size;
  }
  return std::string::npos;
}

}  // namespace

std::string fill_behind(const FillScript& script, const std::string& before) {
  for (const FillScript::Fill& fill : script.fills) {
    const std::size_t written = written_of(fill, before);
    if (written != std::string::npos) return fill.write.substr(written);
  }
  return {};
}

std::shared_ptr<const Tokenizer> fill_tokenizer() {
  static const auto tokenizer =
      byte_tokenizer({"<|fim_prefix|>", "<|fim_suffix|>", kMiddle, "<|file_sep|>"});
  return tokenizer;
}

bool is_fill_prompt(const Tokenizer& tokenizer, std::span<const TokenId> sequence) {
  return std::ranges::find(sequence, tokenizer.special(kMiddle)) != sequence.end();
}

TokenId next_fill_token(const Tokenizer& tokenizer, const FillScript& script,
                        std::span<const TokenId> sequence) {
  const auto middle =
      std::find(sequence.rbegin(), sequence.rend(), tokenizer.special(kMiddle)).base();
  const std::string rest = fill_behind(script, tokenizer.decode({middle, sequence.end()}));
  return rest.empty() ? tokenizer.end_of_text() : tokenizer.encode(rest.substr(0, 1)).front();
}

}  // namespace redraft
