// The files of a Hugging Face folder. The first byte says what the rest is: a config.json, a
// safetensors file, or the header of one up to a zero byte followed by its data. In the last case
// the length in front is always right, so that mutation works on the header's content.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "decoding/model/huggingface_config.h"
#include "decoding/model/huggingface_names.h"
#include "decoding/model/safetensors.h"
#include "tests/fuzz/safetensors_bytes.h"

namespace redraft {
namespace {

void read_config(std::string_view text) {
  const Result<JsonDocument> config = JsonDocument::parse("config.json", text);
  if (!config) return;
  const Result<TransformerShape> shape = read_shape(config->root());
  if (shape && (find_problem(*shape) || shape->heads % shape->kv_heads != 0)) std::abort();
}

void read_tensors(std::span<const std::uint8_t> bytes) {
  const Result<SafetensorsFile> file = SafetensorsFile::parse("fuzz", bytes);
  if (!file) return;
  unsigned sum = 0;
  for (const StoredTensor& tensor : file->tensors()) {
    for (const std::uint8_t byte : tensor.data) sum += byte;
    sum += static_cast<unsigned>(
        role_of_huggingface_tensor(tensor.name, architectures().back()).size());
    if (weight_bytes(tensor.format, tensor.rows(), tensor.columns()) != tensor.data.size())
      std::abort();
  }
  [[maybe_unused]] static volatile unsigned sink;  // keeps the reads
  sink = sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      read_config({reinterpret_cast<const char*>(rest.data()), rest.size()});
      break;
    case 1:
      read_tensors(rest);
      break;
    default:
      read_tensors(with_length(rest));
  }
  return 0;
}

}  // namespace redraft
