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

// A file or folder of a root; the root itself where the path is empty.
struct ChangedPlace {
  std::size_t root_idx = 0;
  std::string path;

  friend bool operator==(const ChangedPlace&, const ChangedPlace&) = default;
  friend bool operator<(const ChangedPlace& left, const ChangedPlace& right) {
    return std::tie(left.root_idx, left.path) < std::tie(right.root_idx, right.path);
  }
};

// What may be another file, or none, than it was: a reason to look (scan_place), not a fact.
struct FileChanges {
  // In order, and none within another: a folder stands for all below it.
  std::vector<ChangedPlace> places;
  // Roots of which anything may have changed; none of their places is listed.
  std::vector<std::size_t> roots;

  bool empty() const { return places.empty() && roots.empty(); }
};

struct WatchOptions {
  ScanOptions scan;                            // what counts as a file of the workspace
  std::chrono::milliseconds quiet{100};        // a batch ends when nothing happened for so long,
  std::chrono::milliseconds longest{2000};     // or when it began so long ago
  std::chrono::milliseconds poll_every{3000};  // where the system does not tell of changes
  bool always_poll = false;                    // as on network file systems that never tell
  std::size_t max_watches = 500'000;           // folders; where there are more, all are polled
};

// Where changes come from. Used by one thread at a time.
class ChangeSource;

// Says what changes in the folders that a scan of `roots` walks. Watches with inotify; where there
// is none, or the system has no watches left, it walks the folders again and again and compares
// (with pauses that keep it below a twentieth of a core). What happens in folders and to names that
// a scan leaves out is not reported; a change of an ignore file asks for all roots again.
//
// A file counts as changed when its writer closes it. What changes after the constructor returned
// will be in a batch, so construct first and scan then. Not reported: that a folder above a root
// was renamed. Used by one thread at a time, which may be another one for each call.
class FileWatch {
 public:
  // Walks the roots once, which takes about a second for 100,000 files; `stop` cuts it short.
  FileWatch(std::vector<std::filesystem::path> roots, WatchOptions options,
            std::stop_token stop = {});
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;
  ~FileWatch();

  // Waits for a batch of changes and returns it; empty only if `stop` was requested, which ends the
  // wait at once from any thread.
  FileChanges next(std::stop_token stop);

  bool is_polling() const { return !why_polling_.empty(); }
  // For the user, with what to do about it; empty unless polling.
  const std::string& why_polling() const { return why_polling_; }

 private:
  void start_polling(std::string why, const std::stop_token& stop);

  std::vector<std::filesystem::path> roots_;
  WatchOptions options_;
  std::unique_ptr<ChangeSource> source_;
  std::string why_polling_;
};

}  // namespace redraft
