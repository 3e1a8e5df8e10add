#include "tests/kit/fill_script.h"

#include <algorithm>

#include "tests/kit/byte_tokenizer.h"

namespace redraft {
namespace {

constexpr const char* kMiddle = "<|fim_middle|>";

// How much of `write` follows `after` at the end of `before`; npos: not even `after` is there.
std::size_t written_of(const FillScript::Fill& fill, const std::string& before) {
  for (std::size_t size = std::min(fill.write.size(), before.size()) + 1; size-- > 0;) {
    const std::string expected = fill.after + fill.write.substr(0, size);
    if (before.ends_with(expected)) return size;
  }
  return std::string::npos;
}

// The text before the cursor follows the prefix token; the output follows the middle token.
std::string text_before(const Tokenizer& tokenizer, std::span<const TokenId> sequence) {
  const auto behind = [&](const char* special) {
    return std::find(sequence.rbegin(), sequence.rend(), tokenizer.special(special)).base();
  };
  const auto prefix_end =
      std::find(behind("<|fim_prefix|>"), sequence.end(), tokenizer.special("<|fim_suffix|>"));
  return tokenizer.decode({behind("<|fim_prefix|>"), prefix_end}) +
         tokenizer.decode({behind(kMiddle), sequence.end()});
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

double certainty_of_fill(const Tokenizer& tokenizer, const FillScript& script,
                         std::span<const TokenId> sequence) {
  constexpr double kCertain = 0.999999;
  if (!is_fill_prompt(tokenizer, sequence)) return 0;
  if (script.doubts.empty()) return kCertain;
  const std::string before = text_before(tokenizer, sequence);
  const auto doubt = std::ranges::find_if(
      script.doubts, [&](const FillScript::Doubt& each) { return before.ends_with(each.after); });
  return doubt == script.doubts.end() ? kCertain : doubt->probability;
}

TokenId next_fill_token(const Tokenizer& tokenizer, const FillScript& script,
                        std::span<const TokenId> sequence) {
  const std::string rest = fill_behind(script, text_before(tokenizer, sequence));
  return rest.empty() ? tokenizer.end_of_text() : tokenizer.encode(rest.substr(0, 1)).front();
}

}  // namespace redraft
