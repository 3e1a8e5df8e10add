#include "cli/common/index_loader.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <system_error>
#include <utility>

#include "decoding/model/model_store.h"
#include "decoding/model/tokenizer_loader.h"
#include "indexing/files/dependencies.h"
#include "indexing/files/ignore_files.h"
#include "support/seconds_since.h"
#include "support/system/processor_cores.h"

namespace redraft::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> paths_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

Result<std::shared_ptr<const Tokenizer>> load_target_tokenizer(const CommonOptions& common) {
  const Result<ModelLocation> model = locate_model(common.target);
  if (!model) return model.error();
  return load_tokenizer(model->file);
}

std::unique_ptr<WorkspaceIndex> open_index_for(std::shared_ptr<const Tokenizer> tokenizer,
                                               const CommonOptions& common,
                                               const std::vector<fs::path>& folders,
                                               IndexOptions options, std::string& message) {
  options.scan.user_ignore_file = user_ignore_file();
  options.threads = common.threads > 0 ? common.threads : processor_cores().threads();
  return open_index(folders, std::move(tokenizer), options, message);
}

// Null if there are no folders.
std::shared_ptr<const IndexSnapshot> load_datastore(
    const std::shared_ptr<const Tokenizer>& tokenizer, const CommonOptions& common,
    const std::vector<fs::path>& folders, const IndexOptions& options, const fs::path& without,
    StatusLine& status, const std::stop_token& stop) {
  if (folders.empty()) return nullptr;
  std::string message;
  const auto index = open_index_for(tokenizer, common, folders, options, message);
  RefreshReport report;
  // An index that cannot be saved is still usable.
  [[maybe_unused]] const Result<void> saved = update_index(*index, status, stop, report);
  return index->snapshot(without);
}

}  // namespace

Result<void> check(const CodeFolders& folders) {
  for (const std::vector<std::string>* names : {&folders.repository, &folders.common}) {
    for (const std::string& name : *names) {
      std::error_code problem;
      if (!fs::exists(name, problem)) return Error(name + ": no such folder");
      if (!fs::is_directory(name, problem)) return Error(name + ": not a folder");
    }
  }
  if (folders.dependencies && folders.repository.empty())
    return Error("--dependencies requires the folder in which they are installed");
  return {};
}

std::vector<fs::path> common_folders(const CodeFolders& folders) {
  std::vector<fs::path> all = paths_of(folders.common);
  if (folders.dependencies)
    std::ranges::copy(dependency_folders(paths_of(folders.repository)), std::back_inserter(all));
  return all;
}

void add_code_options(CommandLine command, CodeFolders& folders) {
  const std::string group = "Code to draft from";
  command
      .add_option("--repository", folders.repository,
                  "The project's folders, indexed as by `redraft index`")
      .group(group);
  command.add_option("--common", folders.common, "Folders of other projects").group(group);
  command
      .add_flag("--dependencies", folders.dependencies,
                "Packages installed in the project (node_modules, site-packages and similar)")
      .group(group);
}

Result<Datastores> load_datastores(const CommonOptions& common, const CodeFolders& folders,
                                   const fs::path& without, StatusLine& status,
                                   const std::stop_token& stop) {
  const std::vector<fs::path> others = common_folders(folders);
  if (folders.repository.empty() && others.empty()) return Datastores{};
  const auto tokenizer = load_target_tokenizer(common);
  if (!tokenizer) return tokenizer.error();
  return Datastores{
      load_datastore(*tokenizer, common, paths_of(folders.repository), {}, without, status, stop),
      load_datastore(*tokenizer, common, others, kCommonCode, {}, status, stop)};
}

Result<std::unique_ptr<WorkspaceIndex>> load_index(
    const CommonOptions& common, const std::vector<std::filesystem::path>& folders,
    const IndexOptions& options, std::string& message, OneVocabulary* vocabulary) {
  const auto tokenizer = load_target_tokenizer(common);
  if (!tokenizer) return tokenizer.error();
  const Result<void> taken = vocabulary ? vocabulary->take(*tokenizer) : Result<void>();
  if (!taken) return taken.error();
  return open_index_for(*tokenizer, common, folders, options, message);
}

Result<void> update_index(WorkspaceIndex& index, StatusLine& status, const std::stop_token& stop,
                          RefreshReport& report) {
  using Clock = std::chrono::steady_clock;
  status.show("scanning files");
  const auto start = Clock::now();
  auto shown = start;
  report = index.refresh(
      [&](const IndexProgress& progress) {
        if (Clock::now() - shown < std::chrono::milliseconds(100)) return;
        shown = Clock::now();
        status.show(percent(static_cast<double>(progress.bytes) /
                            static_cast<double>(std::max<std::uint64_t>(progress.all_bytes, 1))) +
                    " · " + std::to_string(progress.files) + " of " +
                    std::to_string(progress.all_files) + " files, " + megabytes(progress.bytes));
      },
      stop);
  while (!stop.stop_requested() && index.store().merge()) {
  }
  Result<void> saved = index.store().save();
  report.seconds = seconds_since(start);
  return saved;
}

std::string megabytes(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

}  // namespace redraft::cli
