// Every client gets the same decision for the same request: the workspace, the command line and
// `bench quality`, compared with run_edit().
#include <gtest/gtest.h>

#include <random>

#include "bench/quality/edit_quality.h"
#include "cli/edit_request.h"
#include "tests/workspace/workspace_fixture.h"
#include "workspace/edit/edit_plan.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

constexpr int kRequests = 150;

// Has functions, so that cursors have regions. Beyond what the scripted machine writes in a few
// seconds, kPlaces chooses parts.
std::string functions(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string name = "step_" + std::to_string(i);
    text += "def " + name + "(value):\n    size = value + 1\n    return size\n\n\n";
  }
  return text;
}

const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = {kText, functions(3), functions(100),
                                               "one\n\ntwo words\n", "value = 1\n"};
  return all;
}

const std::vector<std::string> kInstructions = {
    "change it",          "rename value to amount",      "rename value to amount, faster",
    "value -> n",         "rename `size` to `length`",   "rename missing to found",
    "step_2 returns two", "replace value with quantity", "please rename step_1 to first_step"};

const std::vector<std::string> kChanges = {
    "def step_1(value):\n    return value\n",
    "```python\ndef second(value):\n    return value\n```\n", "    return size\n", "one\ntwo\n",
    "<<<<<<< SEARCH\nvalue = 1\n=======\nvalue = 2\n>>>>>>> REPLACE\n"};

template <typename List>
const auto& any_of(const List& list, std::mt19937& random) {
  return list[random() % list.size()];
}

EditRequest random_request(std::mt19937& random) {
  EditRequest request;
  const std::string& text = any_of(texts(), random);
  const char* language = random() % 8 == 0 ? "" : "python";
  request.document = *Document::make(kUri, 1, text, language);
  request.decoder = *parse_decoder_name("ar");
  if (random() % 5 == 0) {
    request.change = any_of(kChanges, random);
  } else {
    request.instruction = any_of(kInstructions, random);
    if (random() % 4 == 0) request.retry_index = 1;
  }
  const std::size_t at = random() % text.size();
  if (random() % 3 > 0)
    request.range = ByteRange{at, std::min(text.size(), at + (random() % 2) * (random() % 200))};
  constexpr std::array kScopes = {EditScope::kSelection, EditScope::kAround, EditScope::kAuto,
                                  EditScope::kSymbol,    EditScope::kPlaces, EditScope::kFile};
  request.scope = default_scope(request.range);
  if (random() % 2 == 0) request.scope = any_of(kScopes, random);
  request.model_renames = random() % 6 == 0;
  if (request.scope == EditScope::kPlaces && request.change.empty() && random() % 2 == 0)
    request.places = {{at, at}, {text.size() / 2, text.size() / 2}};
  return request;
}

// A model that writes that there is one line, whatever it is asked.
std::unique_ptr<LocalEngine> engine() {
  return scripted_engine([](const ScriptedPrompt& prompt) { return "pass\n" + prompt.fence; });
}

struct Seen {
  std::string error, kind, text;
  ByteRange region = {};
  friend bool operator==(const Seen&, const Seen&) = default;
};
void PrintTo(const Seen& seen, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << seen.kind << " of " << seen.region.begin << ".." << seen.region.end << ", " << seen.error;
}

Seen seen(const EditResult& result) {
  return {{}, to_string(result.kind), result.text, result.region};
}

Seen expected(const EditRequest& request) {
  const auto made = engine();
  const Result<EditResult> result = run_edit(*made, request, {}, {});
  if (!result) return {result.error().message(), {}, {}};
  return seen(*result);
}

class EditClients : public WorkspaceTest {
 protected:
  Seen by_workspace(const EditRequest& request) {
    start(
        [](const LoadControl&) -> Result<std::unique_ptr<Engine>> { return as_engine(engine()); });
    EXPECT_TRUE(
        workspace_->open(kUri, 1, request.document->text(), request.document->language_id()));
    const Result<EditId> id = workspace_->edit(kUri, 1, request);
    if (!id) return {id.error().message(), {}, {}};
    finish();
    const bool is_done = results_.contains(*id);
    Seen result = is_done ? seen(results_[*id]) : Seen{ends_[*id].error, {}, {}};
    workspace_.reset();
    ends_.clear(), results_.clear(), over_.clear(), hunks_.clear();
    return result;
  }
};

std::mt19937 random_of(int seed) { return std::mt19937(static_cast<std::uint32_t>(seed)); }

TEST_F(EditClients, TheWorkspaceDecidesAsRunEditDoes) {
  std::map<std::string, int> kinds;
  for (int seed = 0; seed < kRequests; ++seed) {
    std::mt19937 random = random_of(seed);
    const EditRequest request = random_request(random);
    const Seen wanted = expected(request);
    ++kinds[wanted.kind];
    EXPECT_EQ(by_workspace(request), wanted)
        << "seed " << seed << ": " << request.instruction << request.change;
  }
  for (const EditKind kind : {EditKind::kCertainChange, EditKind::kRename, EditKind::kRegion,
                              EditKind::kPlaces, EditKind::kRetry})
    EXPECT_GT(kinds[to_string(kind)], 2) << to_string(kind);
}

std::optional<cli::TextRange> text_range(const EditRequest& request) {
  if (!request.range) return std::nullopt;
  return cli::to_text_range(*request.range, *request.document);
}

TEST_F(EditClients, TheCommandLineDecidesAsRunEditDoes) {
  for (int seed = 0; seed < kRequests; ++seed) {
    std::mt19937 random = random_of(seed);
    EditRequest request = random_request(random);
    request.retry_index = 0;  // it has no options for these two
    request.places.clear();
    const Result<EditRequest> made = cli::edit_request({.instruction = request.instruction,
                                                        .change = request.change,
                                                        .range = text_range(request),
                                                        .scope = request.scope,
                                                        .decoder = request.decoder,
                                                        .names_model = request.model_renames},
                                                       request.document);
    ASSERT_TRUE(made) << made.error().message();
    const auto machine = engine();
    const Result<FirstDecision> first = decide_without_model(*made);
    Seen result;
    if (!first) {
      result.error = first.error().message();
    } else if (const auto done = carry_out_without_model(*made, *first)) {
      result = seen(*done);
    } else {
      const auto ran = run_task(*machine, *made, std::get<ModelTask>(*first), {}, {});
      result = ran ? seen(*ran) : Seen{ran.error().message(), {}, {}};
    }
    EXPECT_EQ(result, expected(request)) << "seed " << seed;
  }
}

TEST_F(EditClients, BenchQualityDecidesAsRunEditDoes) {
  int renames = 0;
  for (int seed = 0; seed < kRequests; ++seed) {
    std::mt19937 random = random_of(seed);
    const std::string& before = any_of(texts(), random);
    BenchTask task;
    task.id = "task";
    task.file_name = "a.py";
    task.instruction = any_of(kInstructions, random);
    std::string after = before;
    after.insert(random() % after.size(), "x");
    task.file = {.before = before, .after = after};
    const EditQualityPlan plan{.decoder = *parse_decoder_name("ar")};
    const auto measured = measure_edit(*engine(), task, plan, {}, {});
    const auto document = *Document::make(task.file_name, 0, before, "python");
    const Seen wanted = expected(quality_request(task, plan, document));
    if (!measured) {
      EXPECT_EQ(measured.error().message(), wanted.error);
      continue;
    }
    EXPECT_EQ(measured->decision, wanted.kind) << "seed " << seed << ": " << task.instruction;
    renames += measured->decision == "rename";
    if (measured->decision == "rename") {
      EXPECT_EQ(measured->passes, 0);
    }
  }
  EXPECT_GT(renames, 10);
}

}  // namespace
}  // namespace redraft
