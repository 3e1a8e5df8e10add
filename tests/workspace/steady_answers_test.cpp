// The same request has the same prompts and the same answer on a fast machine, on a slow one, and
// under load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/kit/edit_script.h"
#include "tests/workspace/next_edit/many_calls.h"
#include "workspace/completion/completion_session.h"
#include "workspace/documents/open_documents.h"
#include "workspace/edit/run_edit.h"
#include "workspace/next_edit/next_edit.h"

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kUri = "file:///a.py";
constexpr const char* kOther = "file:///b.py";

struct Machine {
  const char* name;
  double pass_cost;  // EditScript
  double load;
  std::chrono::milliseconds delay_per_pass{0};
};

const Machine kMachines[] = {{.name = "fast", .pass_cost = 1, .load = 1},
                             {.name = "ten times slower", .pass_cost = 10, .load = 1},
                             {.name = "fast, under load", .pass_cost = 1, .load = 10},
                             {.name = "slow, under load", .pass_cost = 10, .load = 10}};

// More than any size of prompts shows around a region, and than any region has.
std::string large_file() {
  std::string text = "import math\n\n\n";
  for (int i = 0; i < 120; ++i) {
    const std::string n = std::to_string(i);
    text +=
        "class Shape" + n + ":\n    side = " + n + "\n\n    def area_of_" + n + "(self, scale):\n";
    for (int line = 0; line < 9; ++line)
      text += "        value_" + std::to_string(line) + " = old(self.side) * scale + " + n + "\n";
    text += "        return value_8\n\n\n";
  }
  return text;
}

std::shared_ptr<const Document> document_of(const std::string& text, const char* uri = kUri) {
  return *Document::make(uri, 1, text, "python");
}

// What the model was shown, how much it might write, and what it wrote.
class Log {
 public:
  explicit Log(Engine& engine) {
    const Tokenizer* tokenizer = &engine.tokenizer();
    engine.observe(
        {.on_begin =
             [this, tokenizer](Purpose, const DecoderName&, const DecodeRequest& request) {
               lines_ << "prompt: " << tokenizer->decode(request.prompt)
                      << "\nat most: " << request.max_new_tokens << "\n";
             },
         .on_emitted = {},
         .on_end =
             [this, tokenizer](const DecodeResult& result) {
               lines_ << "wrote: " << tokenizer->decode(result.tokens) << "\n";
             }});
  }
  void add(const std::string& line) { lines_ << line << "\n"; }
  std::string text() const { return lines_.str(); }

 private:
  std::ostringstream lines_;
};

EditRequest edit_request(const std::string& text, EditScope scope, const std::string& instruction,
                         const std::string& decoder) {
  EditRequest request;
  request.document = document_of(text);
  request.instruction = instruction;
  request.scope = scope;
  request.decoder = *parse_decoder_name(decoder);
  return request;
}

void edit(Engine& engine, const EditRequest& request, Log& log) {
  const EditObserver observer{.on_places = [&](const ChosenPlaces& places) {
    for (const EditPlace& place : places.chosen) log.add("place: " + place.name);
    for (const EditPlace& place : places.others) log.add("other: " + place.name);
  }};
  const Result<EditResult> result = run_edit(engine, request, observer, {});
  log.add(result ? std::string(to_string(result->kind)) + " of " + result->text
                 : result.error().message());
}

void complete(Engine& engine, const std::string& decoder, Log& log) {
  const std::string text = large_file() + "print(measure(";
  CompletionRequest request{
      .document = document_of(text), .offset = text.size(), .open = {}, .decoder = {}};
  request.open = {document_of("def measure(shape, unit):\n    return shape, unit\n", kOther)};
  request.decoder = *parse_decoder_name(decoder);
  const Result<CompletionResult> result = run_completion(engine, request, {});
  log.add(result ? "completion: " + result->text() : result.error().message());
}

void find_next_edit(Engine& engine, const std::string& decoder, Log& log) {
  OpenDocuments documents;
  ASSERT_TRUE(documents.open(kUri, 1, many_calls(), "python"));
  const std::size_t begin = many_calls().find("old(");
  ASSERT_TRUE(documents.change(kUri, 2, {TextEdit{{begin, begin + 4}, "fresh("}}));
  NextEditRequest request = next_edit_request(documents, kUri);
  request.decoder = *parse_decoder_name(decoder);
  NextEditPlan plan = plan_next_edit(request, {});
  ASSERT_FALSE(plan.result) << "the model is asked";
  const Result<NextEditResult> result = run_next_edit(engine, request, plan.search, {});
  ASSERT_TRUE(result) << result.error().message();
  log.add("next edit: " + std::to_string(result->edits.size()) + " " + result->why_none);
  for (const TextEdit& each : result->edits) log.add(each.new_text);
}

std::unique_ptr<LocalEngine> engine_of(const Machine& machine, int context_length) {
  EditScript script{.edits = {{"fresh", "old(", "fresh("}, {"", "old(", "fresh("}}};
  script.fills.fills = {{"measure(", "circle, 2)"}};
  script.delay_per_pass = machine.delay_per_pass;
  script.pass_cost = machine.pass_cost;
  script.load = machine.load;
  script.context_length = context_length;
  return *make_scripted_engine(script);
}

// Twice on the same engine: in between it notices that passes do not take what it thought.
template <typename Run>
std::string log_of(const Machine& machine, std::optional<PromptSize> size, int context_length,
                   const Run& run) {
  const std::unique_ptr<LocalEngine> engine = engine_of(machine, context_length);
  if (size) engine->set_prompt_size(*size);
  std::string first;
  for (const char* decoder : {"ar", "redraft"}) {
    Log log(*engine);
    run(*engine, decoder, log);
    if (first.empty()) first = log.text();
    EXPECT_EQ(log.text(), first) << decoder << ", " << machine.name;
    engine->clear_caches();
  }
  return first;
}

constexpr int kLongContext = 1 << 17;

// `context_length`: of the model.
template <typename Run>
void expect_steady(const Run& run, int context_length = kLongContext) {
  for (const PromptSize size : {PromptSize::kSmall, PromptSize::kMedium}) {
    std::string first;
    for (const Machine& machine : kMachines) {
      const std::string log = log_of(machine, size, context_length, run);
      EXPECT_THAT(log, HasSubstr("wrote: "));
      if (first.empty()) first = log;
      EXPECT_EQ(log, first) << machine.name << ", " << to_string(size);
    }
  }
}

const auto edit_around_a_cursor = [](Engine& engine, const char* decoder, Log& log) {
  const std::string text = large_file();
  EditRequest request = edit_request(text, EditScope::kAround, "use fresh", decoder);
  const std::size_t cursor = text.find("value_3", text.find("area_of_60"));
  request.range = ByteRange{cursor, cursor};
  edit(engine, request, log);
};

TEST(SteadyAnswers, AnEditAroundACursor) { expect_steady(edit_around_a_cursor); }

TEST(SteadyAnswers, PlacesThatTheWordsOfTheInstructionFind) {
  expect_steady([](Engine& engine, const char* decoder, Log& log) {
    edit(engine,
         edit_request(large_file(), EditScope::kPlaces, "use fresh in area_of_7 and area_of_90",
                      decoder),
         log);
  });
}

TEST(SteadyAnswers, PlacesThatTheModelChooses) {
  expect_steady([](Engine& engine, const char* decoder, Log& log) {
    edit(engine, edit_request(large_file(), EditScope::kPlaces, "make it prettier", decoder), log);
    EXPECT_THAT(log.text(), HasSubstr("Which parts have to change?"));
  });
}

TEST(SteadyAnswers, WindowsOfAFile) {
  const std::string text = large_file().substr(0, 9000);
  expect_steady(
      [&](Engine& engine, const char* decoder, Log& log) {
        edit(engine, edit_request(text, EditScope::kFile, "use fresh", decoder), log);
        EXPECT_THAT(log.text(), HasSubstr("windows of"));
      },
      /*context_length=*/8000);
}

TEST(SteadyAnswers, ACompletion) {
  expect_steady([](Engine& engine, const char* decoder, Log& log) {
    complete(engine, decoder, log);
    EXPECT_THAT(log.text(), HasSubstr("completion: circle, 2)"));
  });
}

TEST(SteadyAnswers, ANextEdit) {
  expect_steady([](Engine& engine, const char* decoder, Log& log) {
    find_next_edit(engine, decoder, log);
    EXPECT_THAT(log.text(), HasSubstr("fresh("));
  });
}

// Without a size that was chosen before, each of these machines has its own.
TEST(SteadyAnswers, DependOnTheSizeAlone) {
  const std::string fast = log_of(kMachines[0], std::nullopt, kLongContext, edit_around_a_cursor);
  const std::string slow = log_of(kMachines[1], std::nullopt, kLongContext, edit_around_a_cursor);
  EXPECT_NE(fast, slow);
  EXPECT_EQ(fast, log_of(kMachines[1], PromptSize::kLarge, kLongContext, edit_around_a_cursor));
  EXPECT_EQ(slow, log_of(kMachines[0], PromptSize::kSmall, kLongContext, edit_around_a_cursor));
}

}  // namespace
}  // namespace redraft
