// Whatever is drafted, a GPU writes the output of plain decoding on it: decoders over the whole
// model on the emulated device, with its recorded passes and moving caches.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/cuda/device_model.h"
#include "tests/decoding/model/row_invariance.h"
#include "tests/kit/lossless_case.h"

namespace redraft::cuda {
namespace {

class CudaDecoding : public DeviceModelTest {};

TEST_F(CudaDecoding, IsPlainDecodingWhateverIsDrafted) {
  const auto target = on_gpu(small_model()), drafter = on_gpu(small_model("qwen2", 2));
  DecodeRequest request;
  request.prompt = random_tokens(*target, 30, 1);
  request.max_new_tokens = 20;
  const auto run = [&](const char* decoder) {
    const auto cache = target->new_cache(200), draft_cache = drafter->new_cache(200);
    return redraft::decode(decoder, {target.get(), cache.get()}, {drafter.get(), draft_cache.get()},
                           request);
  };
  const DecodeResult plain = run("ar");
  ASSERT_EQ(plain.tokens.size(), 20U);
  request.original = plain.tokens;
  request.original.erase(request.original.begin() + 7);
  request.original.insert(request.original.begin() + 12, 3);
  int accepted = 0;
  for (const char* decoder : {"redraft", "efficientedit", "copyspec", "sd", "fastfixer"}) {
    const DecodeResult result = run(decoder);
    EXPECT_EQ(result.tokens, plain.tokens) << decoder;
    accepted += static_cast<int>(result.tokens.size()) - static_cast<int>(result.statistics.passes);
  }
  EXPECT_GT(accepted, 10) << "drafts stood, so that there was something to get wrong";
}

}  // namespace
}  // namespace redraft::cuda
