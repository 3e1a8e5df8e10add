// Strict decoding with a real model: four short edits, each by every strict decoder, byte for byte
// as plain greedy decoding writes them. The 0.5B model is both target and draft model; the draft
// model has a cache of its own.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "decoding/decoder.h"
#include "decoding/model/model_loader.h"
#include "decoding/model/model_store.h"
#include "text/chat_template.h"
#include "text/prompt_encoder.h"

namespace redraft {
namespace {

struct EditTask {
  const char* language;
  const char* instruction;
  const char* text;
};

constexpr EditTask kTasks[] = {
    {"python", "Rename the function `area` to `circle_area`, its calls too.",
     R"(import math


def area(radius):
    """Area of a circle."""
    if radius < 0:
        raise ValueError("a radius is never negative")
    return math.pi * radius**2


def ring_area(outer, inner):
    return area(outer) - area(inner)
)"},
    {"c++", "Make `largest` return std::optional<int>, empty for an empty vector.",
     R"(#include <vector>

int largest(const std::vector<int>& values) {
  int best = values[0];
  for (int value : values) {
    if (value > best) best = value;
  }
  return best;
}
)"},
    {"javascript", "Use const and let instead of var.",
     R"(var total = 0;
var prices = [4, 8, 15];
for (var i = 0; i < prices.length; i++) {
  var price = prices[i];
  total += price;
}
console.log(total);
)"},
    {"json", "Add a \"license\" field with the value \"MIT\" after the version.",
     R"({
  "name": "tide-tables",
  "version": "2.1.0",
  "private": true,
  "scripts": {
    "build": "tsc -p .",
    "test": "node --test"
  }
}
)"},
};

constexpr const char* kStrictDecoders[] = {"redraft", "efficientedit", "efficientedit:reuse-only"};

class LosslessTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto file = find_model("qwen2.5-coder-0.5b");
    ASSERT_TRUE(file) << file.error().message();
    pool = new ThreadPool(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
    auto loaded = load_model(*file, *pool);
    ASSERT_TRUE(loaded) << loaded.error().message();
    loaded_model = new LoadedModel(*std::move(loaded));
  }
  static void TearDownTestSuite() {
    delete loaded_model;
    delete pool;
  }

  static DecodeRequest request_for(const EditTask& task) {
    const Tokenizer& tokenizer = *loaded_model->tokenizer;
    const std::string question = std::string("```") + task.language + "\n" + task.text + "```\n" +
                                 task.instruction + " Answer with the whole new file in a fence.";
    auto parts = chat_prompt(tokenizer, {{"system", "You edit files."}, {"user", question}});
    EXPECT_TRUE(parts);
    parts->push_back({std::string("```") + task.language + "\n"});
    DecodeRequest request;
    const auto prompt = encode_prompt(tokenizer, *parts);
    EXPECT_TRUE(prompt);
    request.prompt = *prompt;
    request.original = tokenizer.encode(task.text);
    request.stop_tokens = end_of_turn_tokens(tokenizer);
    request.max_new_tokens = 64;
    return request;
  }

  static DecodeResult decode(const char* name, const DecodeRequest& request, KvCache& target,
                             KvCache& draft, const CostCurve& cost) {
    LanguageModel* model = loaded_model->model.get();
    auto decoder =
        Decoder::make(*parse_decoder_name(name), {model, &target}, {model, &draft}, cost);
    EXPECT_TRUE(decoder);
    auto result = (*decoder)->run(request, nullptr, {});
    EXPECT_TRUE(result);
    return *std::move(result);
  }

  static inline ThreadPool* pool = nullptr;
  static inline LoadedModel* loaded_model = nullptr;
};

TEST_F(LosslessTest, EveryStrictDecoderWritesWhatPlainDecodingWrites) {
  // A price of rows that makes drafts wider than on this machine: longer chains, and branches.
  const CostCurve cost({{1, 1}, {64, 3}});
  const auto target_cache = loaded_model->model->new_cache(1024);
  const auto draft_cache = loaded_model->model->new_cache(1024);
  for (const EditTask& task : kTasks) {
    const DecodeRequest request = request_for(task);
    const DecodeResult plain = decode("ar", request, *target_cache, *draft_cache, cost);
    ASSERT_GT(plain.tokens.size(), 20U) << task.language;
    for (const char* name : kStrictDecoders) {
      SCOPED_TRACE(testing::Message() << task.language << ", " << name);
      const DecodeResult result = decode(name, request, *target_cache, *draft_cache, cost);
      EXPECT_EQ(loaded_model->tokenizer->decode(result.tokens),
                loaded_model->tokenizer->decode(plain.tokens));
      EXPECT_EQ(result.tokens, plain.tokens);
      EXPECT_EQ(result.finish_reason, plain.finish_reason);
      // Drafting that silently does nothing would pass the lines above.
      EXPECT_GT(result.statistics.tokens_per_pass(), 1.3);
    }
  }
}

}  // namespace
}  // namespace redraft
