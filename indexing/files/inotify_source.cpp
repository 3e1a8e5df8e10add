// There is one watch for each folder that the walk enters, set before the walk reads the folder's
// entries: anything created in between is reported, found, or both. A new folder is walked at once
// for the folders in it. When the state may be wrong (events were lost, a rule changed, a root
// moved), nothing is repaired: the watch starts over and reports all roots.
#include "indexing/files/change_source.h"

#ifdef __linux__

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "indexing/files/file_handle.h"
#include "indexing/files/ignore_files.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::uint32_t kAppeared = IN_CREATE | IN_MOVED_TO;
constexpr std::uint32_t kGone = IN_DELETE | IN_MOVED_FROM;
constexpr std::uint32_t kOfFolderItself = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT;
constexpr std::uint32_t kWatched =
    kAppeared | kGone | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

std::string advice(std::string_view limit) {
  return "the system's limit fs.inotify." + std::string(limit) +
         " is reached; raise it with sysctl so that redraft notices changes sooner";
}

class InotifySource : public ChangeSource {
 public:
  InotifySource(std::span<const fs::path> roots, const WatchOptions& options,
                const std::stop_token& stop)
      : roots_(roots.begin(), roots.end()), scan_(options.scan), max_watches_(options.max_watches) {
    scan_.look_inside = false;
    start(stop);
  }

  bool collect(ChangeSet& changes, milliseconds most, const std::stop_token& stop) override;
  std::string failure() const override { return failure_; }

 private:
  using RootAndPath = std::pair<std::size_t, std::string>;

  void start(const std::stop_token& stop);
  void start_again(ChangeSet& changes, const std::stop_token& stop);
  void walk_place(std::size_t root_idx, const std::string& path, const std::stop_token& stop);
  ScanSink watching_sink();
  void add_watch(const ScanFolder& folder);
  void remove_watches(std::size_t root_idx, const std::string& path);
  void forget(int watch);
  bool read_events(ChangeSet& changes, const std::stop_token& stop);
  void handle(const inotify_event& event, std::string_view name, ChangeSet& changes,
              const std::stop_token& stop);
  void handle_entry(const ScanFolder& folder, std::string_view name, std::uint32_t mask,
                    ChangeSet& changes, const std::stop_token& stop);
  bool a_missing_root_is_back() const;

  std::vector<fs::path> roots_;
  ScanOptions scan_;
  std::size_t max_watches_;
  FileHandle inotify_;
  std::unordered_map<int, ScanFolder> folders_;  // by watch
  std::map<RootAndPath, int> watches_;           // the reverse: watches by root and path
  std::vector<fs::path> missing_roots_;
  bool lost_track_ = false;
  std::string failure_;
};

void InotifySource::start(const std::stop_token& stop) {
  folders_.clear();
  watches_.clear();
  lost_track_ = false;
  inotify_ = FileHandle();  // closed first, because the number of instances is limited too
  inotify_ = FileHandle(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify_) {
    failure_ = errno == EMFILE ? advice("max_user_instances") : std::strerror(errno);
    return;
  }
  missing_roots_.clear();
  for (const fs::path& root : roots_) {
    std::error_code ignored;
    if (!fs::is_directory(root, ignored)) missing_roots_.push_back(root);
  }
  scan_roots(roots_, scan_, watching_sink(), stop);
}

void InotifySource::start_again(ChangeSet& changes, const std::stop_token& stop) {
  start(stop);
  for (std::size_t i = 0; i < roots_.size(); ++i) changes.add_root(i);
}

ScanSink InotifySource::watching_sink() {
  return {.on_file = [this](const SourceFile&) { return failure_.empty(); },
          .on_folder = [this](const ScanFolder& folder) { add_watch(folder); }};
}

void InotifySource::walk_place(std::size_t root_idx, const std::string& path,
                               const std::stop_token& stop) {
  scan_place(roots_, root_idx, path, scan_, watching_sink(), stop);
}

void InotifySource::add_watch(const ScanFolder& folder) {
  if (!failure_.empty()) return;
  if (folders_.size() >= max_watches_) {
    failure_ = "there are more than " + std::to_string(max_watches_) + " folders";
    return;
  }
  const bool is_root = folder.path.empty();
  const fs::path path = is_root ? roots_[folder.root_idx] : roots_[folder.root_idx] / folder.path;
  const int watch =
      ::inotify_add_watch(inotify_.get(), path.c_str(), kWatched | (is_root ? 0U : IN_DONT_FOLLOW));
  if (watch < 0) {
    // Other errors concern a folder that has disappeared, or that cannot be read anyway.
    if (errno == ENOSPC) failure_ = advice("max_user_watches");
    if (errno == ENOMEM) failure_ = std::strerror(errno);
    return;
  }
  forget(watch);  // a folder that was moved keeps its watch
  folders_[watch] = folder;
  watches_[{folder.root_idx, folder.path}] = watch;
}

void InotifySource::forget(int watch) {
  const auto known = folders_.find(watch);
  if (known == folders_.end()) return;
  const auto place = watches_.find({known->second.root_idx, known->second.path});
  if (place != watches_.end() && place->second == watch) watches_.erase(place);
  folders_.erase(known);
}

// Removes the watches of a folder that was removed or moved, and of everything in it.
void InotifySource::remove_watches(std::size_t root_idx, const std::string& path) {
  std::vector<int> gone;
  const auto own = watches_.find({root_idx, path});
  if (own != watches_.end()) gone.push_back(own->second);
  const std::string inside = path + "/";
  for (auto at = watches_.lower_bound({root_idx, inside});
       at != watches_.end() && at->first.first == root_idx && at->first.second.starts_with(inside);
       ++at) {
    gone.push_back(at->second);
  }
  for (const int watch : gone) {
    ::inotify_rm_watch(inotify_.get(), watch);
    forget(watch);
  }
}

bool InotifySource::a_missing_root_is_back() const {
  std::error_code ignored;
  return std::ranges::any_of(missing_roots_,
                             [&](const fs::path& root) { return fs::is_directory(root, ignored); });
}

bool InotifySource::collect(ChangeSet& changes, milliseconds most, const std::stop_token& stop) {
  constexpr milliseconds kRootCheck{1000};
  const bool some_missing = !missing_roots_.empty();
  wait_for_input(inotify_.get(), some_missing ? std::min(most, kRootCheck) : most, stop);
  if (stop.stop_requested()) return false;
  const bool any = read_events(changes, stop);
  if (!lost_track_ && !(some_missing && a_missing_root_is_back())) return any;
  start_again(changes, stop);
  return true;
}

bool InotifySource::read_events(ChangeSet& changes, const std::stop_token& stop) {
  constexpr int kMaxReads = 256;  // then the caller may check the time
  alignas(inotify_event) std::array<char, 64 * 1024> buffer{};
  bool any = false;
  for (int i = 0; i < kMaxReads && !lost_track_ && failure_.empty(); ++i) {
    const ssize_t n = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (n <= 0) break;
    any = true;
    for (std::size_t at = 0; at < static_cast<std::size_t>(n);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const char* name = buffer.data() + at + sizeof(event);
      handle(event, event.len > 0 ? std::string_view(name) : std::string_view(), changes, stop);
      at += sizeof(event) + event.len;
    }
  }
  return any;
}

void InotifySource::handle(const inotify_event& event, std::string_view name, ChangeSet& changes,
                           const std::stop_token& stop) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) lost_track_ = true;
  const auto known = folders_.find(event.wd);
  if (known == folders_.end()) return;
  const ScanFolder folder = known->second;  // a copy: watches come and go below
  if ((event.mask & IN_IGNORED) != 0) forget(event.wd);
  if (!name.empty()) return handle_entry(folder, name, event.mask, changes, stop);
  // The containing folder reports any other folder.
  const bool is_root = folder.path.empty();
  if ((event.mask & kOfFolderItself) != 0 && (is_root || (event.mask & IN_UNMOUNT) != 0)) {
    lost_track_ = true;
  }
}

void InotifySource::handle_entry(const ScanFolder& folder, std::string_view name,
                                 std::uint32_t mask, ChangeSet& changes,
                                 const std::stop_token& stop) {
  const bool comes_or_goes = (mask & (kAppeared | kGone)) != 0;
  const bool is_folder = (mask & IN_ISDIR) != 0;
  const bool is_git_folder = is_folder && name == ".git";
  if (is_ignore_file(name) && (comes_or_goes || !is_git_folder)) lost_track_ = true;
  if (skip_by_name(folder, name, is_folder, scan_)) return;
  // A folder with such a file is excluded from now on.
  const bool is_mark = !folder.path.empty() && (name == "pyvenv.cfg" || name == "CACHEDIR.TAG");
  const std::string path = is_mark ? folder.path : folder.path_of(name);
  if (is_folder || is_mark) {
    remove_watches(folder.root_idx, path);
    if ((mask & kGone) == 0 || is_mark) walk_place(folder.root_idx, path, stop);
  }
  changes.add_place(folder.root_idx, path);
}

}  // namespace

std::unique_ptr<ChangeSource> make_inotify_source(std::span<const fs::path> roots,
                                                  const WatchOptions& options,
                                                  const std::stop_token& stop, std::string& why) {
  why.clear();
  return std::make_unique<InotifySource>(roots, options, stop);
}

}  // namespace redraft

#else

namespace redraft {

std::unique_ptr<ChangeSource> make_inotify_source(std::span<const std::filesystem::path>,
                                                  const WatchOptions&, const std::stop_token&,
                                                  std::string& why) {
  why = "this system has no inotify";
  return nullptr;
}

}  // namespace redraft

#endif
