// Keeps an index in step with files and buffers, on threads of its own.
//
// Why three threads. Reading a workspace takes minutes and merging its segments seconds, while what
// is typed should be found by the next completion, some milliseconds later: so files and buffers
// have a thread each. And what changes on disk while the files are read must not be missed: so a
// third watches, and is at it before the first file is looked at. All three meet in a mutex that is
// held for bookkeeping alone; the index itself is safe to use from any of them.
//
// Why a Stage. Where the files' thread is decides what it does next, whether somebody who waits for
// it is done waiting, and when the watcher may begin. As one value these cannot contradict each
// other, and the arrows beside it are all there is to know about its loop.
//
// An example: a project is opened, a file is saved, and the editor is left alone.
//
//   kOpening    the index of last time is found on disk
//   kUnwatched  FileWatch asks the system to tell of every folder
//   kReading    all files are looked at; the three that are new are read and can be searched
//   kUnsaved    wait_until_idle() returns
//   kReading    the watcher tells of the saved file within these seconds: it is read again
//   kUnsaved    three quiet seconds pass
//   kSaving     small segments become one, which is written beside the others
//   kSaved      until the next change
#pragma once

#include <chrono>
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
  // What the files' thread does. All changes of it are its own, but for the one out of kUnwatched.
  enum class Stage {
    // The index is being opened.
    //   -> kFailed     it cannot be
    //   -> kUnwatched  it is open, and changes on disk are to be followed
    //   -> kReading    it is open, and they are not
    kOpening,
    // There is no index, and will be none; what is told is forgotten. Nothing leads out of it.
    kFailed,
    // What changes now on disk might be missed.
    //   -> kReading    whoever watches has begun, and says so
    kUnwatched,
    // Files are looked at: all of them, or the places that were told.
    //   -> kUnsaved    what was told can be searched
    kReading,
    // Something was read since the last merge and save.
    //   -> kReading    places were told
    //   -> kSaving     none was for a while
    kUnsaved,
    // Segments are merged and saved; where another process writes the index, what it has saved is
    // taken over.
    //   -> kSaved      this process writes the index
    //   -> kFollowing  another one does
    kSaving,
    // There is nothing to do.
    //   -> kReading    places were told
    kSaved,
    // The same, but for what the other process may have saved.
    //   -> kReading    places were told
    //   -> kSaving     it is time to look
    kFollowing,
  };

  struct Options {
    bool watch = true;  // follow changes on disk; otherwise files_changed() tells of them
    // The editor is left alone for so long before segments are merged and saved.
    std::chrono::milliseconds quiet = std::chrono::seconds(3);
    // A reader of an index looks so often for what its writer has saved.
    std::chrono::milliseconds reader_interval = std::chrono::seconds(20);
    // Hears of every stage but the first, on the thread that enters it. For tests.
    std::function<void(Stage)> on_stage = {};
  };

  // Called on the index's thread; `message` is for the user.
  using MakeIndex = std::function<Result<std::unique_ptr<WorkspaceIndex>>(std::string& message)>;
  using OnStatus = std::function<void(const IndexStatus&)>;  // on the index's threads; often

  RepositoryIndexer(MakeIndex make_index, OnStatus on_status, Options options);
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
  // With the lock.
  void enter(Stage next);
  // Sleeps as long as the stage says, or until there are places to look at: then true.
  bool wait_for_places(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

  // Of the files' thread, without it.
  void open_index();
  void refresh(const std::set<std::filesystem::path>& places, const std::stop_token& stop);
  void refresh_all(const std::stop_token& stop);
  void save(const std::stop_token& stop);

  MakeIndex make_index_;
  OnStatus on_status_;
  Options options_;
  mutable std::mutex mutex_;  // of all that follows but ready_
  Stage stage_ = Stage::kOpening;
  std::condition_variable_any changed_;
  std::shared_ptr<WorkspaceIndex> index_;  // null: not open; once it is it stays the same
  std::string message_;
  Documents open_;                          // buffers
  Documents news_;                          // of them, what the index does not know; null: closed
  std::set<std::filesystem::path> places_;  // to be looked at
  bool buffers_busy_ = false;               // some of the news are on their way into the index
  IndexStatus ready_;  // of the files' thread: what was told last, once all was read
  std::jthread files_thread_, watch_thread_, buffers_thread_;  // last: they use the others
};

// The arrows beside the stages, and nothing else.
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
