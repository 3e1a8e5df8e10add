// The walk keeps a stack of folders to enter. It opens each folder relative to the open folder in
// which it was found, never by its path, so that replacing a folder by a link during the walk
// cannot lead it elsewhere. A descriptor stays open until everything in its folder has been
// entered: at most one per level.
#include "indexing/files/file_scan.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "indexing/files/file_handle.h"
#include "indexing/files/file_kind.h"
#include "indexing/files/git_work_tree.h"
#include "indexing/files/ignore_files.h"
#include "languages/languages.h"
#include "support/files/file_times.h"
#include "support/system/descriptors.h"
#include "support/utf8/utf8.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBeginningBytes = 16 * 1024;

struct Entry {
  std::string name;
  unsigned char type = DT_UNKNOWN;  // as the folder reports it
};

struct OpenFolder {
  FileHandle handle{};
  ScanFolder folder{};
  int depth = 0;
};

// A folder to enter: `name` in `above`.
struct Pending {
  std::shared_ptr<const OpenFolder> above;
  std::string name;
};

std::optional<std::vector<Entry>> read_entries(const FileHandle& folder) {
  FileHandle copy = FileHandle::open_at(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!copy) return std::nullopt;
  DIR* stream = ::fdopendir(copy.get());
  if (stream == nullptr) return std::nullopt;
  copy.release();  // closed by the stream
  std::vector<Entry> entries;
  errno = 0;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") entries.push_back({std::string(name), entry->d_type});
  }
  const int reason = errno;
  ::closedir(stream);
  errno = reason;
  if (reason != 0 && entries.empty()) return std::nullopt;
  std::ranges::sort(entries, {}, &Entry::name);
  return entries;
}

// Folders marked as generated: virtual environments and caches.
bool is_marked_folder(const FileHandle& folder) {
  if (stat_entry(folder.get(), "pyvenv.cfg")) return true;
  constexpr std::string_view kSignature = "Signature: 8a477f597d28d172789f06886806bc55";
  const FileHandle tag = open_file(folder.get(), "CACHEDIR.TAG", false);
  if (!tag) return false;
  const std::optional<std::string> text = read_up_to(tag, kSignature.size());
  return text == kSignature;
}

bool is_gone(int reason) { return reason == ENOENT || reason == ENOTDIR || reason == ELOOP; }

unsigned char type_of(const struct stat& status) {
  if (S_ISDIR(status.st_mode)) return DT_DIR;
  if (S_ISREG(status.st_mode)) return DT_REG;
  return S_ISLNK(status.st_mode) ? DT_LNK : DT_FIFO;
}

class Walk {
 public:
  Walk(std::span<const fs::path> roots, const ScanOptions& options, const ScanSink& sink,
       std::stop_token stop)
      : roots_(roots), options_(options), sink_(sink), stop_(std::move(stop)) {}

  void run_root(std::size_t root_idx) {
    if (stopped()) return;
    if (const auto root = open_root(root_idx)) list(root);
    run_pending();
  }

  void run_place(std::size_t root_idx, std::string_view path);
  ScanReport take_report() { return std::move(report_); }

 private:
  bool stopped() {
    if (stop_.stop_requested()) report_.complete = false;
    return halted_ || stop_.stop_requested();
  }
  void run_pending();
  std::shared_ptr<const OpenFolder> open_root(std::size_t root_idx);
  std::shared_ptr<const OpenFolder> open_child(const OpenFolder& above, const std::string& name);
  bool is_other_work_tree(const FileHandle& folder) const;
  void list(const std::shared_ptr<const OpenFolder>& folder);
  void look_at(const std::shared_ptr<const OpenFolder>& above, Entry entry);
  void look_at_file(const OpenFolder& above, const std::string& name);
  std::optional<SkipReason> look_inside(const OpenFolder& above, const std::string& name,
                                        const SourceFile& file);
  SkipReason reason_of_errno(const ScanFolder& folder, const std::string& name);
  void skip(const ScanFolder& folder, std::string_view name, bool is_folder, SkipReason reason);
  void add_problem(const ScanFolder& folder, std::string_view name, const std::string& what);

  std::span<const fs::path> roots_;
  const ScanOptions& options_;
  const ScanSink& sink_;
  std::stop_token stop_;
  bool halted_ = false;           // the sink stopped the walk
  std::vector<Pending> pending_;  // a stack
  std::set<std::pair<dev_t, ino_t>> visited_;
  ScanReport report_;
};

void Walk::run_place(std::size_t root_idx, std::string_view path) {
  std::shared_ptr<const OpenFolder> at = open_root(root_idx);
  if (path.empty() && at) list(at);
  while (at && !path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string name(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    if (name.empty() || name == "." || name == "..") return;
    if (path.empty()) {
      if (stat_entry(at->handle.get(), name)) look_at(at, {.name = name});
      break;
    }
    if (const auto reason = skip_by_name(at->folder, name, true, options_)) {
      return skip(at->folder, name, true, *reason);
    }
    at = open_child(*at, name);
  }
  run_pending();
}

void Walk::run_pending() {
  while (!pending_.empty() && !stopped()) {
    const Pending next = std::move(pending_.back());
    pending_.pop_back();
    if (const auto folder = open_child(*next.above, next.name)) list(folder);
  }
}

std::shared_ptr<const OpenFolder> Walk::open_root(std::size_t root_idx) {
  OpenFolder root;
  root.folder.root_idx = root_idx;
  root.handle =
      FileHandle::open(roots_[root_idx].c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
  const std::optional<struct stat> status = stat_handle(root.handle);
  if (!root.handle || !status) {
    report_.complete = false;
    add_problem(root.folder, "", std::strerror(errno));
    return nullptr;
  }
  if (!visited_.emplace(status->st_dev, status->st_ino).second) {
    skip(root.folder, "", true, SkipReason::kSeenBefore);
    return nullptr;
  }
  root.folder.rules =
      rules_of_root(roots_[root_idx], root.handle.get(), options_.user_ignore_file,
                    [&](const std::string& what) { add_problem(root.folder, "", what); });
  return std::make_shared<const OpenFolder>(std::move(root));
}

std::shared_ptr<const OpenFolder> Walk::open_child(const OpenFolder& above,
                                                   const std::string& name) {
  const auto leave_out = [&](SkipReason reason) {
    skip(above.folder, name, true, reason);
    return nullptr;
  };
  if (above.depth >= options_.max_depth) return leave_out(SkipReason::kTooDeep);
  OpenFolder child;
  child.handle = open_folder(above.handle.get(), name);
  const std::optional<struct stat> status = stat_handle(child.handle);
  if (!child.handle || !status) return leave_out(reason_of_errno(above.folder, name));
  // Before it counts as visited, because it may be a root itself.
  if (is_other_work_tree(child.handle)) return leave_out(SkipReason::kWorkTree);
  if (!visited_.emplace(status->st_dev, status->st_ino).second) {
    return leave_out(SkipReason::kSeenBefore);
  }
  if (!options_.dependencies && is_marked_folder(child.handle)) {
    return leave_out(SkipReason::kDependencies);
  }
  child.depth = above.depth + 1;
  child.folder.root_idx = above.folder.root_idx;
  child.folder.path = above.folder.path_of(name);
  child.folder.rules =
      rules_below(above.folder.rules, name, child.handle.get(),
                  [&](const std::string& what) { add_problem(above.folder, name, what); });
  return std::make_shared<const OpenFolder>(std::move(child));
}

bool Walk::is_other_work_tree(const FileHandle& folder) const {
  const std::optional<struct stat> git = stat_entry(folder.get(), ".git");
  if (!git || !S_ISREG(git->st_mode)) return false;
  const fs::path path = path_of_open_folder(folder.get());
  const std::optional<GitWorkTree> tree = git_work_tree_at(folder.get(), path);
  return tree && is_second_copy(path, *tree, roots_);
}

void Walk::list(const std::shared_ptr<const OpenFolder>& folder) {
  ++report_.folders;
  if (sink_.on_folder) sink_.on_folder(folder->folder);
  std::optional<std::vector<Entry>> entries = read_entries(folder->handle);
  if (!entries) return skip(folder->folder, "", true, reason_of_errno(folder->folder, ""));
  const std::size_t n_pending = pending_.size();
  for (Entry& entry : *entries) {
    if (stopped()) return;
    look_at(folder, std::move(entry));
  }
  std::reverse(pending_.begin() + static_cast<std::ptrdiff_t>(n_pending), pending_.end());
}

void Walk::look_at(const std::shared_ptr<const OpenFolder>& above, Entry entry) {
  if (entry.type == DT_UNKNOWN) {
    const std::optional<struct stat> status = stat_entry(above->handle.get(), entry.name);
    if (!status) {
      return skip(above->folder, entry.name, false, reason_of_errno(above->folder, entry.name));
    }
    entry.type = type_of(*status);
  }
  const bool is_folder = entry.type == DT_DIR;
  if (const auto reason = skip_by_name(above->folder, entry.name, is_folder, options_)) {
    return skip(above->folder, entry.name, is_folder, *reason);
  }
  if (is_folder) {
    pending_.push_back({above, std::move(entry.name)});
  } else if (entry.type == DT_REG) {
    look_at_file(*above, entry.name);
  } else {
    const bool is_link = entry.type == DT_LNK;
    skip(above->folder, entry.name, false, is_link ? SkipReason::kLink : SkipReason::kSpecial);
  }
}

void Walk::look_at_file(const OpenFolder& above, const std::string& name) {
  const std::optional<struct stat> status = stat_entry(above.handle.get(), name);
  if (!status) return skip(above.folder, name, false, reason_of_errno(above.folder, name));
  if (!S_ISREG(status->st_mode)) return skip(above.folder, name, false, SkipReason::kVanished);
  SourceFile file{.root_idx = above.folder.root_idx,
                  .path = above.folder.path_of(name),
                  .size = static_cast<std::uint64_t>(status->st_size),
                  .modified = modified_at(*status),
                  .inode = status->st_ino,
                  .language = language_of(name)};
  if (file.size > options_.max_bytes) {
    return skip(above.folder, name, false, SkipReason::kTooLarge);
  }
  if (options_.look_inside) {
    if (const auto reason = look_inside(above, name, file)) {
      return skip(above.folder, name, false, *reason);
    }
  }
  ++report_.files;
  report_.bytes += file.size;
  if (sink_.on_file && !sink_.on_file(file)) {
    halted_ = true;
    report_.complete = false;
  }
}

std::optional<SkipReason> Walk::look_inside(const OpenFolder& above, const std::string& name,
                                            const SourceFile& file) {
  const FileHandle handle = open_file(above.handle.get(), name, false);
  const std::optional<struct stat> status = stat_handle(handle);
  if (!handle || !status) return reason_of_errno(above.folder, name);
  if (!S_ISREG(status->st_mode)) return SkipReason::kVanished;
  const std::optional<std::string> text = read_up_to(handle, kBeginningBytes);
  if (!text) return reason_of_errno(above.folder, name);
  return unwanted_text(file.path, *text, text->size() < kBeginningBytes);
}

SkipReason Walk::reason_of_errno(const ScanFolder& folder, const std::string& name) {
  if (is_gone(errno)) return SkipReason::kVanished;
  add_problem(folder, name, std::strerror(errno));
  return SkipReason::kUnreadable;
}

void Walk::skip(const ScanFolder& folder, std::string_view name, bool is_folder,
                SkipReason reason) {
  ++report_.skipped[static_cast<std::size_t>(reason)];
  if (sink_.on_skip) sink_.on_skip({folder.root_idx, folder.path_of(name), is_folder, reason});
}

void Walk::add_problem(const ScanFolder& folder, std::string_view name, const std::string& what) {
  if (++report_.problem_count > ScanReport::kMaxProblems) return;
  const fs::path place = roots_[folder.root_idx] / folder.path_of(name);
  report_.problems.push_back(place.string() + ": " + what);
}

}  // namespace

std::string ScanFolder::path_of(std::string_view name) const {
  if (path.empty() || name.empty()) return path + std::string(name);
  return path + "/" + std::string(name);
}

std::string ScanReport::text() const {
  std::string text = std::to_string(files) + " files, " + std::to_string(bytes) + " bytes";
  std::string_view separator = "; skipped: ";
  for (std::size_t i = 0; i < skipped.size(); ++i) {
    if (skipped[i] == 0) continue;
    text += std::string(separator) + std::to_string(skipped[i]) + " " +
            std::string(to_text(static_cast<SkipReason>(i)));
    separator = ", ";
  }
  return text;
}

std::optional<SkipReason> skip_by_name(const ScanFolder& folder, std::string_view name,
                                       bool is_folder, const ScanOptions& options) {
  const std::string path = folder.path_of(name);
  if (!is_utf8(name)) return SkipReason::kBadName;
  if (const auto reason = forbidden_name(path, is_folder)) return reason;
  const IgnoreVerdict verdict = folder.rules->verdict(name, is_folder);
  if (verdict == IgnoreVerdict::kIgnored) return SkipReason::kIgnored;
  if (verdict == IgnoreVerdict::kKept) return std::nullopt;
  const std::optional<SkipReason> reason = unwanted_name(path, is_folder);
  if (options.dependencies && reason == SkipReason::kDependencies) return std::nullopt;
  return reason;
}

ScanReport scan_roots(std::span<const fs::path> roots, const ScanOptions& options,
                      const ScanSink& sink, std::stop_token stop) {
  // A folder sorts before the folders within it, so the walk enters each only once.
  std::vector<std::pair<std::size_t, std::size_t>> order;  // length of the path, index
  for (std::size_t i = 0; i < roots.size(); ++i) {
    std::error_code error;
    const fs::path canonical = fs::canonical(roots[i], error);
    order.emplace_back(canonical.native().size(), i);
  }
  std::ranges::sort(order);
  Walk walk(roots, options, sink, std::move(stop));
  for (const auto& [length, root_idx] : order) walk.run_root(root_idx);
  return walk.take_report();
}

ScanReport scan_place(std::span<const fs::path> roots, std::size_t root_idx, std::string_view path,
                      const ScanOptions& options, const ScanSink& sink, std::stop_token stop) {
  Walk walk(roots, options, sink, std::move(stop));
  walk.run_place(root_idx, path);
  return walk.take_report();
}

}  // namespace redraft
