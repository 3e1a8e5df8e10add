#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/quality/half.h"
#include "bench/quality/quality_tasks.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "support/result.h"
#include "workspace/documents/edit_region.h"
#include "workspace/engine/prompt_size.h"

namespace redraft::cli {

// The options of `redraft bench quality`, as they are given.
struct QualityOptions {
  CommonOptions common;
  std::vector<std::string> data;
  std::vector<std::string> measures;  // empty: by the fields of the tasks
  std::string half;                   // empty: both
  int limit = 0;
  std::string instruction = "descriptive";
  std::string scope;                                           // empty: what a cursor means
  std::optional<PromptSize> prompt_size = kDefaultPromptSize;  // nothing: this machine's
  int context_tokens = -1;                                     // -1: by the size
  std::vector<double> gates;  // empty: the default of completion.minProbability
  int completion_context_tokens = 0;
  std::string next_edit_format;
  bool pass_at_1 = false;
  std::string python;
  bool dry_run = false;
  std::string out;
  std::vector<std::string> compare;  // two files
  std::string report;
};

void add_quality_options(CommandLine quality, QualityOptions& options);

// The error says why these options cannot be combined.
Result<void> check(const QualityOptions& options);
QualityChoice choice_of(const QualityOptions& options);
std::optional<EditScope> scope_of(const QualityOptions& options);

// The options that determine results: a file with other settings is not continued. The options that
// choose among the measurements (--measure, --half, --limit) are not settings, so that a later
// command can add measurements to a file.
Result<nlohmann::ordered_json> settings_of(const QualityOptions& options);

// The command as it was given, for titles: files without their folders, and without options that do
// not matter for results. Call it after parsing. Files store the command without the options that
// choose measurements, because later commands may add some.
enum class Choosing { kShown, kOmitted };
std::string command_of(const CommandLine& quality, Choosing choosing);

}  // namespace redraft::cli
