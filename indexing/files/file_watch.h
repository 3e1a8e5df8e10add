#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include "indexing/files/file_scan.h"

namespace redraft {

// A file or folder of a root; the root itself if the path is empty.
struct ChangedPlace {
  std::size_t root_idx = 0;
  std::string path;

  friend bool operator==(const ChangedPlace&, const ChangedPlace&) = default;
  friend bool operator<(const ChangedPlace& left, const ChangedPlace& right) {
    return std::tie(left.root_idx, left.path) < std::tie(right.root_idx, right.path);
  }
};

// Files or folders that may have changed or disappeared: a reason to call scan_place(), not a fact.
struct FileChanges {
  // Sorted; none is within another: a folder stands for everything below it.
  std::vector<ChangedPlace> places;
  // Roots in which anything may have changed; `places` lists nothing in them.
  std::vector<std::size_t> roots;

  bool empty() const { return places.empty() && roots.empty(); }
};

struct WatchOptions {
  ScanOptions scan;                            // what counts as a file of the workspace
  std::chrono::milliseconds quiet{100};        // a batch ends after this long without an event,
  std::chrono::milliseconds longest{2000};     // or this long after it began
  std::chrono::milliseconds poll_every{3000};  // if the system does not report changes
  bool always_poll = false;                    // for network file systems, which never report
  std::size_t max_watches = 500'000;           // folders; if there are more, all are polled
};

// Detects changes. Used by one thread at a time.
class ChangeSource;

// Reports changes in the folders that a scan of `roots` walks. Uses inotify. Without it, or if the
// system has no watches left, it polls: it walks the folders repeatedly and compares (with pauses
// that keep it below a twentieth of a core). It does not report events in folders and for names
// that a scan leaves out. A change of an ignore file reports all roots.
//
// A file counts as changed when its writer closes it. Any change after the constructor returned
// will be in a batch, so construct first and scan then. Renaming a folder above a root is not
// reported. Used by one thread at a time, which may differ from call to call.
class FileWatch {
 public:
  // Walks the roots once, which takes about a second for 100,000 files; `stop` interrupts it.
  FileWatch(std::vector<std::filesystem::path> roots, WatchOptions options,
            std::stop_token stop = {});
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;
  ~FileWatch();

  // Waits for a batch of changes and returns it. Returns an empty batch only if `stop` was
  // requested, which ends the wait at once from any thread.
  FileChanges next(std::stop_token stop);

  bool is_polling() const { return !why_polling_.empty(); }
  // For the user, with a remedy; empty unless polling.
  const std::string& why_polling() const { return why_polling_; }

 private:
  void start_polling(std::string why, const std::stop_token& stop);

  std::vector<std::filesystem::path> roots_;
  WatchOptions options_;
  std::unique_ptr<ChangeSource> source_;
  std::string why_polling_;
};

}  // namespace redraft
