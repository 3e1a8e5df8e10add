// Whatever is drafted, what a GPU writes is what plain decoding on it writes: decoders over the
// whole model on the emulated device, with its recorded passes and moving caches.
#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <vector>

#include "cuda/transformer.h"
#include "tests/decoding/model/row_invariance.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/kit/lossless_case.h"

namespace redraft::cuda {
namespace {

// Its random weights are small, so that it says the same again and drafts have something to find.
TinyModel talker(std::uint32_t seed) {
  TinyModel model;
  model.heads = 2;
  model.kv_heads = 1;
  model.head_dim = 64;
  model.vocabulary = 270;
  model.seed = seed;
  return model;
}

class CudaDecoding : public testing::Test {
 protected:
  std::unique_ptr<LanguageModel> load(const TinyModel& model) {
    bytes_.push_back(model.writer().bytes());
    Result<GgufFile> file = GgufFile::parse("tiny.gguf", bytes_.back());
    EXPECT_TRUE(file) << file.error().message();
    auto loaded = load_transformer(gguf_model(std::move(*file)), pool_);
    EXPECT_TRUE(loaded) << loaded.error().message();
    return std::move(*loaded);
  }

 private:
  ThreadPool pool_{1};
  std::list<std::vector<std::uint8_t>> bytes_;
};

TEST_F(CudaDecoding, IsPlainDecodingWhateverIsDrafted) {
  const auto target = load(talker(1)), drafter = load(talker(2));
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
