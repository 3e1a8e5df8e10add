// libFuzzer entry: any bytes parse or are refused, and what is parsed can be read.
#include <cstddef>
#include <cstdint>

#include "decoding/model/gguf.h"
#include "decoding/model/tokenizer_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = redraft::GgufFile::parse("fuzz", {data, size});
  if (!file) return 0;
  unsigned sum = 0;
  for (const redraft::StoredTensor& tensor : file->tensors()) {
    for (const std::uint8_t byte : tensor.data) sum += byte;
  }
  const auto spec = redraft::read_tokenizer_spec(*file);
  static volatile unsigned sink;  // keeps the reads
  sink = sum + (spec ? 1 : 0);
  return 0;
}
