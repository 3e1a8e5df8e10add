// A draft head. The first byte says what the rest is: a draft_head.json, beside tensors that are
// right; or a draft_head.safetensors as the header of one up to a zero byte followed by its data,
// beside a configuration that is right. Checks that whatever is accepted has every tensor in its
// shape and tokens within the vocabulary.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "decoding/model/draft_head_files.h"
#include "tests/decoding/model/tiny_draft_head.h"
#include "tests/fuzz/safetensors_bytes.h"

namespace redraft {
namespace {

void read(const std::string& config_text, std::span<const std::uint8_t> bytes) {
  const Result<JsonDocument> config = JsonDocument::parse("config", config_text);
  Result<SafetensorsFile> weights =
      SafetensorsFile::parse("weights", bytes, SafetensorsTypes::kFloatsAndIntegers);
  if (!config || !weights) return;
  const Result<DraftHeadFiles> files = DraftHeadFiles::parse(*config, std::move(*weights));
  if (!files) return;
  for (const DraftHeadTensor& tensor : draft_head_tensors(files->shape())) {
    const StoredTensor& stored = files->tensor(tensor.name);
    if (stored.columns() != tensor.columns || stored.columns() * stored.rows() != tensor.size())
      std::abort();
  }
  TokenId before = -1;
  for (const TokenId token : files->vocabulary()) {
    if (token <= before || token >= files->shape().target_vocabulary) std::abort();
    before = token;
  }
  if (static_cast<int>(files->vocabulary().size()) != files->shape().vocabulary) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const TinyDraftHead seed = draft_head_seed();
  static const std::vector<std::uint8_t> weights = seed.weights("BF16").bytes();
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  if (data[0] % 2 == 0)
    read({reinterpret_cast<const char*>(rest.data()), rest.size()}, weights);
  else
    read(seed.config(), with_length(rest));
  return 0;
}

}  // namespace redraft
