#include "workspace/documents/change_history.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "workspace/documents/diff.h"
#include "workspace/documents/edit_region.h"

namespace redraft {
namespace {

// The number of remembered places per document, and of remembered documents.
constexpr std::size_t kPlaces = 4;
constexpr std::size_t kDocuments = 8;
// Changes within this many lines of each other are one place.
constexpr int kNearLines = 8;
// A larger change is a rewrite or a checkout of a branch, not an example to follow.
constexpr std::size_t kMaxLines = 80;

}  // namespace

void ChangeHistory::add(const std::shared_ptr<const Document>& before, const Document& after,
                        const std::vector<BufferChange>& changes) {
  std::deque<RememberedPlace>& places = places_[after.uri()];
  for (const BufferChange& change : changes) {
    const std::size_t offset = std::min(change.range.begin, after.text().size());
    const int line = after.lines().line_of(offset);
    if (places.empty() || std::abs(places.back().line - line) > kNearLines)
      places.push_back({before, line});
    places.back().line = line;
    if (places.size() > kPlaces) places.pop_front();
  }
  if (changes.empty()) return;
  std::erase(changed_, after.uri());
  changed_.push_front(after.uri());
  if (changed_.size() <= kDocuments) return;
  places_.erase(changed_.back());
  changed_.pop_back();
}

void ChangeHistory::forget(const std::string& uri) {
  places_.erase(uri);
  std::erase(changed_, uri);
}

std::vector<RecentChange> ChangeHistory::changes_of(
    const std::shared_ptr<const Document>& now) const {
  const auto places = places_.find(now->uri());
  if (places == places_.end() || places->second.empty()) return {};
  const std::shared_ptr<const Document>& then = places->second.front().before;
  if (std::max(then->text().size(), now->text().size()) > kMaxBytesCompared) return {};
  const Result<EditRegion> old_file = EditRegion::make(then, EditScope::kFile, {});
  const Result<EditRegion> new_file = EditRegion::make(now, EditScope::kFile, {});
  if (!old_file || !new_file) return {};
  std::vector<RecentChange> result;
  std::size_t n_lines = 0;
  int shift = 0;
  for (LineChange& change : diff_lines(old_file->lines(), new_file->lines())) {
    RecentChange recent{now, change.old_begin + shift, {}, std::move(change.new_lines)};
    for (int line = change.old_begin; line < change.old_end; ++line)
      recent.before.emplace_back(old_file->lines()[static_cast<std::size_t>(line)]);
    shift += static_cast<int>(recent.after.size()) - static_cast<int>(recent.before.size());
    n_lines += recent.after.size() + recent.before.size();
    result.push_back(std::move(recent));
  }
  if (n_lines > kMaxLines) result.clear();
  return result;
}

}  // namespace redraft
