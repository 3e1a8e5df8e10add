// Any bytes parse or are refused, and what is parsed can be read: every tensor, the transformer's
// shape, and the tokenizer, which is built and used.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "decoding/model/gguf.h"
#include "decoding/model/tokenizer_spec.h"
#include "decoding/model/transformer_shape.h"

namespace redraft {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<GgufFile> file = GgufFile::parse("fuzz", {data, size});
  if (!file) return 0;
  unsigned sum = 0;
  for (const StoredTensor& tensor : file->tensors()) {
    for (const std::uint8_t byte : tensor.data) sum += byte;
  }
  sum += static_cast<bool>(read_shape(*file));
  if (Result<TokenizerSpec> spec = read_tokenizer_spec(*file)) {
    if (const auto tokenizer = Tokenizer::make(std::move(*spec)))
      sum += static_cast<unsigned>((*tokenizer)->encode("the cat\n").size());
  }
  [[maybe_unused]] static volatile unsigned sink;  // keeps the reads
  sink = sum;
  return 0;
}

}  // namespace redraft
