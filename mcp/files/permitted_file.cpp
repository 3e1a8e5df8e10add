#include "mcp/files/permitted_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "indexing/files/file_handle.h"
#include "indexing/files/file_kind.h"
#include "indexing/files/file_scan.h"
#include "indexing/files/ignore_files.h"
#include "indexing/files/skip_reason.h"
#include "languages/languages.h"
#include "mcp/files/open_beneath.h"
#include "support/system/descriptors.h"
#include "support/system/replace_text.h"
#include "support/system_error.h"

namespace redraft::mcp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMoved =
    "not written, because another program moved or replaced it meanwhile. Try again";

std::string refusal(const std::string& shown, const std::string& what, bool can_be_allowed) {
  return shown + ": not opened, because it is " + what +
         (can_be_allowed
              ? ". If the user wants it to be edited, set allow_ignored"
              : ". redraft never edits such files for an agent; tell the user what to change");
}

// Why an agent may not edit the file; nothing: it may.
std::optional<Error> reason_against(SkipReason reason, const std::string& shown,
                                    const FilePermission& permission) {
  switch (reason) {
    case SkipReason::kSecret:
      return Error(refusal(shown, "a file that holds secrets, by its name or its text", false));
    case SkipReason::kVersionControl:
      return Error(refusal(shown, "version control's own", false));
    case SkipReason::kIgnored:
    case SkipReason::kDependencies:
    case SkipReason::kGenerated:
    case SkipReason::kWorkTree:
    case SkipReason::kTooDeep:
    case SkipReason::kSeenBefore:
      if (permission.ignored) return std::nullopt;
      return Error(refusal(shown, std::string(to_text(reason)), true));
    case SkipReason::kTooLarge:
    case SkipReason::kBinary:
      return std::nullopt;  // Document::make() says more
    case SkipReason::kLink:
    case SkipReason::kSpecial:
    case SkipReason::kBadName:
    case SkipReason::kUnreadable:
    case SkipReason::kVanished:
      break;
  }
  return Error(shown + ": not opened: " + std::string(to_text(reason)));
}

// Judges a place as the index would: by its name, by ignore files, by its text's beginning.
std::optional<SkipReason> skip_reason(const fs::path& root, const std::string& relative) {
  ScanOptions options;
  options.max_bytes = kMaxDocumentBytes;
  options.user_ignore_file = user_ignore_file();
  std::optional<SkipReason> reason;
  bool is_file = false;
  ScanSink sink;
  sink.on_file = [&](const SourceFile&) { return is_file = true; };
  sink.on_skip = [&](const SkippedEntry& entry) { reason = entry.reason; };
  const std::array roots = {root};
  scan_place(roots, 0, relative, options, sink);
  if (is_file) return std::nullopt;
  return reason.value_or(SkipReason::kVanished);
}

// The names that an agent gives are judged too: a link `.env` to another file is a secret's name.
std::optional<SkipReason> skip_by_names(std::string_view path) {
  for (std::size_t slash = path.find('/');; slash = path.find('/', slash + 1)) {
    const std::string_view so_far = path.substr(0, slash);
    const bool is_folder = slash != std::string_view::npos;
    if (!so_far.empty()) {
      if (const auto reason = forbidden_name(so_far, is_folder)) return reason;
    }
    if (!is_folder) return std::nullopt;
  }
}

std::string without_root(const RootFolders& roots, std::string_view named) {
  const fs::path path(named);
  for (const RootFolder& root : roots.folders()) {
    const fs::path relative = path.lexically_relative(root.path);
    if (path.is_absolute() && !relative.empty() && *relative.begin() != "..")
      return relative.string();
  }
  return path.is_absolute() ? path.filename().string() : std::string(named);
}

}  // namespace

struct PermittedFile::Opened {
  FileHandle folder;  // that has the file, O_PATH
  std::string name;   // in it
  FileHandle file;
  struct stat status = {};
};

Result<PermittedFile::Opened> PermittedFile::open_place(const RootFolders& roots,
                                                        const FilePlace& place) {
  const int root = roots.folders()[place.root_idx].folder.get();
  const std::size_t slash = place.relative.rfind('/');
  Opened opened;
  if (slash == std::string::npos) {
    opened.folder = FileHandle::open_at(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    opened.name = place.relative;
  } else {
    opened.folder =
        open_beneath(root, place.relative.substr(0, slash), O_PATH | O_DIRECTORY | O_CLOEXEC);
    opened.name = place.relative.substr(slash + 1);
  }
  if (!opened.folder) return file_error(place.shown, "cannot be opened");
  opened.file =
      open_beneath(opened.folder.get(), opened.name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (!opened.file) return file_error(place.shown, "cannot be opened");
  if (::fstat(opened.file.get(), &opened.status) != 0)
    return file_error(place.shown, "cannot be opened");
  if (S_ISDIR(opened.status.st_mode)) return Error(place.shown + ": a directory, not a file");
  if (!S_ISREG(opened.status.st_mode)) return Error(place.shown + ": not a regular file");
  // Nobody can tell whether the others are below a root, too.
  if (opened.status.st_nlink > 1)
    return Error(place.shown + ": not opened, because it has several names (hard links)");
  return opened;
}

Result<PermittedFile> PermittedFile::open(const std::shared_ptr<const RootFolders>& roots,
                                          std::string_view path, const FilePermission& permission) {
  Result<FilePlace> place = roots->find(path);
  if (!place) return place.error();
  const fs::path& root = roots->folders()[place->root_idx].path;
  std::optional<SkipReason> skip = skip_by_names(without_root(*roots, path));
  if (!skip) skip = skip_reason(root, place->relative);
  if (skip) {
    if (std::optional<Error> error = reason_against(*skip, place->shown, permission))
      return *std::move(error);
  }
  const Result<Opened> opened = open_place(*roots, *place);
  if (!opened) return opened.error();
  std::optional<std::string> text = read_up_to(opened->file, kMaxDocumentBytes + 1);
  if (!text) return file_error(place->shown, "cannot be read");
  // The walk judges by what was there a moment ago, and does not look at the whole text.
  if (const auto reason = unwanted_text(place->relative, *text, /*complete=*/true)) {
    if (std::optional<Error> error = reason_against(*reason, place->shown, permission))
      return *std::move(error);
  }
  Result<std::shared_ptr<const Document>> document =
      Document::make(place->shown, 0, *std::move(text), std::string(language_of(place->relative)));
  if (!document) return document.error();
  PermittedFile file;
  file.roots_ = roots;
  file.named_ = path;
  file.place_ = *std::move(place);
  file.device_ = opened->status.st_dev;
  file.inode_ = opened->status.st_ino;
  file.document_ = *std::move(document);
  return file;
}

Result<std::string> PermittedFile::replace(const std::shared_ptr<const RootFolders>& roots,
                                           std::string_view text) const {
  const Result<FilePlace> place = roots->find(named_);
  if (!place) return Error("not written: " + place.error().message());
  const fs::path now = roots->folders()[place->root_idx].path / place->relative;
  if (now != path()) return Error(shown() + ": " + kMoved);
  const Result<Opened> opened = open_place(*roots, *place);
  if (!opened) return Error("not written: " + opened.error().message());
  if (opened->status.st_dev != device_ || opened->status.st_ino != inode_)
    return Error(shown() + ": " + kMoved);
  // The folder's descriptor leads to it even if its path leads elsewhere now.
  const fs::path folder = path_of_open_folder(opened->folder.get());
  return replace_text(folder / opened->name, shown(), document_->text(), text);
}

}  // namespace redraft::mcp
