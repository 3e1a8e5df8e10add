// libFuzzer entry: any bytes are a tokenizer.json or are refused, and a tokenizer made of one
// reproduces every text that its vocabulary covers.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "decoding/model/tokenizer_json.h"
#include "text/tokenizer.h"

namespace redraft {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Result<JsonDocument> file = JsonDocument::parse("fuzz", bytes);
  if (!file) return 0;
  Result<TokenizerSpec> spec = read_tokenizer_json(*file);
  if (!spec) return 0;
  // The same bytes as the other files of the folder: their keys differ.
  if (!add_tokenizer_config(*file, *spec) || !add_generation_config(*file, *spec) ||
      !add_gemma4_config(*file, *spec))
    return 0;
  const Result<std::shared_ptr<const Tokenizer>> tokenizer = Tokenizer::make(*std::move(spec));
  if (!tokenizer) return 0;
  const std::string text =
      "def f(x):\n    return x's 12345 \xE4\xBD\xA0\xFF" + std::string(bytes.substr(0, 4096));
  const std::vector<TokenId> ids = (*tokenizer)->encode(text);
  if ((*tokenizer)->covers(text) && (*tokenizer)->decode(ids) != text) std::abort();
  return 0;
}

}  // namespace redraft
