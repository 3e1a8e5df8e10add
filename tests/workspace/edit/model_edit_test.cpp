// Edits by a real model, the 0.5B one: the prompt and the draft with a real tokenizer, and a whole
// edit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "decoding/model/model_loader.h"
#include "decoding/model/model_store.h"
#include "decoding/model/tokenizer_loader.h"
#include "workspace/edit/prompt.h"
#include "workspace/edit/run_edit.h"
#include "workspace/engine/local_engine.h"

namespace redraft {
namespace {

constexpr const char* kModel = "qwen2.5-coder-0.5b";

// Windows line endings, and none at the end.
const std::string kText =
    "import math\r\n\r\n\r\ndef area(radius):\r\n\treturn math.pi * radius ** 2\r\n\r\n\r\n"
    "def ring_area(outer, inner):\r\n\treturn area(outer) - "
    "area(inner)\r\n\r\n\r\nprint(ring_area(3, 2))";

std::shared_ptr<const Document> document(const std::string& text) {
  return *Document::make("file:///shapes.py", 1, text, "python");
}

// `cost`: what passes cost, as if the machine were another one; empty: what they do.
std::unique_ptr<LocalEngine> load_engine(const char* name, ThreadPool& pool, int context_limit,
                                         const std::string& cost = "") {
  const auto file = find_model(name);
  EXPECT_TRUE(file) << file.error().message();
  auto loaded = load_model(*file, pool);
  EXPECT_TRUE(loaded) << loaded.error().message();
  LocalEngine::Model target{loaded->name, std::move(loaded->model), loaded->tokenizer};
  if (!cost.empty()) {
    const auto points = CostCurve::parse_points(cost);
    EXPECT_TRUE(points) << points.error().message();
    target.find_cost = [curve = CostCurve(*points)](LanguageModel&) { return curve; };
  }
  auto engine = LocalEngine::make(std::move(target), {}, {.context_limit = context_limit});
  EXPECT_TRUE(engine) << engine.error().message();
  return *std::move(engine);
}

int threads() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

class ModelPromptTest : public testing::TestWithParam<const char*> {};

// The draft must consist of the very tokens that the model has read: others would be rejected at
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

// On this machine, and on one ten times slower and ten times faster: how much is drafted and read
// at once follows from what passes cost, and no more than that.
class ModelEditTest : public testing::TestWithParam<std::string> {};

constexpr const char* kMachines[] = {"this_machine", "a_slow_machine", "a_fast_machine"};

INSTANTIATE_TEST_SUITE_P(On, ModelEditTest,
                         testing::Values("", REDRAFT_SLOW_MACHINE, REDRAFT_FAST_MACHINE),
                         [](const testing::TestParamInfo<std::string>& machine) {
                           return std::string(kMachines[machine.index]);
                         });

TEST_P(ModelEditTest, AnEditIsTheSameWithAndWithoutDraftsAndKeepsEveryOtherByte) {
  ThreadPool pool(threads());
  const std::unique_ptr<LocalEngine> engine = load_engine(kModel, pool, 2048, GetParam());

  EditRequest request;
  request.document = document(kText);
  request.instruction = "Rename the function area to circle_area, its calls too.";
  request.model_renames = true;
  request.decoder = *parse_decoder_name("ar");
  const Result<EditResult> plain = run_edit(*engine, request, {}, {});
  ASSERT_TRUE(plain) << plain.error().message();
  request.decoder = *parse_decoder_name("redraft");
  const Result<EditResult> drafted = run_edit(*engine, request, {}, {});
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

std::string functions(const std::string& name, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    text += "def " + name + "_" + number + "(value):\n    return value * " + number + "\n\n\n";
  }
  return text;
}

TEST_P(ModelEditTest, TextsStayWarmInTurnAndWriteWhatTheyWouldAlone) {
  ThreadPool pool(threads());
  const std::unique_ptr<LocalEngine> engine = load_engine(kModel, pool, 2048, GetParam());
  EditRequest request;
  request.decoder = *parse_decoder_name("redraft");
  request.max_new_tokens = 40;
  const auto edit = [&](const std::string& text, const std::string& instruction) {
    request.document = document(text);
    request.instruction = instruction;
    const Result<EditResult> result = run_edit(*engine, request, {}, {});
    EXPECT_TRUE(result) << result.error().message();
    return *result;
  };
  const std::string texts[] = {functions("scale", 12), functions("weight", 12)};
  const std::string instructions[] = {"Add a docstring to every function.",
                                      "Annotate the types of every function."};
  std::vector<std::string> cold;
  for (const std::string& text : texts) {
    for (const std::string& instruction : instructions) {
      engine->clear_caches();
      const EditResult result = edit(text, instruction);
      EXPECT_EQ(result.statistics.cached_prompt_tokens, 0);
      cold.push_back(result.output);
    }
  }
  engine->clear_caches();
  for (const std::string& text : texts) edit(text, "Tidy up.");
  for (int i = 0; i < 4; ++i) {
    const EditResult warm = edit(texts[i % 2], instructions[i / 2]);
    EXPECT_EQ(warm.output, cold[2 * (i % 2) + i / 2]);
    const int n_text = static_cast<int>(engine->tokenizer().encode(texts[i % 2]).size());
    EXPECT_GE(warm.statistics.cached_prompt_tokens, n_text - 2);
    EXPECT_LE(warm.statistics.prefilled_tokens, 60);
  }
  EXPECT_EQ(engine->cache_statistics().caches, 2);
}

// How long it takes is measured, not tested.
TEST(ModelEdit, ACancelOfALongReadReturnsWithinAChunk) {
  ThreadPool pool(threads());
  const std::unique_ptr<LocalEngine> engine = load_engine("qwen2.5-coder-1.5b", pool, 16384);
  using Clock = std::chrono::steady_clock;
  EditRequest request;
  request.document = document(functions("scale", 300));
  request.instruction = "Tidy up.";
  request.decoder = *parse_decoder_name("ar");
  std::stop_source stop;
  Clock::time_point asked;
  Clock::time_point last = Clock::now();
  double longest = 0;     // seconds between two reports
  int reports_since = 0;  // the cancel
  std::jthread canceller;
  EditObserver observer;
  observer.on_progress = [&](const EditProgress& progress) {
    EXPECT_TRUE(progress.reading());
    const auto now = Clock::now();
    longest = std::max(longest, std::chrono::duration<double>(now - last).count());
    last = now;
    if (stop.stop_requested()) ++reports_since;
    if (progress.statistics.prefilled_tokens < 400 || canceller.joinable()) return;
    canceller = std::jthread([&] {  // a little later, in the middle of a chunk
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      asked = Clock::now();
      stop.request_stop();
    });
  };
  const Result<EditResult> result = run_edit(*engine, request, observer, stop.get_token());
  const auto returned = Clock::now();
  ASSERT_TRUE(canceller.joinable());
  canceller.join();
  const double waited = std::chrono::duration<double>(returned - asked).count();
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->finish_reason, FinishReason::kCancelled);
  EXPECT_GT(result->statistics.prompt_tokens, 4000);
  EXPECT_LE(reports_since, 1) << "of the chunk that was under way";
  RecordProperty("milliseconds_from_cancel_to_return", static_cast<int>(1e3 * waited));
  RecordProperty("milliseconds_of_longest_chunk", static_cast<int>(1e3 * longest));
}

}  // namespace
}  // namespace redraft
