// A hybrid that was trained on code (tools/hybrid_model), so that drafts are accepted and rejected
// as in real use: every strict decoder writes what plain decoding writes, with the same
// probabilities.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "decoding/model/model_files.h"
#include "decoding/model/tokenizer_loader.h"
#include "decoding/model/transformer.h"
#include "decoding/model_powers.h"
#include "indexing/store/memory_datastore.h"
#include "tests/kit/lossless_case.h"
#include "tests/kit/strict_decoders.h"
#include "text/tokenizer.h"

namespace redraft {
namespace {

constexpr int kContext = 1024;
constexpr int kOutput = 120;
constexpr int kLikeliest = 3;

constexpr const char* kCode =
    "def read_settings(path, default=None):\n"
    "    if not path.exists():\n"
    "        return default\n"
    "    with open(path) as handle:\n"
    "        lines = handle.readlines()\n"
    "    values = {}\n"
    "    for line in lines:\n"
    "        name, value = line.split(\"=\")\n"
    "        values[name] = value\n"
    "    return values\n";

constexpr const char* kOtherCode =
    "class Reader:\n"
    "    def __init__(self, path):\n"
    "        self.path = path\n"
    "        self.values = {}\n"
    "\n"
    "    def read(self):\n"
    "        with open(self.path) as handle:\n"
    "            for line in handle:\n"
    "                name, value = line.split(\"=\")\n"
    "                self.values[name] = value\n"
    "        return self.values\n";

// What `make test` trained (tools/setup.py hybrid).
std::filesystem::path trained_file() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  const std::filesystem::path base = cache != nullptr && *cache != '\0'
                                         ? std::filesystem::path(cache)
                                         : std::filesystem::path(home ? home : ".") / ".cache";
  return base / "redraft/hybrid-model/small.gguf";
}

struct Task {
  std::string name;
  std::vector<TokenId> prompt;
  std::vector<TokenId> original;
};

class TrainedHybrid : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(trained_file())) {
      GTEST_SKIP() << "there is no " << trained_file() << ": run tools/setup.py hybrid";
    }
    auto files = open_model_files({trained_file()});
    ASSERT_TRUE(files) << files.error().message();
    const std::shared_ptr<const ModelFiles> shared = std::move(*files);
    auto tokenizer = load_tokenizer({trained_file()});
    ASSERT_TRUE(tokenizer) << tokenizer.error().message();
    tokenizer_ = std::move(*tokenizer);
    for (auto* model : {&target_, &drafter_}) {
      auto loaded = load_transformer(shared, kernels::best_isa(), model == &target_ ? two_ : one_);
      ASSERT_TRUE(loaded) << loaded.error().message();
      *model = std::move(*loaded);
    }
  }

  std::vector<TokenId> text(const std::string& plain) const { return tokenizer_->encode(plain); }

  // The form in which edits were trained.
  Task edit(const std::string& ask) const {
    Task task{ask, {}, text(kCode)};
    const auto add = [&](const std::vector<TokenId>& tokens) {
      task.prompt.insert(task.prompt.end(), tokens.begin(), tokens.end());
    };
    add({tokenizer_->special("<|im_start|>")});
    add(text("user\n" + ask + ":\n```python\n"));
    add(task.original);
    add(text("```"));
    add({tokenizer_->special("<|im_end|>")});
    add(text("\n"));
    add({tokenizer_->special("<|im_start|>")});
    add(text("assistant\n"));
    add({tokenizer_->special("<think>")});
    add(text("\n\n"));
    add({tokenizer_->special("</think>")});
    add(text("\n\n```python\n"));
    return task;
  }

  std::vector<Task> tasks() const {
    return {edit("Repeat"), edit("Rename handle to stream"),
            Task{"new code", text(std::string(kOtherCode) + "\n    def write(self"), {}}};
  }

  DecodeRequest request(const Task& task) const {
    DecodeRequest out;
    out.prompt = task.prompt;
    out.original = task.original;
    out.max_new_tokens = kOutput;
    out.stop_tokens = {tokenizer_->special("<|im_end|>")};
    out.log_probabilities = kLikeliest;
    out.repository =
        std::make_shared<MemoryDatastore>(std::vector<std::vector<TokenId>>{text(kOtherCode)});
    return out;
  }

  DecodeResult run(const std::string& decoder, const Task& task, DecoderMemory* memory = nullptr) {
    const auto cache = target_->new_cache(kContext);
    const auto draft_cache = drafter_->new_cache(kContext);
    return decode(decoder, {target_.get(), cache.get()}, {drafter_.get(), draft_cache.get()},
                  request(task), CostCurve({{1, 1}, {8, 1.35}, {16, 2.5}, {64, 9.7}}), nullptr, {},
                  memory);
  }

  ThreadPool one_{1}, two_{2};
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::unique_ptr<LanguageModel> target_, drafter_;
};

TEST_F(TrainedHybrid, EveryStrictDecoderWritesWhatPlainDecodingWrites) {
  for (const Task& task : tasks()) {
    const DecodeResult plain = run("ar", task);
    ASSERT_FALSE(plain.tokens.empty()) << task.name;
    DecoderMemory memory;
    for (const std::string name : kStrictDecoders) {
      if (!target_->layer_skipping() && name.starts_with("selfspec")) continue;
      SCOPED_TRACE(testing::Message() << name << ", " << task.name);
      const DecodeResult result = run(name, task, &memory);
      EXPECT_EQ(result.tokens, plain.tokens);
      EXPECT_EQ(result.log_probabilities, plain.log_probabilities);
      expect_sums(result);
    }
  }
}

// The comparison above means something only if drafts of each kind are accepted and rejected.
TEST_F(TrainedHybrid, DraftsAreAcceptedAndRejected) {
  for (const char* decoder : {"redraft", "redraft:no-head", "head:tokens=4", "pld"}) {
    DecodeStatistics sum;
    std::int64_t drafted = 0;
    for (const Task& task : tasks()) sum += run(decoder, task).statistics;
    for (const std::int64_t count : sum.drafted_by_origin) drafted += count;
    const int accepted = sum.new_tokens - sum.bonus_tokens;
    std::printf("%s: %.2f tokens a pass, %.2f a pass with a draft\n", decoder,
                sum.tokens_per_pass(), sum.acceptance_length());
    EXPECT_GT(accepted, sum.new_tokens / 10) << decoder;
    EXPECT_GT(drafted, accepted) << decoder;
  }
}

}  // namespace
}  // namespace redraft
