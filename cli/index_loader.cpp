#include "cli/index_loader.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "cli/machine.h"
#include "decoding/model/model_loader.h"
#include "decoding/model/model_store.h"
#include "indexing/ignore_files.h"

namespace redraft::cli {

Result<std::unique_ptr<WorkspaceIndex>> load_index(
    const CommonOptions& common, const std::vector<std::filesystem::path>& folders,
    IndexOptions options, std::string& message) {
  const Result<std::filesystem::path> model = find_model(common.target);
  if (!model) return model.error();
  const Result<std::shared_ptr<const Tokenizer>> tokenizer = load_tokenizer(*model);
  if (!tokenizer) return tokenizer.error();
  options.scan.user_ignore_file = default_user_ignore_file();
  options.threads = common.threads > 0 ? common.threads : physical_cores();
  return open_index(folders, *tokenizer, options, message);
}

Result<void> update_index(WorkspaceIndex& index, StatusLine& status, const std::stop_token& stop,
                          RefreshReport& report) {
  using Clock = std::chrono::steady_clock;
  status.show("looking at the files");
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
  const Result<void> saved = index.store().save();
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return saved;
}

std::string megabytes(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

}  // namespace redraft::cli
