#include "lab/bench/quality_options.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "cli/common/misuse_reason.h"
#include "cli/common/prompt_size_store.h"
#include "decoding/model/draft_head_files.h"
#include "decoding/model/sha256.h"
#include "lsp/settings/settings.h"
#include "support/member_count.h"
#include "workspace/next_edit/edit_format.h"

namespace redraft::cli {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::pair<std::string, EditScope>> kScopes = {
    {"around", EditScope::kAround}, {"symbol", EditScope::kSymbol}, {"file", EditScope::kFile}};

template <typename Enum, std::size_t n>
std::vector<std::string> names_of(const std::array<Enum, n>& values) {
  std::vector<std::string> names;
  for (const Enum each : values) names.emplace_back(to_string(each));
  return names;
}

std::vector<std::string> names_of_scopes() {
  std::vector<std::string> names;
  for (const auto& [name, scope] : kScopes) names.push_back(name);
  return names;
}

std::vector<std::string> names_of_formats() {
  std::vector<std::string> names = {std::string(kFormatByModel), std::string(kNoFormat)};
  for (const NextEditFormat& format : next_edit_formats()) names.emplace_back(format.name);
  return names;
}

void add_choice(CommandLine quality, QualityOptions& options) {
  quality.add_option("--data", options.data, "Task files, JSON lines");
  quality
      .add_option("--measure", options.measures,
                  "Only these measures, separated by commas (default: by the fields of the tasks; "
                  "commits are edits and next edits)")
      .delimiter(',')
      .check(any_of(names_of(kMeasures)));
  quality
      .add_option("--half", options.half,
                  "One half of the tasks, by a hash of their ids: choose on dev, report on test")
      .check(any_of(names_of(kHalves)));
  quality
      .add_option("--limit", options.limit, "Tasks of each file and measure to run, from the first")
      .check(in_range(1, 1 << 20));
}

void add_edits(CommandLine quality, QualityOptions& options) {
  constexpr const char* kGroup = "Edits";
  quality
      .add_option("--instruction", options.instruction, "Which instruction, where a task has two")
      .check(any_of({"descriptive", "lazy"}))
      .show_default()
      .group(kGroup);
  quality.add_option("--scope", options.scope, "What is edited (default: what a cursor means)")
      .check(any_of(names_of_scopes()))
      .group(kGroup);
  quality
      .add_option("--context-tokens", options.context_tokens,
                  "Of the file around the region (default: by the size of prompts)")
      .check(in_range(0, 1 << 20))
      .group(kGroup);
  quality.add_flag("--pass-at-1", options.pass_at_1, "Run the tests of Python tasks, in a sandbox")
      .group(kGroup);
  quality.add_option("--python", options.python, "The Python for that").group(kGroup);
  quality
      .add_flag("--dry-run", options.dry_run,
                "Choose regions and make prompts of edits, without asking the model")
      .group(kGroup);
}

void add_others(CommandLine quality, QualityOptions& options) {
  constexpr const char* kCompletion = "Completion";
  quality
      .add_option("--gates", options.gates,
                  "Thresholds of completion.minProbability, separated by commas (default: its "
                  "default)")
      .delimiter(',')
      .check(in_range(0.0, 1.0))
      .group(kCompletion);
  quality
      .add_option("--completion-context-tokens", options.completion_context_tokens,
                  "The setting completion.contextTokens (default: by the size of prompts)")
      .check(in_range(0, 8192))
      .group(kCompletion);
  quality
      .add_option("--next-edit-format", options.next_edit_format,
                  "The setting nextEdit.format (default: by the model)")
      .check(any_of(names_of_formats()))
      .group("Next edits");
}

Result<Json> data_of(const QualityOptions& options) {
  Json list = Json::array();
  for (const std::string& file : options.data) {
    const Result<std::string> sha = sha256_of_file(file);
    if (!sha) return sha.error();
    list.push_back({{"file", std::filesystem::path(file).filename().string()}, {"sha256", *sha}});
  }
  return list;
}

// The sum of a draft head, which its folder's name does not tell.
Result<Json> head_of(const CommonOptions& common) {
  if (common.head.empty()) return Json();
  const auto file = std::filesystem::path(common.head) / DraftHeadFiles::kWeightsName;
  const Result<std::string> sha = sha256_of_file(file.string());
  if (!sha) return sha.error();
  return Json(*sha);
}

}  // namespace

void add_quality_options(CommandLine quality, QualityOptions& options) {
  static_assert(kMemberCount<QualityOptions> == 18,
                "a new option is added here, and to settings_of() if it decides results");
  add_choice(quality, options);
  add_edits(quality, options);
  add_others(quality, options);
  quality.add_option("--out", options.out,
                     "File for the figures of each task, JSON lines; one that an earlier command "
                     "with the same settings began is continued");
  quality
      .add_option("--compare", options.compare,
                  "OLD NEW: the differences of two such files, task by task; nothing is run")
      .expected(2);
  quality.add_option("--report", options.report, "The tables of such a file; nothing is run");
  add_prompt_size_option(quality, options.prompt_size);
  add_common_options(quality, options.common);
}

Result<void> check(const QualityOptions& options) {
  const int modes = static_cast<int>(!options.data.empty()) +
                    static_cast<int>(!options.compare.empty()) +
                    static_cast<int>(!options.report.empty());
  if (modes != 1)
    return Error(
        "give task files (--data), two files to compare (--compare), or one to report "
        "(--report)");
  const bool edits_only = options.measures == std::vector<std::string>{to_string(Measure::kEdits)};
  if (options.dry_run && !options.measures.empty() && !edits_only)
    return Error("--dry-run is about edits alone");
  if (options.dry_run && options.pass_at_1)
    return Error("--dry-run writes nothing that --pass-at-1 could test");
  return {};
}

QualityChoice choice_of(const QualityOptions& options) {
  QualityChoice choice{.measures = {}, .limit = options.limit, .instruction = options.instruction};
  for (const Measure measure : kMeasures) {
    if (std::ranges::find(options.measures, to_string(measure)) != options.measures.end())
      choice.measures.insert(measure);
  }
  if (options.dry_run) choice.measures = {Measure::kEdits};
  for (const Half half : kHalves) {
    if (options.half == to_string(half)) choice.half = half;
  }
  return choice;
}

std::optional<EditScope> scope_of(const QualityOptions& options) {
  for (const auto& [name, scope] : kScopes) {
    if (options.scope == name) return scope;
  }
  return std::nullopt;
}

Result<Json> settings_of(const QualityOptions& options) {
  const Result<Json> data = data_of(options);
  if (!data) return data.error();
  const Result<Json> head = head_of(options.common);
  if (!head) return head.error();
  Json settings = {
      {"data", *data},
      {"target", options.common.target},
      {"draft", options.common.draft},
      {"device", options.common.device.text()},
      {"instruction", options.instruction},
      {"scope", options.scope},
      {"prompt_size", options.prompt_size ? std::string(to_string(*options.prompt_size)) : "auto"},
      {"context_tokens", options.context_tokens},
      {"gates", options.gates.empty() ? std::vector{lsp::Settings().completion.min_probability}
                                      : options.gates},
      {"completion_context_tokens", options.completion_context_tokens},
      {"next_edit_format", options.next_edit_format},
      {"pass_at_1", options.pass_at_1},
      {"python", options.python},
      {"dry_run", options.dry_run}};
  if (!head->is_null()) settings["head"] = *head;
  return settings;
}

std::string command_of(const CommandLine& quality, Choosing choosing) {
  static const std::set<std::string> choose = {"--measure", "--half", "--limit"};
  static const std::set<std::string> decide_nothing = {"--out", "--python", "--log-level",
                                                       "--help"};
  std::string text = "redraft bench quality";
  for (const GivenOption& option : quality.given()) {
    if (decide_nothing.contains(option.name)) continue;
    if (choosing == Choosing::kOmitted && choose.contains(option.name)) continue;
    const bool is_list = option.delimiter != '\0';
    if (option.is_flag || is_list) text += " " + option.name;
    char before = ' ';
    for (const std::string& value : option.values) {
      if (option.is_flag) break;
      if (!is_list) text += " " + option.name;
      text += before + std::filesystem::path(value).filename().string();
      if (is_list) before = ',';
    }
  }
  return text;
}

}  // namespace redraft::cli
