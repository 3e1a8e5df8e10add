#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/files/ignore_rules.h"
#include "indexing/files/skip_reason.h"
#include "indexing/files/source_file.h"

namespace redraft {

struct ScanOptions {
  std::uint64_t max_bytes = kMaxSourceBytes;  // of one file
  int max_depth = 100;  // folders below a root; each may hold a descriptor open
  // Whether to read the beginning of each file, to leave out binary and generated files. Otherwise
  // a walk only queries the file system; read_source() later checks the same, and more.
  bool look_inside = true;
  // Whether to walk installed packages and caches (node_modules, site-packages) too.
  bool dependencies = false;
  // The user's rules for all repositories: user_ignore_file(). Empty: none.
  std::filesystem::path user_ignore_file{};
};

// A folder that a walk enters.
struct ScanFolder {
  std::size_t root_idx = 0;
  std::string path;                          // relative to the root; empty for the root itself
  std::shared_ptr<const FolderRules> rules;  // for its entries

  std::string path_of(std::string_view name) const;
};

struct SkippedEntry {
  std::size_t root_idx = 0;
  std::string path;  // relative to the root; not UTF-8 if that is the reason
  bool is_folder = false;
  SkipReason reason = SkipReason::kIgnored;
};

// Called on the walking thread; any may be empty.
struct ScanSink {
  // Returns whether to continue.
  std::function<bool(const SourceFile&)> on_file{};
  // Called before the entries of the folder are read, so that a watcher misses nothing.
  std::function<void(const ScanFolder&)> on_folder{};
  std::function<void(const SkippedEntry&)> on_skip{};
};

struct ScanReport {
  std::size_t files = 0;
  std::size_t folders = 0;
  std::uint64_t bytes = 0;                              // of the files
  std::array<std::size_t, kSkipReasonCount> skipped{};  // by SkipReason; a folder counts once
  // Errors, for the user; the first kMaxProblems of problem_count.
  std::vector<std::string> problems;
  std::size_t problem_count = 0;
  bool complete = true;  // not stopped, and no root was missing

  static constexpr std::size_t kMaxProblems = 20;

  std::size_t skipped_for(SkipReason reason) const {
    return skipped[static_cast<std::size_t>(reason)];
  }
  // "12034 files, 80123456 bytes; skipped: 2 ignored, 3 binary".
  std::string text() const;
};

// Why an entry of `folder` is skipped, judged only by its name: spelling, version control, secrets,
// ignore rules, dependencies, lock files.
std::optional<SkipReason> skip_by_name(const ScanFolder& folder, std::string_view name,
                                       bool is_folder, const ScanOptions& options);

// Walks the folders `roots` and reports every file of the workspace once, folder by folder in the
// order of their names. A root within another one is walked separately only if the outer one leaves
// it out. A second copy of a repository's code (is_second_copy()) is left out unless it is a root.
// Symbolic links are not followed, but a root may be one. Never fails: unreadable entries
// are skipped, counted and reported. Any thread; blocks until done, and checks `stop` at every
// entry.
ScanReport scan_roots(std::span<const std::filesystem::path> roots, const ScanOptions& options,
                      const ScanSink& sink, std::stop_token stop = {});

// The same for one file or folder (with everything below it) after an event there: reports exactly
// what scan_roots would report there now. `path` is relative to roots[root_idx], the root under
// which scan_roots reports it.
ScanReport scan_place(std::span<const std::filesystem::path> roots, std::size_t root_idx,
                      std::string_view path, const ScanOptions& options, const ScanSink& sink,
                      std::stop_token stop = {});

}  // namespace redraft
