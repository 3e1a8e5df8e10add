#include <algorithm>
#include <cstdint>
#include <utility>

#include "indexing/files/change_source.h"

namespace redraft {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Distinguishes one state of a file from another without reading the file.
struct FileState {
  std::uint64_t size = 0;
  std::int64_t modified = 0;
  std::uint64_t inode = 0;

  bool operator==(const FileState&) const = default;
};

class PollingSource : public ChangeSource {
 public:
  PollingSource(std::span<const std::filesystem::path> roots, const WatchOptions& options,
                const std::stop_token& stop)
      : roots_(roots.begin(), roots.end()), scan_(options.scan), pause_(options.poll_every) {
    scan_.look_inside = false;
    walk(files_, stop);
  }

  bool collect(ChangeSet& changes, milliseconds most, const std::stop_token& stop) override {
    const auto left = std::chrono::ceil<milliseconds>(next_walk_ - Clock::now());
    wait_for_input(-1, std::clamp(left, milliseconds(0), most), stop);
    if (stop.stop_requested() || Clock::now() < next_walk_) return false;
    Files now;
    if (!walk(now, stop)) return false;
    const bool any = now != files_;
    add_differences(now, changes);
    files_ = std::move(now);
    return any;
  }

  std::string failure() const override { return {}; }

 private:
  using Files = std::map<ChangedPlace, FileState>;

  // Returns whether the walk was completed.
  bool walk(Files& files, const std::stop_token& stop) {
    const Clock::time_point begin = Clock::now();
    const auto add = [&](const SourceFile& file) {
      files[{file.root_idx, file.path}] = {file.size, file.modified, file.inode};
      return true;
    };
    scan_roots(roots_, scan_, {.on_file = add}, stop);
    const Clock::duration took = Clock::now() - begin;
    next_walk_ = Clock::now() + std::max<Clock::duration>(pause_, 20 * took);
    return !stop.stop_requested();
  }

  void add_differences(const Files& now, ChangeSet& changes) const {
    for (const auto& [place, state] : now) {
      const auto before = files_.find(place);
      if (before == files_.end() || before->second != state) {
        changes.add_place(place.root_idx, place.path);
      }
    }
    for (const auto& [place, state] : files_) {
      if (!now.contains(place)) changes.add_place(place.root_idx, place.path);
    }
  }

  std::vector<std::filesystem::path> roots_;
  ScanOptions scan_;
  milliseconds pause_;
  Files files_;
  Clock::time_point next_walk_;
};

}  // namespace

std::unique_ptr<ChangeSource> make_polling_source(std::span<const std::filesystem::path> roots,
                                                  const WatchOptions& options,
                                                  const std::stop_token& stop) {
  return std::make_unique<PollingSource>(roots, options, stop);
}

}  // namespace redraft
