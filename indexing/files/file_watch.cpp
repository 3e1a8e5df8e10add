#include "indexing/files/file_watch.h"

#include <algorithm>
#include <utility>

#include "indexing/files/change_source.h"

namespace redraft {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLongTime = std::chrono::hours(1);
// With more places than this, a walk is faster.
constexpr std::size_t kMaxPlaces = 50'000;

}  // namespace

void ChangeSet::add_place(std::size_t root_idx, std::string path) {
  if (roots_.contains(root_idx)) return;
  places_.insert({root_idx, std::move(path)});
  if (places_.size() <= kMaxPlaces) return;
  for (const ChangedPlace& place : places_) roots_.insert(place.root_idx);
  places_.clear();
}

FileChanges ChangeSet::take() {
  FileChanges changes;
  changes.roots.assign(roots_.begin(), roots_.end());
  for (const ChangedPlace& place : places_) {
    if (roots_.contains(place.root_idx)) continue;
    // Other names may sort between a folder and its contents ("a", "a b", "a/c").
    bool is_listed = false;
    for (std::size_t at = place.path.find('/'); at != std::string::npos && !is_listed;
         at = place.path.find('/', at + 1)) {
      is_listed = places_.contains({place.root_idx, place.path.substr(0, at)});
    }
    is_listed = is_listed || (!place.path.empty() && places_.contains({place.root_idx, ""}));
    if (!is_listed) changes.places.push_back(place);
  }
  *this = {};
  return changes;
}

FileWatch::FileWatch(std::vector<std::filesystem::path> roots, WatchOptions options,
                     std::stop_token stop)
    : roots_(std::move(roots)), options_(std::move(options)) {
  std::string why = "polling was requested";
  if (!options_.always_poll) source_ = make_inotify_source(roots_, options_, stop, why);
  if (source_ != nullptr) why = source_->failure();
  if (!why.empty()) start_polling(std::move(why), stop);
}

FileWatch::~FileWatch() = default;

void FileWatch::start_polling(std::string why, const std::stop_token& stop) {
  why_polling_ = std::move(why);
  source_.reset();  // frees the watches before the slow walk
  source_ = make_polling_source(roots_, options_, stop);
}

FileChanges FileWatch::next(std::stop_token stop) {
  ChangeSet changes;
  Clock::time_point begin;
  while (!stop.stop_requested()) {
    const bool is_first = changes.empty();
    const bool any = source_->collect(changes, is_first ? kLongTime : options_.quiet, stop);
    if (const std::string why = source_->failure(); !why.empty()) {
      start_polling(why, stop);
      for (std::size_t i = 0; i < roots_.size(); ++i) changes.add_root(i);
    }
    if (is_first) begin = Clock::now();
    if (changes.empty()) continue;
    if ((!any && !is_first) || Clock::now() - begin > options_.longest) break;
  }
  return changes.take();
}

}  // namespace redraft
