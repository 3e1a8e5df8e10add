// Edits by a real model, the 0.5B one: what the prompt and the draft look like to a real tokenizer,
// and a whole edit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "decoding/model/model_loader.h"
#include "decoding/model/model_store.h"
#include "workspace/edit_session.h"
#include "workspace/prompt.h"

namespace redraft {
namespace {

constexpr const char* kModel = "qwen2.5-coder-0.5b";

// Windows endings, and none at the end.
const std::string kText =
    "import math\r\n\r\n\r\ndef area(radius):\r\n\treturn math.pi * radius ** 2\r\n\r\n\r\n"
    "def ring_area(outer, inner):\r\n\treturn area(outer) - "
    "area(inner)\r\n\r\n\r\nprint(ring_area(3, 2))";

std::shared_ptr<const Document> document(const std::string& text) {
  return *Document::make("file:///shapes.py", 1, text, "python");
}

class ModelPromptTest : public testing::TestWithParam<const char*> {};

// The draft must be the very tokens the model has read: with other ones it would be refused at
// once.
TEST_P(ModelPromptTest, TheDraftIsTheTokensOfThePrompt) {
  const auto file = find_model(kModel);
  ASSERT_TRUE(file) << file.error().message();
  const auto tokenizer = load_tokenizer(*file);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  const EditRegion region = *EditRegion::make(document(GetParam()), EditScope::kFile, {});
  PromptEncoder encoder(**tokenizer);
  const Result<EditPrompt> prompt = make_edit_prompt(encoder, region, "tidy up");
  ASSERT_TRUE(prompt) << prompt.error().message();
  EXPECT_EQ((*tokenizer)->decode(prompt->original), region.text() + prompt->fence);
  const std::size_t n_closing = (*tokenizer)->encode(prompt->fence).size();
  const auto region_end = prompt->original.end() - static_cast<std::ptrdiff_t>(n_closing);
  EXPECT_NE(std::search(prompt->tokens.begin(), prompt->tokens.end(), prompt->original.begin(),
                        region_end),
            prompt->tokens.end());
}

INSTANTIATE_TEST_SUITE_P(Texts, ModelPromptTest,
                         testing::Values("x = 1\n", "x = f(\n    1,\n)\n\n\n", "\tx\n\t\n",
                                         "print()", "# ```\nend()\n", "    indented\n",
                                         "é = '日本語' # 🙂\n", ""));

TEST(ModelEdit, AnEditIsTheSameWithAndWithoutDraftsAndKeepsEveryOtherByte) {
  const auto file = find_model(kModel);
  ASSERT_TRUE(file) << file.error().message();
  ThreadPool pool(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  auto loaded = load_model(*file, pool);
  ASSERT_TRUE(loaded) << loaded.error().message();
  auto engine = Engine::make({loaded->name, std::move(loaded->model), loaded->tokenizer}, {},
                             {.context_limit = 2048});
  ASSERT_TRUE(engine) << engine.error().message();

  EditRequest request;
  request.document = document(kText);
  request.instruction = "Rename the function area to circle_area, its calls too.";
  request.decoder = *parse_decoder_name("ar");
  const Result<EditResult> plain = run_edit(**engine, request, {}, {});
  ASSERT_TRUE(plain) << plain.error().message();
  request.decoder = *parse_decoder_name("redraft");
  const Result<EditResult> drafted = run_edit(**engine, request, {}, {});
  ASSERT_TRUE(drafted) << drafted.error().message();

  EXPECT_EQ(drafted->output, plain->output);
  EXPECT_EQ(drafted->text, plain->text);
  EXPECT_LT(drafted->statistics.passes, plain->statistics.passes);
  EXPECT_GT(drafted->statistics.cached_prompt_tokens, 0);
  EXPECT_EQ(plain->finish_reason, FinishReason::kStop);
  EXPECT_THAT(plain->text, testing::HasSubstr("def circle_area(radius):\r\n\treturn math.pi"));
  EXPECT_TRUE(plain->text.starts_with("import math\r\n"));
  EXPECT_FALSE(plain->text.ends_with("\n"));
  EXPECT_EQ(std::count(plain->text.begin(), plain->text.end(), '\n'),
            std::count(plain->text.begin(), plain->text.end(), '\r'));
}

}  // namespace
}  // namespace redraft
