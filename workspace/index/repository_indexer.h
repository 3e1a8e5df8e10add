#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "indexing/store/datastore.h"
#include "indexing/workspace_index.h"
#include "support/result.h"
#include "workspace/documents/document.h"

namespace redraft {

struct IndexStatus {
  enum class State { kOpening, kReading, kReady, kFailed };
  State state = State::kOpening;
  IndexProgress progress = {};  // while reading
  std::size_t files = 0;        // once ready
  std::string message = {};     // why it failed, or what the user should know
};

// Keeps the datastore of a workspace's folders up to date in the background: its files, which it
// watches, and instead of them the buffers of the editor. Files are read on threads that run where
// nothing else wants to. Any thread may call it.
class RepositoryIndexer {
 public:
  // Called on the index's thread; `message` is for the user.
  using MakeIndex = std::function<Result<std::unique_ptr<WorkspaceIndex>>(std::string& message)>;
  using OnStatus = std::function<void(const IndexStatus&)>;  // on the index's threads; often

  // `watch`: whether to follow changes on disk; otherwise files_changed() tells of them.
  RepositoryIndexer(MakeIndex make_index, OnStatus on_status, bool watch = true);
  ~RepositoryIndexer();  // stops at the next file; what is not saved is read again next time

  // From now on this counts instead of the file; searchable within milliseconds.
  void set_buffer(const std::filesystem::path& path, std::shared_ptr<const Document> document);
  void close_buffer(const std::filesystem::path& path);
  // Files or folders that may have changed, for those who know before the file system tells; an
  // empty path stands for everything.
  void files_changed(const std::vector<std::filesystem::path>& paths);

  // All that is known now, but for the file `without`; null while the index is not open.
  std::shared_ptr<const IndexSnapshot> snapshot(const std::filesystem::path& without) const;

  // Blocks until all that was told before is searchable. For tests.
  void wait_until_idle();

 private:
  using Documents = std::map<std::filesystem::path, std::shared_ptr<const Document>>;

  void keep_files(const std::stop_token& stop);
  void watch_files(const std::stop_token& stop);
  void keep_buffers(const std::stop_token& stop);
  bool open_index();
  void refresh(const std::set<std::filesystem::path>& places, const std::stop_token& stop);
  void refresh_all(const std::stop_token& stop);
  void tidy(const std::stop_token& stop);

  MakeIndex make_index_;
  OnStatus on_status_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<WorkspaceIndex> index_;  // null: not open; once it is it stays the same
  std::string message_;
  Documents open_;                          // buffers
  Documents news_;                          // of them, what the index does not know; null: closed
  std::set<std::filesystem::path> places_;  // to be looked at
  bool watching_ = false;
  bool files_busy_ = true;
  bool buffers_busy_ = false;
  bool reader_ = false;  // another process writes the index; of the files' thread alone
  IndexStatus ready_;    // of the files' thread: what was told last, once all was read
  bool untidy_ = true;   // something changed since the last merge and save
  std::jthread files_thread_, watch_thread_, buffers_thread_;  // last: they use the others
};

}  // namespace redraft
