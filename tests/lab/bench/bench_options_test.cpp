// Which runs may be continued with which command is decided by the settings in the first line of
// their log, which options make.
#include "lab/bench/bench_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "lab/bench/quality_options.h"

namespace redraft::cli {
namespace {

using Values = std::map<std::string, std::string>;  // of options, by name

// Each option changes the settings if it is one of `decide`, and not if it is one of `others`.
// `settings`: those of a command line. Adds to `seen`.
void expect_each_decides(
    const CLI::App& app, const Values& decide, const Values& others, std::set<std::string>& seen,
    const std::function<nlohmann::ordered_json(const std::string& line)>& settings) {
  const auto before = settings("--data a");
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (name == "--help") continue;
    seen.insert(name);
    const bool decides = decide.contains(name);
    ASSERT_TRUE(decides || others.contains(name)) << name << " is not in this test";
    const std::string value = decides ? decide.at(name) : others.at(name);
    const std::string data = name == "--data" ? " " : "--data a ";
    EXPECT_EQ(settings(data + name + " " + value) != before, decides) << name;
  }
}

class BenchOptions : public testing::Test {
 protected:
  BenchOptions() {
    std::string name = (std::filesystem::temp_directory_path() / "redraft-bench-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    folder_ = name;
    for (const char* file : {"a", "b"}) std::ofstream(folder_ / file) << file;
    std::filesystem::create_directory(folder_ / "h");
    std::ofstream(folder_ / "h" / "draft_head.safetensors") << "h";
    std::filesystem::current_path(folder_);
  }
  ~BenchOptions() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  // As TaskBench makes them: of what a command line says.
  static nlohmann::ordered_json settings(TaskKind kind, const std::string& command_line) {
    TaskBenchOptions options;
    options.kind = kind;
    CLI::App app;
    add_options(CommandLine(&app), options);
    app.parse(command_line);
    std::vector<DecoderName> decoders;
    for (const std::string& text : options.decoders) {
      Result<DecoderName> name = parse_decoder_name(text);
      if (!name) throw std::runtime_error(name.error().message());
      decoders.push_back(std::move(*name));
    }
    Result<nlohmann::ordered_json> settings = option_settings(options, decoders);
    if (!settings) throw std::runtime_error(settings.error().message());
    return std::move(*settings);
  }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
  std::filesystem::path folder_;
};

constexpr const char* kHashOfA = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";

// As runs have them that were begun before options were listed: the order counts too.
TEST_F(BenchOptions, MakeTheSettingsThatRunsHaveAlready) {
  EXPECT_EQ(settings(TaskKind::kEdits, "--data a").dump(),
            std::string(R"({"bench":"edits","replay":false,"data":[{"file":"a","sha256":")") +
                kHashOfA +
                R"("}],"decoders":["ar","efficientedit:reuse-only","redraft"],)"
                R"("target":"qwen2.5-coder-1.5b","draft":"","device":"cpu","limit":0,)"
                R"("max_new_tokens":0,"context":0,"warm":false,"forget":false,"margins":false,)"
                R"("pass_at_1":false,"python":"","instruction":"descriptive",)"
                R"("prompt_order":"buffer-first","chat":false,"left_only":false,"snippets":0,)"
                R"("replay_draft":-1,"draft_cost":0.4,"replay_on_device":false,"curve":""})");
  EXPECT_EQ(
      settings(TaskKind::kEdits,
               "--data a --replay-outputs a --common a --decoders ar,redraft --target t --draft d "
               "--limit 3 --max-new-tokens 4 --context 5 --warm --forget --margins --pass-at-1 "
               "--python p --instruction lazy --prompt-order instruction-first --replay-draft 6 "
               "--draft-cost 0.5 --replay-on-device --curve 1:1")
          .dump(),
      std::string(R"({"bench":"edits","replay":true,"data":[{"file":"a","sha256":")") + kHashOfA +
          R"("}],"replay_outputs":{"file":"a","sha256":")" + kHashOfA +
          R"("},"common":[{"file":"a","sha256":")" + kHashOfA +
          R"("}],"decoders":["ar","redraft"],"target":"t","draft":"d","device":"cpu","limit":3,)"
          R"("max_new_tokens":4,"context":5,"warm":true,"forget":true,"margins":true,)"
          R"("pass_at_1":true,"python":"p","instruction":"lazy",)"
          R"("prompt_order":"instruction-first","chat":false,"left_only":false,"snippets":0,)"
          R"("replay_draft":6,"draft_cost":0.5,"replay_on_device":true,"curve":"1:1"})");
}

// What decides results is in the settings, what decides nothing is not.
TEST_F(BenchOptions, EachDecidesResultsOrDoesNot) {
  const Values decide = {
      {"--data", "b"},
      {"--decoders", "ar"},
      {"--limit", "2"},
      {"--max-new-tokens", "2"},
      {"--context", "2"},
      {"--warm", ""},
      {"--common", "b"},
      {"--forget", ""},
      {"--margins", ""},
      {"--pass-at-1", ""},
      {"--python", "x"},
      {"--instruction", "lazy"},
      {"--prompt-order", "instruction-first"},
      {"--chat", ""},
      {"--left-only", ""},
      {"--snippets", "2"},
      {"--rag", "repocoder"},
      {"--mtbench-turn2", ""},
      {"--as-server", ""},
      {"--context-tokens", "2"},
      {"--replay", ""},
      {"--replay-outputs", "b"},
      {"--replay-draft", "2"},
      {"--replay-on-device", ""},
      {"--draft-cost", "2"},
      {"--curve", "1:1"},
      {"--target", "x"},
      {"--draft", "x"},
      {"--head", "h"},
      {"--device", "cuda"},
  };
  // Those of a run that is timed are in the settings with what is known of the machine.
  const Values decide_nothing_here = {
      {"--out", "x"},     {"--step-by-step", ""},    {"--trace-tokens", "x"},
      {"--threads", "2"}, {"--kernels", "portable"}, {"--log-level", "off"}};
  std::set<std::string> seen;
  for (const TaskKind kind :
       {TaskKind::kEdits, TaskKind::kDialogue, TaskKind::kGeneration, TaskKind::kCompletion}) {
    TaskBenchOptions options;
    options.kind = kind;
    CLI::App app;
    add_options(CommandLine(&app), options);
    expect_each_decides(app, decide, decide_nothing_here, seen,
                        [&](const std::string& line) { return settings(kind, line); });
  }
  EXPECT_EQ(seen.size(), decide.size() + decide_nothing_here.size());
}

TEST_F(BenchOptions, AreThoseOfTheKind) {
  EXPECT_THROW(settings(TaskKind::kDialogue, "--data a --pass-at-1"), CLI::ParseError);
  EXPECT_THROW(settings(TaskKind::kEdits, "--data a --chat"), CLI::ParseError);
  EXPECT_THROW(settings(TaskKind::kGeneration, "--data a --snippets 3"), CLI::ParseError);
  EXPECT_THROW(settings(TaskKind::kCompletion, "--data a --instruction lazy"), CLI::ParseError);
  EXPECT_THROW(settings(TaskKind::kEdits, ""), CLI::ParseError);
  EXPECT_THROW(settings(TaskKind::kEdits, "--data a --limit 0"), CLI::ParseError);
  EXPECT_THROW(settings(TaskKind::kEdits, "--data a --out x --step-by-step"), CLI::ParseError);
}

struct ParsedQuality {
  QualityOptions options;
  std::string command, stored_command;
};

ParsedQuality quality(const std::string& command_line) {
  ParsedQuality parsed;
  CLI::App app;
  add_quality_options(CommandLine(&app), parsed.options);
  app.parse(command_line);
  parsed.command = command_of(CommandLine(&app), Choosing::kShown);
  parsed.stored_command = command_of(CommandLine(&app), Choosing::kOmitted);
  return parsed;
}

nlohmann::ordered_json quality_settings(const std::string& command_line) {
  Result<nlohmann::ordered_json> settings = settings_of(quality(command_line).options);
  if (!settings) throw std::runtime_error(settings.error().message());
  return std::move(*settings);
}

// Of `redraft bench quality`, too. What chooses among measurements decides none.
TEST_F(BenchOptions, OfQualityEachDecideResultsOrDoNot) {
  const Values decide = {
      {"--data", "b"},
      {"--instruction", "lazy"},
      {"--scope", "file"},
      {"--context-tokens", "0"},
      {"--gates", "0.3"},
      {"--completion-context-tokens", "9"},
      {"--next-edit-format", "zeta"},
      {"--prompt-size", "large"},
      {"--pass-at-1", ""},
      {"--python", "x"},
      {"--dry-run", ""},
      {"--target", "x"},
      {"--draft", "x"},
      {"--head", "h"},
      {"--device", "cuda"},
  };
  const Values decide_nothing_here = {
      {"--measure", "edits"}, {"--half", "dev"},         {"--limit", "2"},
      {"--out", "x"},         {"--compare", "x y"},      {"--report", "x"},
      {"--threads", "2"},     {"--kernels", "portable"}, {"--log-level", "off"}};
  QualityOptions options;
  CLI::App app;
  add_quality_options(CommandLine(&app), options);
  std::set<std::string> seen;
  expect_each_decides(app, decide, decide_nothing_here, seen, quality_settings);
  EXPECT_EQ(seen.size(), decide.size() + decide_nothing_here.size());
}

TEST_F(BenchOptions, OfQualityGoTogetherOrDoNot) {
  const auto sound = [](const std::string& line) { return bool(check(quality(line).options)); };
  EXPECT_TRUE(sound("--data a"));
  EXPECT_TRUE(sound("--compare a b"));
  EXPECT_TRUE(sound("--report a"));
  EXPECT_FALSE(sound(""));
  EXPECT_FALSE(sound("--data a --report b"));
  EXPECT_TRUE(sound("--data a --dry-run --measure edits"));
  EXPECT_FALSE(sound("--data a --dry-run --measure completion"));
  EXPECT_FALSE(sound("--data a --dry-run --pass-at-1"));
  EXPECT_THROW(quality("--data a --half 0"), CLI::ParseError);
  EXPECT_THROW(quality("--compare a"), CLI::ParseError);
}

TEST_F(BenchOptions, OfQualityMakeTheTitlesCommand) {
  const ParsedQuality parsed =
      quality("--data h/../a --data b --gates 0,0.4 --pass-at-1 --half test --limit 3 --out x");
  EXPECT_EQ(parsed.command,
            "redraft bench quality --data a --data b --half test --limit 3 --pass-at-1 --gates "
            "0,0.4");
  EXPECT_EQ(parsed.stored_command,
            "redraft bench quality --data a --data b --pass-at-1 --gates 0,0.4");
}

TEST_F(BenchOptions, NameAFileThatCannotBeRead) {
  EXPECT_THROW(settings(TaskKind::kEdits, "--data missing"), std::runtime_error);
}

}  // namespace
}  // namespace redraft::cli
