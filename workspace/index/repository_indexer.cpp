#include "workspace/index/repository_indexer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "indexing/files/file_watch.h"
#include "support/enter_state.h"
#include "support/named_thread.h"
#include "support/system/background.h"
#include "support/system/heap.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kTellAfter = std::chrono::milliseconds(100);
// More changed places at once indicate a change of branch: scan everything.
constexpr std::size_t kManyPlaces = 200;

}  // namespace

RepositoryIndexer::RepositoryIndexer(MakeIndex make_index, OnStatus on_status, Options options)
    : make_index_(std::move(make_index)),
      on_status_(std::move(on_status)),
      options_(std::move(options)),
      files_thread_(
          start_thread("redraft-index", [this](const std::stop_token& stop) { keep_files(stop); })),
      watch_thread_(options_.watch
                        ? start_thread("redraft-watch",
                                       [this](const std::stop_token& stop) { watch_files(stop); })
                        : std::jthread()),
      buffers_thread_(start_thread("redraft-buffers",
                                   [this](const std::stop_token& stop) { keep_buffers(stop); })) {}

RepositoryIndexer::~RepositoryIndexer() = default;

void RepositoryIndexer::set_buffer(const fs::path& path, std::shared_ptr<const Document> document) {
  const std::lock_guard lock(mutex_);
  open_[path] = document;
  news_[path] = std::move(document);
  changed_.notify_all();
}

void RepositoryIndexer::close_buffer(const fs::path& path) {
  const std::lock_guard lock(mutex_);
  if (open_.erase(path) == 0) return;
  news_[path] = nullptr;
  changed_.notify_all();
}

void RepositoryIndexer::files_changed(const std::vector<fs::path>& paths) {
  const std::lock_guard lock(mutex_);
  places_.insert(paths.begin(), paths.end());
  changed_.notify_all();
}

std::shared_ptr<const IndexSnapshot> RepositoryIndexer::snapshot(const fs::path& without) const {
  std::shared_ptr<WorkspaceIndex> index;
  {
    const std::lock_guard lock(mutex_);
    index = index_;
  }
  return index ? index->snapshot(without) : nullptr;
}

bool RepositoryIndexer::is_complete() const {
  const std::scoped_lock lock(mutex_);
  const bool has_read = stage_ == Stage::kUnsaved || stage_ == Stage::kSaving ||
                        stage_ == Stage::kSaved || stage_ == Stage::kFollowing;
  return has_read && places_.empty();
}

void RepositoryIndexer::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    const bool reads =
        stage_ == Stage::kOpening || stage_ == Stage::kUnwatched || stage_ == Stage::kReading;
    return !reads && !buffers_busy_ && news_.empty() && places_.empty();
  });
}

void RepositoryIndexer::enter(Stage next) {
  enter_state(stage_, next);
  if (options_.on_stage) options_.on_stage(next);
  changed_.notify_all();
}

void RepositoryIndexer::open_index() {
  std::string message;
  Result<std::unique_ptr<WorkspaceIndex>> made = make_index_(message);
  if (!made) on_status_({.state = IndexStatus::State::kFailed, .message = made.error().message()});
  const std::lock_guard lock(mutex_);
  if (made) index_ = std::move(*made);
  message_ = std::move(message);
  if (!index_) {
    enter(Stage::kFailed);
  } else {
    enter(options_.watch ? Stage::kUnwatched : Stage::kReading);
  }
}

void RepositoryIndexer::keep_files(const std::stop_token& stop) {
  yield_to_others();
  open_index();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [this] { return stage_ != Stage::kUnwatched; });
  std::set<fs::path> places = {fs::path()};  // at first, everything
  while (!stop.stop_requested()) {
    if (stage_ == Stage::kReading) {
      lock.unlock();
      refresh(places, stop);
      lock.lock();
      enter(Stage::kUnsaved);
    } else if (stage_ == Stage::kSaving) {
      lock.unlock();
      save(stop);
      const bool reader = index_->store().is_reader();
      lock.lock();
      enter(reader ? Stage::kFollowing : Stage::kSaved);
    }
    const bool told = wait_for_places(lock, stop);
    if (stop.stop_requested()) return;
    places = std::exchange(places_, {});
    if (stage_ == Stage::kFailed) {
      changed_.notify_all();  // the places are discarded, so nothing has to wait for them
    } else {
      enter(told ? Stage::kReading : Stage::kSaving);
    }
  }
}

bool RepositoryIndexer::wait_for_places(std::unique_lock<std::mutex>& lock,
                                        const std::stop_token& stop) {
  const auto told = [this] { return !places_.empty(); };
  switch (stage_) {
    case Stage::kUnsaved: {
      auto due = Clock::now() + options_.quiet;
      if (saved_at_) due = std::max(due, *saved_at_ + options_.save_interval);
      return changed_.wait_until(lock, stop, due, told);
    }
    case Stage::kFollowing:
      return changed_.wait_for(lock, stop, options_.reader_interval, told);
    default:
      return changed_.wait(lock, stop, told);
  }
}

void RepositoryIndexer::watch_files(const std::stop_token& stop) {
  yield_to_others();
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return stage_ == Stage::kUnwatched; })) return;
  }
  const std::vector<fs::path>& roots = index_->roots();
  FileWatch watch(roots, {.scan = index_->options().scan}, stop);
  {
    const std::lock_guard lock(mutex_);
    if (message_.empty()) message_ = watch.why_polling();
    enter(Stage::kReading);
  }
  while (!stop.stop_requested()) {
    const FileChanges changes = watch.next(stop);
    std::vector<fs::path> paths;
    for (const std::size_t root : changes.roots) paths.push_back(roots[root]);
    for (const ChangedPlace& place : changes.places)
      paths.push_back(place.path.empty() ? roots[place.root_idx]
                                         : roots[place.root_idx] / place.path);
    files_changed(paths);
  }
}

void RepositoryIndexer::refresh(const std::set<fs::path>& places, const std::stop_token& stop) {
  if (places.size() > kManyPlaces || places.contains(fs::path())) return refresh_all(stop);
  for (const fs::path& place : places) {
    if (stop.stop_requested()) return;
    index_->refresh_place(place);
  }
  const std::size_t files = index_->store().statistics().texts;
  if (ready_.state != IndexStatus::State::kReady || files == ready_.files) return;
  ready_.files = files;
  on_status_(ready_);
}

void RepositoryIndexer::refresh_all(const std::stop_token& stop) {
  IndexStatus status{.state = IndexStatus::State::kReading, .message = message_};
  on_status_(status);
  auto told = Clock::now();
  const RefreshReport report = index_->refresh(
      [&](const IndexProgress& progress) {
        if (Clock::now() - told < kTellAfter) return;
        told = Clock::now();
        status.progress = progress;
        on_status_(status);
      },
      stop);
  if (stop.stop_requested()) return;
  {
    // Open buffers of files that the scan has just found.
    const std::lock_guard lock(mutex_);
    for (const auto& [path, document] : open_) news_.try_emplace(path, document);
    changed_.notify_all();
  }
  if (status.message.empty() && !report.scan.problems.empty())
    status.message = report.scan.problems.front();
  status.state = IndexStatus::State::kReady;
  status.files = index_->store().statistics().texts;
  if (report.left_out > 0) {
    status.message = "the workspace is too large: " + std::to_string(report.left_out) +
                     " files are left out. Exclude others in .redraftignore instead";
  }
  ready_ = status;
  on_status_(ready_);
}

void RepositoryIndexer::save(const std::stop_token& stop) {
  if (index_->store().verify(stop) > 0) refresh_all(stop);
  while (!stop.stop_requested() && index_->store().merge()) {
  }
  if (stop.stop_requested()) return;
  if (const Result<void> saved = index_->store().save(); !saved) {
    on_status_({.state = IndexStatus::State::kReady,
                .files = index_->store().statistics().texts,
                .message = "the index is kept in memory only: " + saved.error().message()});
  }
  if (!index_->store().is_reader()) saved_at_ = Clock::now();
  if (index_->store().is_reader() && index_->store().adopt()) refresh_all(stop);
  return_free_memory();
}

// On a separate thread, so that typed text does not wait for files.
void RepositoryIndexer::keep_buffers(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return index_ && !news_.empty(); })) {
    if (stop.stop_requested()) return;
    const Documents news = std::exchange(news_, {});
    buffers_busy_ = true;
    lock.unlock();
    for (const auto& [path, document] : news) {
      if (document) {
        index_->set_buffer(path, document->text());
      } else {
        index_->close_buffer(path);
      }
    }
    lock.lock();
    for (const auto& [path, document] : news) {
      if (!document) places_.insert(path);  // the file counts again
    }
    buffers_busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace redraft
