#include "tests/kit/byte_tokenizer.h"

#include <stdexcept>
#include <utility>

#include "decoding/text/byte_alphabet.h"

namespace redraft {

std::shared_ptr<const Tokenizer> byte_tokenizer() {
  constexpr std::int32_t kNormal = 1;
  constexpr std::int32_t kControl = 3;
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
  Result<std::shared_ptr<const Tokenizer>> tokenizer = Tokenizer::make(std::move(spec));
  if (!tokenizer) throw std::logic_error(tokenizer.error().message());
  return *tokenizer;
}

}  // namespace redraft
