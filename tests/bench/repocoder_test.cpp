#include "bench/repocoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/task_runner.h"
#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/scripted_model.h"
#include "tests/kit/temp_folder.h"
#include "workspace/engine/local_engine.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A line of one word, `count` times.
std::string lines(int count, const std::string& word = "line") {
  std::string text;
  for (int i = 0; i < count; ++i) text += word + "\n";
  return text;
}

std::vector<std::string> texts(const std::vector<RepositoryWindow>& windows) {
  std::vector<std::string> texts;
  for (const RepositoryWindow& window : windows) texts.emplace_back(window.text);
  return texts;
}

class RepoCoder : public testing::Test {
 protected:
  std::vector<std::string> found(const std::vector<StoredFile>& files, const std::string& query,
                                 const std::string& except = "", std::size_t count = 10) const {
    return texts(RepositoryWindows(files, *tokenizer_).most_alike(query, except, count));
  }

  std::shared_ptr<const Tokenizer> tokenizer_ =
      word_tokenizer({"alpha", "beta", "gamma", "delta", "line"});
};

TEST_F(RepoCoder, WindowsOverlapByHalf) {
  const std::string text = lines(10, "alpha") + lines(10, "beta") + lines(10, "gamma") + "delta";
  EXPECT_THAT(found({{"a", text}}, "alpha"), ElementsAre(lines(10, "alpha") + lines(10, "beta")));
  EXPECT_THAT(found({{"a", text}}, "beta"), ElementsAre(lines(10, "alpha") + lines(10, "beta"),
                                                        lines(10, "beta") + lines(10, "gamma")));
  EXPECT_THAT(found({{"a", text}}, "delta"), ElementsAre(lines(10, "gamma") + "delta"));
  EXPECT_THAT(found({{"a", lines(20)}}, "line"), ElementsAre(lines(20)));
  EXPECT_THAT(found({{"a", ""}, {"b", "\n\n"}}, "line"), ElementsAre());
}

// alpha beta against alpha: 1 of 2; against alpha gamma: 1 of 3; against both: 2 of 2.
TEST_F(RepoCoder, TheMostAlikeOfAllTokensComesFirst) {
  const std::vector<StoredFile> files = {{"a", "alpha\ngamma\n"},
                                         {"b", "alpha\n"},
                                         {"c", "gamma\n"},
                                         {"d", "  beta\nalpha\nalpha\nalpha\n"}};
  EXPECT_THAT(found(files, "alpha\n\tbeta\n"),
              ElementsAre(files[3].content, files[1].content, files[0].content));
  EXPECT_THAT(found(files, "alpha\nbeta\n", "", 1), ElementsAre(files[3].content));
  EXPECT_THAT(found(files, "alpha\nbeta\n", "d", 1), ElementsAre(files[1].content));
}

TEST_F(RepoCoder, TheSecondQueryEndsWithWhatWasWritten) {
  const std::string before = lines(15, "alpha") + lines(9, "beta") + "  ret";
  EXPECT_EQ(second_query(before, "urn x\ny\n"), lines(9, "beta") + "  return x\ny\n");
  EXPECT_EQ(second_query("a\n", lines(12)), "a\n" + lines(10));
  EXPECT_EQ(second_query("", ""), "");
}

TEST_F(RepoCoder, WindowsAreCommentsUnderTheirPath) {
  const std::vector<StoredFile> files = {{"lib/a.py", "alpha\n\tbeta\r\n"}, {"b.go", "alpha"}};
  const std::vector<RepositoryWindow> windows =
      RepositoryWindows(files, *tokenizer_).most_alike("beta alpha", "", 10);
  const std::string best = "# From lib/a.py:\n# alpha\n# \tbeta\n\n";
  const std::string other = "# From b.go:\n# alpha\n\n";
  EXPECT_EQ(windows_as_comments(windows, "x.py", *tokenizer_, 1000), other + best);
  const std::size_t room = tokenizer_->encode(best).size();
  EXPECT_EQ(windows_as_comments(windows, "x.py", *tokenizer_, room + 1), best);
  EXPECT_EQ(windows_as_comments(windows, "x.py", *tokenizer_, room - 1), "");
  EXPECT_THAT(windows_as_comments(windows, "x.cpp", *tokenizer_, 1000), HasSubstr("\n// \tbeta\n"));
}

// What the first round wrote finds what the text before the place could not.
TEST_F(RepoCoder, TheSecondRoundFindsWhatTheFirstCouldNot) {
  const std::vector<StoredFile> files = {
      {"main.py", "alpha gamma\n"}, {"first.py", "alpha\n"}, {"second.py", "gamma\n"}};
  const RepositoryWindows windows(files, *tokenizer_);
  std::vector<std::string> shown;
  const auto write = [&](const std::string& beginning) -> Result<std::string> {
    shown.push_back(beginning);
    return std::string("gamma");
  };
  const Result<std::string> measured =
      repocoder_text(windows, *tokenizer_, {"main.py", lines(30, "beta") + "alpha\n", 1000}, write);
  ASSERT_TRUE(measured);
  EXPECT_THAT(shown, ElementsAre("# From first.py:\n# alpha\n\n"));
  EXPECT_THAT(*measured, HasSubstr("# From second.py:\n# gamma\n"));
  EXPECT_THAT(*measured, HasSubstr("first.py"));
  EXPECT_THAT(*measured, Not(HasSubstr("main.py")));
  const auto failed = repocoder_text(windows, *tokenizer_, {"main.py", "alpha\n", 1000},
                                     [](const std::string&) { return Error("no model"); });
  EXPECT_FALSE(failed);
}

// As `redraft bench completion --rag repocoder` runs it: a model that writes "gamma" after anything
// that has none.
class RepoCoderRun : public RepoCoder {
 protected:
  void SetUp() override {
    const TokenId gamma = tokenizer_->encode("gamma").front();
    const TokenId delta = tokenizer_->encode("delta").front();
    auto model = std::make_unique<ScriptedModel>(
        tokenizer_->vocabulary_size(), 4096, [gamma, delta](std::span<const TokenId> sequence) {
          return std::ranges::count(sequence, gamma) == 0 ? gamma : delta;
        });
    LocalEngine::Model target{"scripted", std::move(model), tokenizer_};
    target.find_cost = [](LanguageModel&) { return CostCurve(); };
    engine_ = std::move(*LocalEngine::make(std::move(target), {}, {.context_limit = 4096}));
    folder_.write("repo.jsonl", R"({"path": "main.py", "content": "x\nalpha\ngamma\ny\n"})"
                                "\n"
                                R"({"path": "first.py", "content": "alpha\n"})"
                                "\n"
                                R"({"path": "second.py", "content": "delta\n"})"
                                "\n");
    task_.kind = TaskKind::kCompletion;
    task_.id = "t";
    task_.file_name = "main.py";
    task_.prompt = "x\nalpha\n";
    task_.hidden = HiddenLines{folder_ / "repo.jsonl", "main.py", 3, 3};
    plan_.decoders = {*parse_decoder_name("ar"), *parse_decoder_name("pld")};
    plan_.step = {.left_only = true, .snippet_tokens = 1000, .repocoder = true};
    plan_.step.max_new_tokens = 2;
  }

  Result<RunReport> run() {
    plan_.tasks = {task_};
    RunHooks hooks;
    hooks.on_step = [this](const BenchTask&, int, const BenchStep& step) -> Result<void> {
      prompt_ = tokenizer_->decode(step.request.prompt);
      return {};
    };
    return run_tasks(*engine_, plan_, {}, {}, hooks, {});
  }

  TempFolder folder_;
  std::unique_ptr<LocalEngine> engine_;
  BenchTask task_;
  RunPlan plan_;
  std::string prompt_;
};

TEST_F(RepoCoderRun, MeasuresTheSecondPrompt) {
  const Result<RunReport> report = run();
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(report->records.size(), 2U);
  EXPECT_EQ(prompt_, "# From second.py:\n# delta\n\n# From first.py:\n# alpha\n\nx\nalpha\n");
  for (const TaskRecord& record : report->records) {
    EXPECT_TRUE(record.identical);
    EXPECT_EQ(record.statistics.prompt_tokens,
              static_cast<int>(tokenizer_->encode(prompt_).size()));
    EXPECT_EQ(record.statistics.new_tokens, 2);
    EXPECT_EQ(record.statistics.cached_prompt_tokens, 0) << "each reads the whole prompt";
  }
}

TEST_F(RepoCoderRun, WithoutItNothingOfThatIsShown) {
  plan_.step.repocoder = false;
  plan_.step.snippet_tokens = 0;
  ASSERT_TRUE(run());
  EXPECT_EQ(prompt_, "x\nalpha\n");
}

TEST_F(RepoCoderRun, ATaskWithoutARepositoryIsSkipped) {
  task_.hidden.reset();
  const Result<RunReport> report = run();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->records.empty());
  ASSERT_EQ(report->skipped.size(), 1U);
  EXPECT_THAT(report->skipped[0].reason, HasSubstr("no repository"));
}

}  // namespace
}  // namespace redraft
