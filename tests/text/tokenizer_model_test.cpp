// The vocabularies of the real model files, compared with the `tokenizers` package on the same
// texts.
#include <gtest/gtest.h>

#include "decoding/model/model_store.h"
#include "decoding/model/tokenizer_loader.h"
#include "tests/text/tokenizer_kit.h"

namespace redraft {
namespace {

void check_model(const std::string& name, const std::string& golden_file) {
  const auto file = find_model(name);
  if (!file) GTEST_SKIP() << file.error().message();
  const auto tokenizer = load_tokenizer(*file);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  check_golden_ids(**tokenizer, golden_file);
}

TEST(ModelTokenizer, Qwen05EqualsTheReference) {
  check_model("qwen2.5-coder-0.5b", "qwen2_ids.json");
}
TEST(ModelTokenizer, Qwen15EqualsTheReference) {
  check_model("qwen2.5-coder-1.5b", "qwen2_ids.json");
}
TEST(ModelTokenizer, SmolLmEqualsTheReference) { check_model("smollm2-135m", "smollm_ids.json"); }

}  // namespace
}  // namespace redraft
