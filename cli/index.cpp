// redraft index: builds or refreshes the index of a workspace, and prints a summary.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>

#include "cli/common/command.h"
#include "cli/common/index_loader.h"
#include "cli/common/interrupt.h"
#include "cli/common/report.h"
#include "cli/common/status_line.h"
#include "indexing/kept_indexes.h"

namespace redraft::cli {
namespace {

namespace fs = std::filesystem;

struct IndexCommandOptions {
  CommonOptions common;
  CodeFolders folders;
  bool prune = false;
  std::string forget;
  Format format = Format::kText;
};

// The total size of the files in a folder.
std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    const std::uint64_t size = entry.file_size(problem);
    if (!problem) bytes += size;
  }
  return bytes;
}

// What to print at the end.
struct Outcome {
  fs::path folder;  // of the index; empty if it is only in memory
  RefreshReport report;
  TextStore::Statistics statistics;
};

struct Outcomes {
  std::optional<Outcome> repository, common;
};

std::vector<std::pair<std::string, std::size_t>> by_count(
    const std::map<std::string, std::size_t>& languages) {
  std::vector<std::pair<std::string, std::size_t>> sorted(languages.begin(), languages.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (auto& [language, count] : sorted) {
    if (language.empty()) language = "other";
  }
  return sorted;
}

void print_text(const Outcome& outcome) {
  const RefreshReport& report = outcome.report;
  const auto row = [](const char* name, const std::string& value) {
    std::printf("%-10s%s\n", name, value.c_str());
  };
  row("index", !outcome.folder.empty() ? outcome.folder.string() : "only in memory, not saved");
  row("files", report.scan.text());
  std::string languages;
  for (const auto& [language, count] : by_count(report.languages))
    languages += (languages.empty() ? "" : ", ") + language + " " + std::to_string(count);
  row("languages", languages.empty() ? "none" : languages);
  row("read", std::to_string(report.read) + " new or changed files, " +
                  megabytes(report.read_bytes) + "; " + std::to_string(report.removed) +
                  " are gone");
  if (report.left_out > 0)
    row("left out", std::to_string(report.left_out) + " files, because the others are enough");
  char text[160];
  const TextStore::Statistics& statistics = outcome.statistics;
  std::snprintf(text, sizeof text, "%zu in %zu segments", statistics.tokens, statistics.segments);
  row("tokens", text);
  if (!outcome.folder.empty()) {
    const std::uint64_t bytes = bytes_in(outcome.folder);
    const std::size_t tokens = statistics.tokens + statistics.hidden_tokens;
    std::snprintf(text, sizeof text, "%s, %.1f bytes a token", megabytes(bytes).c_str(),
                  tokens ? static_cast<double>(bytes) / static_cast<double>(tokens) : 0.0);
    row("on disk", text);
  }
  std::snprintf(text, sizeof text, "%.2f s (%.1f MB/s)", report.seconds,
                static_cast<double>(report.read_bytes) / 1e6 / std::max(report.seconds, 1e-9));
  row("time", text);
  for (const std::string& problem : report.scan.problems) row("problem", problem);
}

nlohmann::ordered_json to_json(const Outcome& outcome) {
  const RefreshReport& report = outcome.report;
  nlohmann::ordered_json skipped = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < kSkipReasonCount; ++i) {
    if (report.scan.skipped[i] > 0)
      skipped[std::string(to_text(static_cast<SkipReason>(i)))] = report.scan.skipped[i];
  }
  nlohmann::ordered_json languages = nlohmann::ordered_json::object();
  for (const auto& [language, count] : by_count(report.languages)) languages[language] = count;
  return {{"index", !outcome.folder.empty() ? outcome.folder.string() : ""},
          {"files", report.scan.files},
          {"bytes", report.scan.bytes},
          {"languages", languages},
          {"skipped", skipped},
          {"read_files", report.read},
          {"read_bytes", report.read_bytes},
          {"refused_files", report.refused},
          {"removed_files", report.removed},
          {"left_out_files", report.left_out},
          {"tokens", outcome.statistics.tokens},
          {"hidden_tokens", outcome.statistics.hidden_tokens},
          {"segments", outcome.statistics.segments},
          {"bytes_on_disk", !outcome.folder.empty() ? bytes_in(outcome.folder) : 0},
          {"seconds", report.seconds},
          {"complete", report.scan.complete},
          {"problems", report.scan.problems}};
}

// The workspace's index, with the index of common code nested in it.
void print_json(const Outcomes& outcomes) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (outcomes.repository) json = to_json(*outcomes.repository);
  if (outcomes.common) json["common"] = to_json(*outcomes.common);
  std::cout << dump(json) << std::endl;
}

void print_text(const Outcomes& outcomes) {
  if (outcomes.repository) print_text(*outcomes.repository);
  if (!outcomes.common) return;
  std::puts(outcomes.repository ? "\ncommon code" : "common code");
  print_text(*outcomes.common);
}

// The error says what failed at the end; everything else is done. There is no outcome if nothing
// was indexed.
Result<void> build(const IndexCommandOptions& options, const std::vector<fs::path>& folders,
                   const IndexOptions& index_options, const InterruptWatch& watch,
                   std::optional<Outcome>& built) {
  std::string message;
  const auto index = load_index(options.common, folders, index_options, message);
  if (!index) return index.error();
  if (!message.empty()) std::cerr << "redraft: " << message << std::endl;
  Outcome& outcome = built.emplace();
  StatusLine status;
  (*index)->store().verify(watch.token());
  const Result<void> saved = update_index(**index, status, watch.token(), outcome.report);
  outcome.statistics = (*index)->store().statistics();
  if (!saved) return saved.error().in("cannot save the index");
  outcome.folder = (*index)->store().save_folder().value_or(fs::path());
  return {};
}

// --prune and --forget: what they removed and what remains.
int remove_indexes(const IndexCommandOptions& options) {
  if (!options.folders.repository.empty() || !options.folders.common.empty())
    return misuse(Error("--prune and --forget do not build an index. Omit the folders"));
  const std::optional<fs::path> folder = indexes_folder();
  if (!folder)
    return fail(Error("there is no cache folder: neither XDG_CACHE_HOME nor HOME is set"));
  const RemovedIndexes removed = options.prune
                                     ? prune_indexes(*folder, {.gone = std::chrono::hours(0)})
                                     : forget_indexes(*folder, options.forget);
  const std::vector<KeptIndex> rest = kept_indexes(*folder);
  std::uint64_t bytes = 0;
  for (const KeptIndex& index : rest) bytes += index.bytes;
  const auto indexes = [](std::size_t count) {
    return std::to_string(count) + (count == 1 ? " index" : " indexes");
  };
  std::cout << indexes(removed.count) << " removed, " << megabytes(removed.bytes) << "; "
            << indexes(rest.size()) << " left, " << megabytes(bytes) << std::endl;
  if (removed.in_use == 0) return kSuccess;
  return fail(Error("not removed, because a server is using it: " + indexes(removed.in_use)));
}

int run_index(const IndexCommandOptions& options) {
  if (options.prune || !options.forget.empty()) return remove_indexes(options);
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  if (options.folders.repository.empty() && options.folders.common.empty())
    return misuse(Error("give the folder to index, or --common FOLDER"));
  const InterruptWatch watch;
  if (const Result<void> checked = check(options.folders); !checked) return fail(checked.error());
  const std::vector<fs::path> repository(options.folders.repository.begin(),
                                         options.folders.repository.end());
  const std::vector<fs::path> common = common_folders(options.folders);
  if (options.folders.dependencies && common.size() == options.folders.common.size())
    std::cerr << "redraft: no packages are installed in these folders" << std::endl;
  Outcomes outcomes;
  Result<void> built;
  if (!repository.empty()) built = build(options, repository, {}, watch, outcomes.repository);
  if (built && !watch.interrupted() && !common.empty())
    built = build(options, common, kCommonCode, watch, outcomes.common);
  if (watch.interrupted()) {
    std::cerr << "redraft: interrupted. Run the same command again to continue" << std::endl;
    return kInterrupted;
  }
  const bool is_any_built = outcomes.repository || outcomes.common;
  if (options.format == Format::kJson && is_any_built) {
    print_json(outcomes);
  } else if (is_any_built) {
    print_text(outcomes);
  }
  return built ? kSuccess : fail(built.error());
}

}  // namespace

void add_index(CommandLine app, Command& chosen) {
  const CommandLine index =
      app.add_subcommand("index", "Build or refresh the index of a workspace and print a summary");
  const auto options = std::make_shared<IndexCommandOptions>();
  index.add_option("folder", options->folders.repository, "The workspace's folders");
  index.add_flag("--dependencies", options->folders.dependencies,
                 "Also index the packages installed in them (node_modules, site-packages and "
                 "similar) as common code");
  index.add_option("--common", options->folders.common, "Other folders to index as common code");
  index.add_option("--format", options->format, "Output format").transform(text_or_json());
  const Option prune = index.add_flag(
      "--prune", options->prune,
      "Remove indexes of deleted folders and, beyond 4 GiB, the least recently used ones");
  index
      .add_option("--forget", options->forget,
                  "Remove the indexes of this folder and of the folders in it")
      .type_name("DIR")
      .excludes(prune);
  add_index_options(index, options->common);
  index.callback([&chosen, options] { chosen = [options] { return run_index(*options); }; });
}

}  // namespace redraft::cli
