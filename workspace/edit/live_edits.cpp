#include "workspace/edit/live_edits.h"

#include <algorithm>
#include <utility>

namespace redraft {
namespace {

constexpr const char* kTouched = "the text it replaces was changed";
constexpr const char* kOvertaken = "a newer edit changes this place";
constexpr const char* kReplaced = "a newer edit of these lines took its place";

bool covers(const LiveEdit& newer, const LiveEdit& older) {
  return newer.uri == older.uri && newer.region && older.region &&
         newer.region->begin <= older.region->begin && older.region->end <= newer.region->end;
}

// Of two insertions at one place nobody could tell which comes first.
bool overlap(const ByteRange& a, const ByteRange& b) {
  return a == b || (a.begin < b.end && b.begin < a.end);
}

// Moves a region along with a change. What is typed at or across one of its edges is no part of it.
void follow(const BufferChange& change, ByteRange* region) {
  const auto& [begin, end] = change.range;
  const auto behind = [&](std::size_t offset) {
    return offset - change.range.size() + change.new_size;
  };
  if (region->begin >= end) {
    region->begin = behind(region->begin);
  } else if (region->begin > begin) {
    region->begin = begin + change.new_size;
  }
  if (region->end > begin) region->end = region->end >= end ? behind(region->end) : begin;
  region->end = std::max(region->begin, region->end);
}

// False when the change dropped the hunk.
bool follow(const std::vector<BufferChange>& changes, LiveHunk& live) {
  for (const BufferChange& change : changes) {
    if (rebase(change, &live.hunk.edit.range)) continue;
    live.dropped = true;
    live.reason = kTouched;
    return false;
  }
  return true;
}

}  // namespace

Result<void> LiveEdits::check_room(const std::string& uri) const {
  const auto n_alive = std::ranges::count_if(edits_, [&](const auto& entry) {
    const LiveEdit& edit = entry.second;
    return edit.uri == uri && !edit.replaced && !(edit.stopped && edit.hunks.empty());
  });
  if (n_alive < kMaxDocumentPart) return {};
  return Error(std::to_string(n_alive) +
               " edits of this document run or wait for a decision, which is as many as there can "
               "be: accept, reject or cancel some of them first");
}

EditId LiveEdits::add(std::string uri) {
  edits_[++last_id_].uri = std::move(uri);
  return last_id_;
}

LiveEdit* LiveEdits::find(EditId id) {
  const auto found = edits_.find(id);
  return found == edits_.end() ? nullptr : &found->second;
}

LiveEdits::Replaced LiveEdits::set_region(EditId id, ByteRange region) {
  Replaced replaced;
  LiveEdit* edit = find(id);
  if (edit == nullptr || edit->uri.empty() || !edit->running || edit->stopped) return replaced;
  for (const BufferChange& change : edit->changes) follow(change, &region);
  edit->region = region;
  // The regions of two edits may become known in any order.
  for (auto newer = edits_.find(id); newer != edits_.end(); ++newer) {
    if (!newer->second.running || newer->second.stopped) continue;
    for (auto& [older_id, older] : edits_) {
      if (older_id >= newer->first) break;
      if (covers(newer->second, older)) replace(older_id, older, replaced);
    }
  }
  tidy();
  return replaced;
}

void LiveEdits::replace(EditId id, LiveEdit& edit, Replaced& replaced) {
  if (edit.replaced) return;
  edit.replaced = true;
  if (edit.running && !edit.stopped) {
    edit.cancel_reason = kReplaced;
    replaced.running.push_back(id);
  }
  for (LiveHunk& live : std::exchange(edit.hunks, {})) {
    live.dropped = true;
    live.reason = kReplaced;
    replaced.dropped.push_back({id, std::move(live)});
  }
}

LiveEdits::Received LiveEdits::receive(EditId id, Hunk hunk, std::int64_t version) {
  LiveEdit& edit = edits_.at(id);
  Received received{{std::move(hunk), version, false, {}}, {}};
  LiveHunk& live = received.hunk;
  const bool stands = follow(edit.changes, live);
  const ByteRange& range = live.hunk.edit.range;
  if (edit.replaced || (stands && is_overtaken(id, range))) {
    live.dropped = true;
    live.reason = edit.replaced ? kReplaced : kOvertaken;
  }
  if (live.dropped) return received;
  received.dropped = overtake(id, range);
  edit.hunks.push_back(live);
  tidy();
  return received;
}

bool LiveEdits::is_overtaken(EditId id, const ByteRange& range) const {
  const std::string& uri = edits_.at(id).uri;
  return std::ranges::any_of(edits_.upper_bound(id), edits_.end(), [&](const auto& newer) {
    return newer.second.uri == uri &&
           std::ranges::any_of(newer.second.hunks, [&](const LiveHunk& theirs) {
             return overlap(range, theirs.hunk.edit.range);
           });
  });
}

std::vector<LiveEdits::News> LiveEdits::overtake(EditId id, const ByteRange& range) {
  const std::string& uri = edits_.at(id).uri;
  std::vector<News> dropped;
  for (auto older = edits_.begin(); older->first != id; ++older) {
    if (older->second.uri != uri) continue;
    std::erase_if(older->second.hunks, [&](LiveHunk& theirs) {
      if (!overlap(range, theirs.hunk.edit.range)) return false;
      theirs.dropped = true;
      theirs.reason = kOvertaken;
      dropped.push_back({older->first, theirs});
      return true;
    });
  }
  return dropped;
}

std::vector<LiveEdits::News> LiveEdits::change(const std::string& uri, std::int64_t version,
                                               const std::vector<BufferChange>& changes) {
  std::vector<News> news;
  for (auto& [id, edit] : edits_) {
    if (edit.uri != uri) continue;
    if (edit.running) edit.changes.insert(edit.changes.end(), changes.begin(), changes.end());
    if (edit.region) {
      for (const BufferChange& change : changes) follow(change, &*edit.region);
    }
    for (LiveHunk& live : edit.hunks) {
      const ByteRange before = live.hunk.edit.range;
      live.version = version;
      if (!follow(changes, live) || live.hunk.edit.range != before) news.push_back({id, live});
    }
    std::erase_if(edit.hunks, [](const LiveHunk& live) { return live.dropped; });
  }
  tidy();
  return news;
}

std::vector<TextEdit> LiveEdits::take(EditId id, const std::optional<std::vector<int>>& ids) {
  std::vector<TextEdit> taken;
  std::erase_if(edits_.at(id).hunks, [&](const LiveHunk& live) {
    if (ids && std::ranges::find(*ids, live.hunk.id) == ids->end()) return false;
    taken.push_back(live.hunk.edit);
    return true;
  });
  tidy();
  return taken;
}

std::vector<EditId> LiveEdits::forget(const std::string& uri) {
  std::vector<EditId> running;
  for (auto& [id, edit] : edits_) {
    if (edit.uri != uri) continue;
    edit.hunks.clear();
    edit.uri.clear();  // a document opened later under this name is not the one it edits
    if (edit.running) running.push_back(id);
  }
  tidy();
  return running;
}

void LiveEdits::tidy() {
  std::erase_if(edits_, [](const auto& entry) {
    return !entry.second.running && entry.second.hunks.empty();
  });
}

}  // namespace redraft
