#include "mcp/tools/file_writer.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "workspace/documents/text_edit.h"

namespace redraft::mcp {
namespace {

constexpr std::size_t kMaxRemembered = 20;  // files

}  // namespace

void FileWriter::write_if_wanted(Call& call, const PermittedFile& file, const WriteOptions& options,
                                 FileOutcome& outcome) {
  if (outcome.status != FileStatus::kWouldWrite) return;
  if (has_doubts(outcome) && !options.accepts_doubts) {
    outcome.status = FileStatus::kNotWritten;
  } else if (!options.dry_run) {
    write(call, file, outcome);
  }
}

void FileWriter::write(Call& call, const PermittedFile& file, FileOutcome& outcome) {
  outcome.status = FileStatus::kFailed;
  // The folders of this moment: the client may have changed them since the file was read.
  const Result<std::shared_ptr<const RootFolders>> roots = call.roots();
  if (!roots) {
    outcome.error = "not written: " + roots.error().message();
    return;
  }
  if (call.is_cancelled()) {
    outcome.error = "not written: the call was cancelled";
    return;
  }
  std::vector<TextEdit> edits;
  for (const PlacedEdit& each : outcome.edits) edits.push_back(each.edit);
  const std::string& old_text = file.document()->text();
  const Result<std::string> note = file.replace(*roots, apply_edits(old_text, edits));
  if (!note) {
    outcome.error = note.error().message();
    return;
  }
  outcome.status = FileStatus::kWritten;
  if (!note->empty()) outcome.notes.push_back(*note);
  const std::string path = file.path().string();
  std::erase_if(before_, [&](const auto& each) { return each.first == path; });
  before_.emplace_front(path, std::make_shared<const std::string>(old_text));
  if (before_.size() > kMaxRemembered) before_.pop_back();
}

std::shared_ptr<const std::string> FileWriter::before(const std::string& path) const {
  const auto found = std::ranges::find_if(before_, [&](const auto& e) { return e.first == path; });
  return found == before_.end() ? nullptr : found->second;
}

}  // namespace redraft::mcp
