#include "remote/remote_prompt.h"

#include <algorithm>
#include <utility>

#include "text/byte_alphabet.h"

namespace redraft {
namespace {

constexpr const char* kBegin = "<|im_start|>";
constexpr const char* kEnd = "<|im_end|>";
constexpr const char* kFills[] = {"<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>",
                                  "<|file_sep|>",   "<|repo_name|>",  "<|fim_pad|>"};
constexpr std::int32_t kNormal = 1, kControl = 3;  // GGUF's token types

}  // namespace

std::shared_ptr<const Tokenizer> remote_vocabulary(bool fills) {
  TokenizerSpec spec;
  spec.pre_tokenizer = "qwen2";
  for (int byte = 0; byte < 256; ++byte)
    spec.tokens.push_back(to_byte_alphabet(std::string(1, static_cast<char>(byte))));
  spec.types.assign(spec.tokens.size(), kNormal);
  spec.end_of_text = static_cast<TokenId>(spec.tokens.size());
  std::vector<std::string> controls = {"<|endoftext|>", kBegin, kEnd};
  if (fills) controls.insert(controls.end(), std::begin(kFills), std::end(kFills));
  for (std::string& control : controls) {
    spec.tokens.push_back(std::move(control));
    spec.types.push_back(kControl);
  }
  return *Tokenizer::make(std::move(spec));
}

RemotePrompt read_prompt(const Tokenizer& tokenizer, std::span<const TokenId> tokens) {
  RemotePrompt prompt;
  const TokenId begin = tokenizer.special(kBegin), end = tokenizer.special(kEnd);
  if (std::ranges::find(tokens, begin) == tokens.end()) {
    for (const TokenId token : tokens) prompt.text += tokenizer.display(token);
    return prompt;
  }
  while (true) {
    const auto turn = std::ranges::find(tokens, begin);
    if (turn == tokens.end()) return prompt;
    tokens = tokens.subspan(static_cast<std::size_t>(turn - tokens.begin()) + 1);
    const auto after = std::ranges::find(tokens, end);
    const std::string said = tokenizer.decode({tokens.begin(), after});
    const std::size_t line = std::min(said.find('\n'), said.size());
    const std::string text = said.substr(std::min(line + 1, said.size()));
    if (after == tokens.end()) {
      prompt.opened = text;
      return prompt;
    }
    prompt.messages.push_back({said.substr(0, line), text});
  }
}

}  // namespace redraft
