#include "lsp/status/index_status.h"

#include <string>

#include "support/files/user_folders.h"
#include "support/log/log.h"
#include "workspace/documents/file_uri.h"

namespace redraft::lsp {
namespace {

using State = IndexStatus::State;

// Reading this many bytes takes long enough to show progress.
constexpr std::uint64_t kMinShown = std::uint64_t{4} << 20;

const char* to_string(State state) {
  switch (state) {
    case State::kOpening:
      return "opening";
    case State::kReading:
      return "reading";
    case State::kReady:
      return "ready";
    case State::kFailed:
      break;
  }
  return "failed";
}

}  // namespace

std::vector<std::filesystem::path> folders_to_index(const std::vector<std::string>& uris) {
  const std::optional<std::filesystem::path> home = user_home_folder();
  std::vector<std::filesystem::path> folders;
  for (const std::string& uri : uris) {
    const auto path = path_of_uri(uri);
    if (!path || !path->has_relative_path()) continue;
    if (home && path->lexically_relative(*home).lexically_normal() == ".") continue;
    folders.push_back(*path);
  }
  return folders;
}

std::vector<std::filesystem::path> folders_named(
    const std::vector<std::string>& names, const std::vector<std::filesystem::path>& workspace) {
  const std::optional<std::filesystem::path> home = user_home_folder();
  std::vector<std::filesystem::path> folders;
  for (const std::string& name : names) {
    if (home && name.starts_with("~/")) {
      folders.push_back(*home / name.substr(2));
    } else if (name.starts_with('/')) {
      folders.emplace_back(name);
    } else if (!name.empty() && !workspace.empty()) {
      folders.push_back(workspace.front() / name);
    }
  }
  return folders;
}

void IndexReporter::on_index(const IndexStatus& status) {
  const bool news =
      !status_ || status.state != status_->state || status.message != status_->message;
  status_ = status;
  if (news && !status.message.empty()) logging::warn("index of {}: {}", what_, status.message);
  if (status.state != State::kReading) {
    progress_.reset();
    if (news)
      logging::info("index of {} {}: {} files", what_, to_string(status.state), status.files);
    return;
  }
  const auto& [files, all_files, bytes, all_bytes] = status.progress;
  if (all_bytes < kMinShown || !capabilities_.work_done_progress) return;
  if (!progress_) {
    progress_ = WorkDoneProgress::create(
        connection_, {.text = "redraft: indexing " + what_, .has_fraction = true});
  }
  progress_->report(static_cast<double>(bytes) / static_cast<double>(all_bytes),
                    std::to_string(files) + " of " + std::to_string(all_files) + " files");
}

void IndexReporter::forget() {
  if (status_) logging::info("index of {} dropped", what_);
  status_.reset();
  progress_.reset();
}

std::string IndexReporter::failure() const {
  if (!status_ || status_->state != State::kFailed) return {};
  return "The index of " + what_ + " cannot be used: " + status_->message + ".";
}

Json IndexReporter::json() const {
  if (!status_) return nullptr;
  return {{"state", to_string(status_->state)},
          {"files", status_->files},
          {"message", status_->message.empty() ? Json() : Json(status_->message)}};
}

}  // namespace redraft::lsp
