// Keeps an index in step with files and buffers, on its own threads.
//
// Why three threads. Reading a workspace takes minutes and merging its segments seconds, but typed
// text should be searchable for the next completion, some milliseconds later. So files and buffers
// have a thread each. Changes on disk during the scan must not be missed. So a third thread
// watches, and starts before the first file is read. All three share a mutex that is held for
// bookkeeping only; the index itself may be used from any thread.
//
// Why a Stage. The stage of the files' thread determines what it does next, whether a caller that
// waits for it is done waiting, and when the watcher may start. A single value cannot contradict
// itself, and the transitions listed with it describe the whole loop.
//
// An example: a project is opened, a file is saved, and the editor stays idle.
//
//   kOpening    the index of the last session is found on disk
//   kUnwatched  FileWatch asks the system for notifications about every folder
//   kReading    all files are scanned; three new ones are read and become searchable
//   kUnsaved    wait_until_idle() returns
//   kReading    the watcher reports the saved file within three seconds: it is read again
//   kUnsaved    three quiet seconds pass, and the last save was a minute ago
//   kSaving     small segments are merged into one, which is written to disk
//   kSaved      until the next change
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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
  std::string message = {};     // the reason of a failure, or a notice for the user
};

// Keeps the datastore of a workspace's folders up to date in the background: its files, which are
// watched, and in their place the editor's buffers. Reads files on low-priority threads. Any thread
// may call it.
class RepositoryIndexer {
 public:
  // The current task of the files' thread. Only that thread changes it, except for leaving
  // kUnwatched.
  enum class Stage {
    // The index is being opened.
    //   -> kFailed     it cannot be opened
    //   -> kUnwatched  it is open, and changes on disk should be watched
    //   -> kReading    it is open, and they should not
    kOpening,
    // There is no index and will be none; reported places are discarded. This stage is final.
    kFailed,
    // Changes on disk might still be missed.
    //   -> kReading    the watcher has started
    kUnwatched,
    // Files are scanned: all of them, or the reported places.
    //   -> kUnsaved    the reported places are searchable
    kReading,
    // Something was read since the last merge and save.
    //   -> kReading    places were reported
    //   -> kSaving     none were for a while, and the last save is long enough ago
    kUnsaved,
    // The files on disk are verified once; segments are merged and saved; if another process writes
    // the index, its saved changes are loaded.
    //   -> kSaved      this process writes the index
    //   -> kFollowing  another one does
    kSaving,
    // There is nothing to do.
    //   -> kReading    places were reported
    kSaved,
    // The same, but the other process may have saved something.
    //   -> kReading    places were reported
    //   -> kSaving     it is time to check
    kFollowing,
  };

  struct Options {
    bool watch = true;  // watch the disk; otherwise files_changed() reports changes
    // Segments are merged and saved after the editor was idle for this long.
    std::chrono::milliseconds quiet = std::chrono::seconds(3);
    // After a save, segments are not saved again for this long: files that change all the time must
    // not keep the disk busy. Unsaved texts are read again by the next process.
    std::chrono::milliseconds save_interval = std::chrono::minutes(1);
    // How often a reader of an index checks what its writer has saved.
    std::chrono::milliseconds reader_interval = std::chrono::seconds(20);
    // Called with every stage except the first, on the thread that enters it. For tests.
    std::function<void(Stage)> on_stage = {};
  };

  // Called on the index's thread; `message` is for the user.
  using MakeIndex = std::function<Result<std::unique_ptr<WorkspaceIndex>>(std::string& message)>;
  using OnStatus = std::function<void(const IndexStatus&)>;  // on the index's threads; often

  RepositoryIndexer(MakeIndex make_index, OnStatus on_status, Options options);
  ~RepositoryIndexer();  // stops at the next file; unsaved texts are read again next time

  // From now on the buffer replaces the file. It is searchable within milliseconds.
  void set_buffer(const std::filesystem::path& path, std::shared_ptr<const Document> document);
  void close_buffer(const std::filesystem::path& path);
  // Reports files or folders that may have changed, for callers that know before the file system
  // reports it. An empty path means everything.
  void files_changed(const std::vector<std::filesystem::path>& paths);

  // Everything that is currently indexed, except the file `without`; null while the index is not
  // open.
  std::shared_ptr<const IndexSnapshot> snapshot(const std::filesystem::path& without) const;

  // Whether everything reported so far is searchable.
  bool is_complete() const;

  // Blocks until everything reported before is searchable. For tests.
  void wait_until_idle();

 private:
  using Documents = std::map<std::filesystem::path, std::shared_ptr<const Document>>;

  void keep_files(const std::stop_token& stop);
  void watch_files(const std::stop_token& stop);
  void keep_buffers(const std::stop_token& stop);
  // Requires the lock.
  void enter(Stage next);
  // Sleeps as long as the stage requires, or until there are places to read (returns true).
  bool wait_for_places(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

  // On the files' thread, without the lock.
  void open_index();
  void refresh(const std::set<std::filesystem::path>& places, const std::stop_token& stop);
  void refresh_all(const std::stop_token& stop);
  void save(const std::stop_token& stop);

  MakeIndex make_index_;
  OnStatus on_status_;
  Options options_;
  mutable std::mutex mutex_;  // guards all members below except ready_ and saved_at_
  Stage stage_ = Stage::kOpening;
  std::condition_variable_any changed_;
  std::shared_ptr<WorkspaceIndex> index_;  // null: not open; never changes once it is open
  std::string message_;
  Documents open_;  // buffers
  Documents news_;  // buffers that the index does not have yet; null: closed
  std::set<std::filesystem::path> places_;  // to be read
  bool buffers_busy_ = false;               // some of news_ are on their way into the index
  // Used by the files' thread: the last status reported when everything was read, and when this
  // process last saved.
  IndexStatus ready_;
  std::optional<std::chrono::steady_clock::time_point> saved_at_;
  std::jthread files_thread_, watch_thread_, buffers_thread_;  // last: they use the other members
};

// Allows exactly the transitions listed with the stages.
constexpr bool may_follow(RepositoryIndexer::Stage before, RepositoryIndexer::Stage after) {
  using enum RepositoryIndexer::Stage;
  switch (before) {
    case kOpening:
      return after == kFailed || after == kUnwatched || after == kReading;
    case kFailed:
      return false;
    case kUnwatched:
      return after == kReading;
    case kReading:
      return after == kUnsaved;
    case kUnsaved:
      return after == kReading || after == kSaving;
    case kSaving:
      return after == kSaved || after == kFollowing;
    case kSaved:
      return after == kReading;
    case kFollowing:
      return after == kReading || after == kSaving;
  }
  return false;
}

}  // namespace redraft
