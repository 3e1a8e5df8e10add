#include "workspace/edit/live_edits.h"

#include <algorithm>
#include <utility>

#include "support/enter_state.h"

namespace redraft {
namespace {

using State = LiveEdit::State;

constexpr const char* kTouched = "the text it replaces was changed";
constexpr const char* kOvertaken = "a newer edit changes this place";
constexpr const char* kReplaced = "a newer edit of these lines took its place";

bool covers(const LiveEdit& newer, const LiveEdit& older) {
  return newer.uri == older.uri && !older.regions.empty() &&
         std::ranges::all_of(older.regions, [&](const ByteRange& old) {
           return std::ranges::any_of(newer.regions, [&](const ByteRange& region) {
             return region.begin <= old.begin && old.end <= region.end;
           });
         });
}

// The order of two insertions at one place would be undefined.
bool overlap(const ByteRange& a, const ByteRange& b) {
  return a == b || (a.begin < b.end && b.begin < a.end);
}

// Moves a region along with a change. Text typed at or across one of its edges is not part of it.
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

// False if a change touches the hunk's place.
bool follow(const std::vector<BufferChange>& changes, LiveHunk& live) {
  return std::ranges::all_of(
      changes, [&](const BufferChange& change) { return rebase(change, &live.hunk.edit.range); });
}

// Whether the changes may move line and character of a place whose bytes stay where they are:
// as many bytes before it were replaced by others.
bool may_move_lines(const std::vector<BufferChange>& changes, const ByteRange& range) {
  return std::ranges::any_of(changes, [&](const BufferChange& change) {
    return change.new_size > 0 && change.range.begin < range.begin;
  });
}

}  // namespace

Result<void> LiveEdits::check_room(const std::string& uri) const {
  const auto n_alive = std::ranges::count_if(edits_, [&](const auto& entry) {
    const LiveEdit& edit = entry.second;
    return edit.uri == uri && edit.counts() &&
           !(edit.state == State::kStopping && edit.hunks.empty());
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

const LiveEdit* LiveEdits::find(EditId id) const {
  const auto found = edits_.find(id);
  return found == edits_.end() ? nullptr : &found->second;
}

LiveEdits::Consequences LiveEdits::set_regions(EditId id, std::vector<ByteRange> regions) {
  Consequences then;
  const auto asked = edits_.find(id);
  if (asked == edits_.end() || asked->second.state != State::kRunning) return then;
  for (ByteRange& region : regions) {
    for (const BufferChange& change : asked->second.changes) follow(change, &region);
  }
  asked->second.regions = std::move(regions);
  // The regions of two edits may become known in any order.
  for (auto newer = asked; newer != edits_.end(); ++newer) {
    if (newer->second.state != State::kRunning) continue;
    for (auto older = edits_.begin(); older != newer; ++older) {
      if (older->second.counts() && covers(newer->second, older->second))
        replace(older->first, older->second, then);
    }
  }
  settle(then);
  return then;
}

void LiveEdits::replace(EditId id, LiveEdit& edit, Consequences& then) {
  drop_all(id, edit, kReplaced, then);
  if (!edit.runs()) return;
  if (edit.state == State::kRunning) {
    edit.why_stopped = kReplaced;
    then.to_stop.push_back(id);
  }
  edit.changes.clear();
  enter_state(edit.state, State::kReplaced);
}

void LiveEdits::drop_all(EditId id, LiveEdit& edit, const std::string& why, Consequences& then) {
  if (edit.hunks.empty()) return;
  for (LiveHunk& live : edit.hunks) drop(edit, live, why);
  then.news.push_back({id, std::exchange(edit.hunks, {})});
}

void LiveEdits::drop(LiveEdit& edit, LiveHunk& live, const std::string& why) {
  live.dropped = true;
  live.reason = why;
  ++edit.n_dropped;
}

LiveEdits::Received LiveEdits::receive(EditId id, Hunk hunk, std::int64_t version) {
  LiveEdit& edit = edits_.at(id);
  Received received{{std::move(hunk), version, false, {}}, {}};
  LiveHunk& live = received.hunk;
  if (!edit.counts()) {
    drop(edit, live, kReplaced);
  } else if (!follow(edit.changes, live)) {
    drop(edit, live, kTouched);
  } else if (is_overtaken(id, live.hunk.edit.range)) {
    drop(edit, live, kOvertaken);
  } else {
    overtake(id, live.hunk.edit.range, received.then);
    edit.hunks.push_back(live);
    settle(received.then);
  }
  return received;
}

std::optional<LiveEdits::Consequences> LiveEdits::withdraw(EditId id, const std::string& why) {
  LiveEdit& edit = edits_.at(id);
  edit.keeps_first = edit.decided;
  if (edit.decided) return std::nullopt;
  Consequences then;
  drop_all(id, edit, why, then);
  for (News& news : then.news) {
    for (LiveHunk& live : news.hunks) live.replaced = true;
  }
  edit.n_dropped = 0;  // none is missing of those that are to come
  return then;
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

void LiveEdits::overtake(EditId id, const ByteRange& range, Consequences& then) {
  const std::string& uri = edits_.at(id).uri;
  for (auto older = edits_.begin(); older->first != id; ++older) {
    if (older->second.uri != uri) continue;
    News news{older->first, {}};
    std::erase_if(older->second.hunks, [&](LiveHunk& theirs) {
      if (!overlap(range, theirs.hunk.edit.range)) return false;
      drop(older->second, theirs, kOvertaken);
      news.hunks.push_back(theirs);
      return true;
    });
    if (!news.hunks.empty()) then.news.push_back(std::move(news));
  }
}

LiveEdits::Consequences LiveEdits::change(const std::string& uri, std::int64_t version,
                                          const std::vector<BufferChange>& changes) {
  Consequences then;
  for (auto& [id, edit] : edits_) {
    if (edit.uri != uri || !edit.counts()) continue;
    if (edit.runs()) edit.changes.insert(edit.changes.end(), changes.begin(), changes.end());
    for (ByteRange& region : edit.regions) {
      for (const BufferChange& change : changes) follow(change, &region);
    }
    News news{id, {}};
    for (LiveHunk& live : edit.hunks) {
      const ByteRange before = live.hunk.edit.range;
      live.version = version;
      const bool stands = follow(changes, live);
      if (!stands) drop(edit, live, kTouched);
      if (!stands || live.hunk.edit.range != before || may_move_lines(changes, before))
        news.hunks.push_back(live);
    }
    std::erase_if(edit.hunks, [](const LiveHunk& live) { return live.dropped; });
    if (!news.hunks.empty()) then.news.push_back(std::move(news));
  }
  settle(then);
  return then;
}

LiveEdits::Taken LiveEdits::take(EditId id, const std::optional<std::vector<int>>& ids) {
  Taken taken;
  LiveEdit& edit = edits_.at(id);
  std::erase_if(edit.hunks, [&](const LiveHunk& live) {
    if (ids && std::ranges::find(*ids, live.hunk.id) == ids->end()) return false;
    edit.decided = true;
    taken.edits.push_back(live.hunk.edit);
    return true;
  });
  settle(taken.then);
  return taken;
}

LiveEdits::Consequences LiveEdits::forget(const std::string& uri, const std::string& why) {
  Consequences then;
  for (auto& [id, edit] : edits_) {
    if (edit.uri != uri || edit.state == State::kOrphaned) continue;
    drop_all(id, edit, why, then);
    if (!edit.runs()) continue;
    if (edit.why_stopped.empty()) edit.why_stopped = why;
    edit.changes.clear();
    enter_state(edit.state, State::kOrphaned);
    then.to_stop.push_back(id);
  }
  settle(then);
  return then;
}

bool LiveEdits::stop(EditId id) {
  const auto found = edits_.find(id);
  if (found == edits_.end() || !found->second.runs()) return false;
  if (found->second.state == State::kRunning) enter_state(found->second.state, State::kStopping);
  return true;
}

void LiveEdits::settle_doubts(EditId id, const EditResult& result) {
  const auto found = edits_.find(id);
  if (found == edits_.end()) return;
  LiveEdit& edit = found->second;
  const std::vector<Hunk>& hunks = edit.keeps_first ? result.hunks_before : result.hunks;
  for (LiveHunk& live : edit.hunks) {
    const auto settled = std::ranges::find(hunks, live.hunk.id, &Hunk::id);
    if (settled != hunks.end()) live.hunk.doubt = settled->doubt;
  }
}

bool LiveEdits::end(EditId id) {
  const auto found = edits_.find(id);
  if (found == edits_.end() || !found->second.runs()) return false;
  LiveEdit& edit = found->second;
  edit.changes.clear();
  enter_state(edit.state, edit.counts() ? State::kEnded : State::kOver);
  return true;
}

LiveEdits::Consequences LiveEdits::settle() {
  Consequences then;
  settle(then);
  return then;
}

void LiveEdits::settle(Consequences& then) {
  for (auto& [id, edit] : edits_) {
    if (edit.state == State::kEnded && edit.hunks.empty()) enter_state(edit.state, State::kOver);
    if (edit.state == State::kOver) then.over.push_back(id);
  }
  for (const EditId id : then.over) edits_.erase(id);
}

}  // namespace redraft
