#include "tests/kit/byte_tokenizer.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "text/byte_alphabet.h"

namespace redraft {

namespace {

constexpr std::int32_t kNormal = 1;
constexpr std::int32_t kControl = 3;
constexpr std::int32_t kUserDefined = 4;

TokenizerSpec byte_spec() {
  TokenizerSpec spec;
  spec.pre_tokenizer = "qwen2";
  for (int byte = 0; byte < 256; ++byte) {
    spec.tokens.push_back(to_byte_alphabet(std::string(1, static_cast<char>(byte))));
    spec.types.push_back(kNormal);
  }
  for (const char* special : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}) {
    spec.tokens.emplace_back(special);
    spec.types.push_back(kControl);
  }
  spec.end_of_text = 256;
  return spec;
}

TokenizerSpec byte_spec_with_thoughts() {
  TokenizerSpec spec = byte_spec();
  for (const char* tag : {"<think>", "</think>"}) {
    spec.tokens.emplace_back(tag);
    spec.types.push_back(kUserDefined);
  }
  return spec;
}

std::shared_ptr<const Tokenizer> made_of(TokenizerSpec spec) {
  Result<std::shared_ptr<const Tokenizer>> tokenizer = Tokenizer::make(std::move(spec));
  if (!tokenizer) throw std::logic_error(tokenizer.error().message());
  return *tokenizer;
}

}  // namespace

std::shared_ptr<const Tokenizer> byte_tokenizer(const std::vector<std::string>& specials,
                                                const std::string& pre_tokenizer) {
  TokenizerSpec spec = byte_spec();
  spec.pre_tokenizer = pre_tokenizer;
  for (const std::string& special : specials) {
    spec.tokens.push_back(special);
    spec.types.push_back(kControl);
  }
  return made_of(std::move(spec));
}

std::shared_ptr<const Tokenizer> thinking_tokenizer() {
  TokenizerSpec spec = byte_spec_with_thoughts();
  spec.chat_template =
      "{%- set content = render_content(message.content, true)|trim %}<|im_start|><|im_end|>"
      "{%- if preserve_thinking is undefined or preserve_thinking is true or loop.index0 > "
      "ns.last_query_index %}{%- if enable_thinking is false %}{{'<think>\\n\\n</think>\\n\\n'}}";
  return made_of(std::move(spec));
}

std::shared_ptr<const Tokenizer> thought_opening_tokenizer() {
  TokenizerSpec spec = byte_spec_with_thoughts();
  spec.chat_template = "<|im_end|>{{- '<|im_start|>assistant\\n<think>\\n' }}";
  return made_of(std::move(spec));
}

std::shared_ptr<const Tokenizer> word_tokenizer(const std::vector<std::string>& words) {
  TokenizerSpec spec = byte_spec();
  for (const std::string& word : words) {
    for (std::size_t length = 2; length <= word.size(); ++length) {
      const std::string token = to_byte_alphabet(word.substr(0, length));
      if (std::find(spec.tokens.begin(), spec.tokens.end(), token) != spec.tokens.end()) continue;
      spec.tokens.push_back(token);
      spec.types.push_back(kNormal);
      spec.merges.push_back(to_byte_alphabet(word.substr(0, length - 1)) + " " +
                            to_byte_alphabet(word.substr(length - 1, 1)));
    }
  }
  return made_of(std::move(spec));
}

}  // namespace redraft
