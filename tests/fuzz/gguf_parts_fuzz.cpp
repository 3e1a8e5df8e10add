// Any parts of a GGUF model, each with its length in two bytes before it, are joined or refused,
// and what is joined can be read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decoding/model/gguf.h"
#include "decoding/model/gguf_parts.h"

namespace redraft {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::span<const std::uint8_t> left(data, size);
  std::vector<GgufFile> parts;
  while (left.size() > 2 && std::ssize(parts) < kMaxGgufParts) {
    const std::size_t length = std::min<std::size_t>(left[0] + 256U * left[1], left.size() - 2);
    Result<GgufFile> part = GgufFile::parse("fuzz", left.subspan(2, length));
    if (!part) return 0;
    parts.push_back(std::move(*part));
    left = left.subspan(2 + length);
  }
  if (parts.empty()) return 0;
  const Result<GgufFile> file = GgufFile::join(std::move(parts));
  if (!file) return 0;
  unsigned sum = 0;
  for (const StoredTensor& tensor : file->tensors()) {
    for (const std::uint8_t byte : file->find_tensor(tensor.name)->data) sum += byte;
  }
  [[maybe_unused]] static volatile unsigned sink;  // keeps the reads
  sink = sum;
  return 0;
}

}  // namespace redraft
