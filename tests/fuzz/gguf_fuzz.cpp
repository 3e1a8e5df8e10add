// Any bytes parse or are refused, and what is parsed can be read: every tensor, the transformer's
// shape, the plan of its weights, and the tokenizer, which is built and used.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "decoding/model/gguf.h"
#include "decoding/model/model_files.h"
#include "decoding/model/tokenizer_spec.h"
#include "decoding/model/transformer_shape.h"
#include "decoding/model/weight_plan.h"

namespace redraft {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<GgufFile> file = GgufFile::parse("fuzz", {data, size});
  if (!file) return 0;
  unsigned sum = 0;
  for (const StoredTensor& tensor : file->tensors()) {
    for (const std::uint8_t byte : tensor.data) sum += byte;
  }
  if (const Result<TransformerShape> shape = read_shape(*file)) {
    const auto model = gguf_model(*GgufFile::parse("fuzz", {data, size}));
    if (Result<WeightPlan> plan = WeightPlan::make(*model, *shape)) {
      for (PlannedLayer& layer : plan->layers) {
        for (const PlannedMatrix* matrix : layer.matrices()) {
          for (const std::uint8_t byte : matrix->source->data) sum += byte;
        }
      }
    }
  }
  if (Result<TokenizerSpec> spec = read_tokenizer_spec(*file)) {
    if (const auto tokenizer = Tokenizer::make(std::move(*spec)))
      sum += static_cast<unsigned>((*tokenizer)->encode("the cat\n").size());
  }
  [[maybe_unused]] static volatile unsigned sink;  // keeps the reads
  sink = sum;
  return 0;
}

}  // namespace redraft
