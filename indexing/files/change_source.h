#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "indexing/files/file_watch.h"

namespace redraft {

// Collects the changes of one batch.
class ChangeSet {
 public:
  void add_place(std::size_t root_idx, std::string path);
  void add_root(std::size_t root_idx) { roots_.insert(root_idx); }
  bool empty() const { return places_.empty() && roots_.empty(); }
  FileChanges take();

 private:
  std::set<ChangedPlace> places_;
  std::set<std::size_t> roots_;
};

// A mechanism that detects changes.
class ChangeSource {
 public:
  virtual ~ChangeSource() = default;
  // Waits for an event, for at most `most` or until `stop` is requested, and adds its changes.
  // Returns whether there was any event, relevant or not.
  virtual bool collect(ChangeSet& changes, std::chrono::milliseconds most,
                       const std::stop_token& stop) = 0;
  // Why this source cannot continue; empty while it can.
  virtual std::string failure() const = 0;
};

// Null, with a reason, if the system does not support it.
std::unique_ptr<ChangeSource> make_inotify_source(std::span<const std::filesystem::path> roots,
                                                  const WatchOptions& options,
                                                  const std::stop_token& stop, std::string& why);
std::unique_ptr<ChangeSource> make_polling_source(std::span<const std::filesystem::path> roots,
                                                  const WatchOptions& options,
                                                  const std::stop_token& stop);

// Waits until `descriptor` (-1: none) is readable, `most` has passed or `stop` is requested.
void wait_for_input(int descriptor, std::chrono::milliseconds most, const std::stop_token& stop);

}  // namespace redraft
