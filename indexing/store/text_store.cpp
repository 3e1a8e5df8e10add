#include "indexing/store/text_store.h"

#include <algorithm>
#include <array>
#include <utility>

namespace redraft {
namespace {

// A segment of one tier has up to eight times the tokens of a segment of the next lower tier. Eight
// segments of a tier are merged, so that a text is rewritten only a few times and a search visits
// few segments.
constexpr std::size_t kSmallest = 4096;  // tokens of the lowest tier
constexpr std::size_t kFactor = 8;
constexpr int kTiers = 5;
// A segment with a larger hidden part is rewritten.
constexpr double kMaxHidden = 0.4;
// Merges of this many tokens are written to disk at once: four and a half times as many bytes.
constexpr std::size_t kForDisk = std::size_t{1} << 20;

int tier_of(std::size_t tokens) {
  int tier = 0;
  for (std::size_t most = kSmallest; tokens > most && tier < kTiers - 1; most *= kFactor) ++tier;
  return tier;
}

// The definitions of a segment, by text.
class Definitions {
 public:
  explicit Definitions(const Segment& segment)
      : all_(segment.definitions().begin(), segment.definitions().end()) {
    std::ranges::stable_sort(all_, {}, &StoredDefinition::text);
  }
  std::span<const StoredDefinition> of(std::size_t text) const {
    const auto begin = std::ranges::lower_bound(all_, text, {}, &StoredDefinition::text);
    return {begin, std::ranges::upper_bound(begin, all_.end(), text, {}, &StoredDefinition::text)};
  }

 private:
  std::vector<StoredDefinition> all_;
};

}  // namespace

TextStore::TextStore(std::optional<StoreFolder> folder, std::function<void()> while_merging)
    : folder_(std::move(folder)), while_merging_(std::move(while_merging)) {
  publish();
}

TextStore::EntryPointer TextStore::entry_of(StoreManifest::Segment listed,
                                            std::shared_ptr<const Segment> segment) {
  auto entry = std::make_shared<Entry>();
  entry->segment = std::move(segment);
  entry->number = listed.number;
  entry->verified = false;
  std::vector<std::string> names(listed.texts.size());
  for (std::size_t text = 0; text < names.size(); ++text) {
    auto& known = listed.texts[text];
    entry->stamps.push_back(known ? std::optional(known->stamp) : std::nullopt);
    if (known) names[text] = std::move(known->name);
  }
  entry->names = std::make_shared<const std::vector<std::string>>(std::move(names));
  for (std::size_t text = 0; text < entry->stamps.size(); ++text) {
    if (!entry->stamps[text]) hide({entry, text});
  }
  return entry;
}

Result<void> TextStore::load() {
  const std::lock_guard background(background_);
  if (!folder_) return {};
  Result<StoreFolder::Contents> contents = folder_->load();
  if (!contents) return contents.error();
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < contents->segments.size(); ++i) {
    add(entry_of(std::move(contents->manifest.segments[i]), contents->segments[i]));
  }
  publish();
  return {};
}

void TextStore::put(std::vector<Text> texts) {
  SegmentTexts all;
  auto entry = std::make_shared<Entry>();
  std::vector<std::string> names;
  for (Text& text : texts) {
    all.add(text.tokens, text.definitions);
    names.push_back(std::move(text.name));
    entry->stamps.emplace_back(text.stamp);
  }
  entry->names = std::make_shared<const std::vector<std::string>>(std::move(names));
  texts.clear();
  entry->segment = std::make_shared<const Segment>(std::move(all));
  const std::lock_guard lock(mutex_);
  add(std::move(entry));
  publish();
}

void TextStore::erase(std::span<const std::string> names) {
  const std::lock_guard lock(mutex_);
  for (const std::string& name : names) forget(name);
  publish();
}

std::optional<FileStamp> TextStore::stamp(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(name);
  if (found == places_.end()) return std::nullopt;
  return found->second.entry->stamps[found->second.text];
}

std::vector<std::string> TextStore::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  names.reserve(places_.size());
  for (const auto& [name, place] : places_) names.push_back(name);
  return names;
}

std::vector<std::string> TextStore::names_at(const std::string& path) const {
  const std::string folder = path.ends_with('/') ? path : path + "/";
  std::vector<std::string> names;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, place] : places_) {
    if (name == path || name.starts_with(folder)) names.push_back(name);
  }
  return names;
}

std::shared_ptr<const IndexSnapshot> TextStore::snapshot(const std::string& without) const {
  const std::lock_guard lock(mutex_);
  const auto found = without.empty() ? places_.end() : places_.find(without);
  if (found == places_.end()) return snapshot_;
  const auto& [entry, text] = found->second;
  std::vector<IndexSnapshot::Part> parts = snapshot_->parts();
  for (IndexSnapshot::Part& part : parts) {
    const Segment& segment = *entry->segment;
    if (part.segment != entry->segment || segment.text(text).empty()) continue;
    const auto hidden = part.hidden ? std::make_shared<HiddenRanges>(*part.hidden)
                                    : std::make_shared<HiddenRanges>();
    hidden->add(segment.text_begin(text), segment.text_end(text));
    part.hidden = hidden;
  }
  return std::make_shared<const IndexSnapshot>(std::move(parts));
}

void TextStore::hide(const TextInEntry& place) {
  Entry& entry = *place.entry;
  if (std::exchange(entry.shared, false))
    entry.hidden = std::make_shared<HiddenRanges>(*entry.hidden);
  entry.stamps[place.text].reset();
  const Segment& segment = *entry.segment;
  if (!segment.text(place.text).empty())
    entry.hidden->add(segment.text_begin(place.text), segment.text_end(place.text));
}

void TextStore::forget(const std::string& name) {
  const auto found = places_.find(name);
  if (found == places_.end()) return;
  hide(found->second);
  places_.erase(found);
}

void TextStore::add(EntryPointer entry) {
  for (std::size_t text = 0; text < entry->stamps.size(); ++text) {
    if (!entry->stamps[text]) continue;
    const std::string& name = (*entry->names)[text];
    forget(name);
    places_[name] = {entry, text};
  }
  entries_.push_back(std::move(entry));
}

// Also removes entries without visible texts.
void TextStore::publish() {
  std::erase_if(entries_, [](const EntryPointer& entry) {
    return std::ranges::none_of(entry->stamps, [](const auto& stamp) { return stamp.has_value(); });
  });
  std::vector<IndexSnapshot::Part> parts;
  for (const EntryPointer& entry : entries_) {
    entry->shared = true;
    parts.push_back(
        {entry->segment, entry->hidden->empty() ? nullptr : entry->hidden, entry->names});
  }
  snapshot_ = std::make_shared<const IndexSnapshot>(std::move(parts));
}

std::vector<TextStore::EntryPointer> TextStore::due_for_merge(bool on_disk) const {
  std::array<std::vector<EntryPointer>, kTiers> tiers;
  for (const EntryPointer& entry : entries_) {
    if (entry->number && !on_disk) continue;
    const std::size_t tokens = entry->segment->token_count();
    if (static_cast<double>(entry->hidden->size()) > kMaxHidden * static_cast<double>(tokens))
      return {entry};
    tiers[static_cast<std::size_t>(tier_of(tokens))].push_back(entry);
  }
  for (std::vector<EntryPointer>& tier : tiers) {
    std::ranges::sort(tier, {}, [](const auto& entry) { return entry->segment->token_count(); });
    std::size_t tokens = 0;
    std::size_t count = 0;
    while (count < tier.size() && count < 2 * kFactor &&
           tokens + tier[count]->segment->token_count() <= kMaxSegmentTokens)
      tokens += tier[count++]->segment->token_count();
    tier.resize(count);
    const bool top = &tier == &tiers.back();
    // In the top tier, merges into as few segments as possible.
    if (count >= (top ? 2 : kFactor)) return tier;
  }
  return {};
}

TextStore::Merge TextStore::begin_merge(std::vector<EntryPointer> entries) const {
  Merge merge;
  for (const EntryPointer& entry : entries) {
    for (std::size_t text = 0; text < entry->stamps.size(); ++text) {
      if (!entry->stamps[text]) continue;
      merge.places.push_back({entry, text});
      merge.names.push_back((*entry->names)[text]);
      merge.stamps.push_back(entry->stamps[text]);
    }
  }
  merge.entries = std::move(entries);
  return merge;
}

// Hides, in the merge's result, texts that were replaced while it ran.
void TextStore::finish_merge(const Merge& merge, EntryPointer merged) {
  for (std::size_t text = 0; text < merge.places.size(); ++text) {
    const TextInEntry& before = merge.places[text];
    if (before.entry->stamps[before.text]) {
      places_[(*merged->names)[text]] = {merged, text};
    } else {
      hide({merged, text});
    }
  }
  std::erase_if(entries_, [&](const EntryPointer& entry) {
    return std::ranges::find(merge.entries, entry) != merge.entries.end();
  });
  entries_.push_back(std::move(merged));
  publish();
}

// A single segment in which every text still counts needs no rebuilding.
std::shared_ptr<const Segment> TextStore::merged_segment(const Merge& merge) {
  const std::shared_ptr<const Segment>& first = merge.entries.front()->segment;
  if (merge.entries.size() == 1 && merge.places.size() == first->text_count()) return first;
  SegmentTexts all;
  for (auto place = merge.places.begin(); place != merge.places.end();) {
    const EntryPointer& entry = place->entry;
    const Definitions definitions(*entry->segment);
    for (; place != merge.places.end() && place->entry == entry; ++place)
      all.add(entry->segment->text(place->text), definitions.of(place->text));
  }
  for (const EntryPointer& entry : merge.entries) entry->segment->release_pages();
  return std::make_shared<const Segment>(std::move(all));
}

void TextStore::run_merge(Merge merge, bool to_disk) {
  auto merged = std::make_shared<Entry>();
  merged->segment = merged_segment(merge);
  merged->names = std::make_shared<const std::vector<std::string>>(std::move(merge.names));
  merged->stamps = std::move(merge.stamps);
  if (to_disk && folder_ && folder_->may_write()) {
    Result<StoreFolder::Written> written = folder_->write(*merged->segment);
    if (written) {
      merged->segment = written->segment;
      merged->number = written->number;
    } else {
      problem_ = written.error();
    }
  }
  if (while_merging_) while_merging_();
  const std::lock_guard lock(mutex_);
  finish_merge(merge, std::move(merged));
}

std::size_t TextStore::verify(const std::stop_token& stop) {
  const std::lock_guard background(background_);
  std::vector<EntryPointer> entries;
  {
    const std::lock_guard lock(mutex_);
    entries = entries_;
  }
  return verify(entries, stop);
}

std::size_t TextStore::verify(const std::vector<EntryPointer>& entries,
                              const std::stop_token& stop) {
  std::size_t forgotten = 0;
  for (const EntryPointer& entry : entries) {
    if (entry->verified) continue;
    if (stop.stop_requested()) break;
    const Result<void> sound = entry->segment->verify();
    entry->segment->release_pages();
    entry->verified = true;
    if (sound) continue;
    const std::lock_guard lock(mutex_);
    damaged_.insert(*entry->number);
    for (std::size_t text = 0; text < entry->stamps.size(); ++text) {
      if (!entry->stamps[text]) continue;
      forget((*entry->names)[text]);
      ++forgotten;
    }
    publish();
  }
  return forgotten;
}

bool TextStore::merge() {
  const std::lock_guard background(background_);
  // The writer merges the segments on disk; a merge here would keep the result in memory.
  const bool on_disk = folder_ && folder_->may_write();
  Merge merge;
  {
    const std::lock_guard lock(mutex_);
    merge = begin_merge(due_for_merge(on_disk));
  }
  if (merge.entries.empty()) return false;
  if (verify(merge.entries, {}) > 0) return true;  // something else is due now
  std::size_t tokens = 0;
  for (const TextInEntry& place : merge.places)
    tokens += place.entry->segment->text(place.text).size();
  run_merge(std::move(merge), tokens >= kForDisk);
  return true;
}

Result<void> TextStore::save() {
  const std::lock_guard background(background_);
  if (!folder_ || !folder_->may_write()) return {};
  problem_.reset();
  for (;;) {  // each round takes the entries that fit in one segment
    Merge merge;
    {
      const std::lock_guard lock(mutex_);
      std::vector<EntryPointer> entries;
      std::size_t tokens = 0;
      for (const EntryPointer& entry : entries_) {
        if (entry->number) continue;
        const std::size_t more = entry->segment->token_count();
        // A large entry is written as it is.
        if (!entries.empty() && (more >= kForDisk || tokens + more > kMaxSegmentTokens)) continue;
        entries.push_back(entry);
        tokens += more;
        if (more >= kForDisk) break;
      }
      merge = begin_merge(std::move(entries));
    }
    if (merge.entries.empty()) break;
    run_merge(std::move(merge), true);
    if (problem_) return *problem_;
  }
  StoreManifest saved;
  {
    const std::lock_guard lock(mutex_);
    saved = manifest();
  }
  return folder_->save(saved);
}

// Lists the content of the files. A text that changed after they were written is omitted; a scan of
// its folder finds it again.
StoreManifest TextStore::manifest() const {
  StoreManifest manifest;
  for (const EntryPointer& entry : entries_) {
    if (!entry->number) continue;
    StoreManifest::Segment& segment = manifest.segments.emplace_back();
    segment.number = *entry->number;
    for (std::size_t text = 0; text < entry->stamps.size(); ++text) {
      const auto& stamp = entry->stamps[text];
      if (stamp) {
        segment.texts.emplace_back(StoreManifest::Text{(*entry->names)[text], *stamp});
      } else {
        segment.texts.emplace_back();
      }
    }
  }
  return manifest;
}

TextStore::Statistics TextStore::statistics() const {
  const std::lock_guard lock(mutex_);
  Statistics statistics;
  statistics.texts = places_.size();
  statistics.segments = entries_.size();
  for (const EntryPointer& entry : entries_) {
    const std::size_t hidden = entry->hidden->size();
    statistics.tokens += entry->segment->token_count() - hidden;
    statistics.hidden_tokens += hidden;
    if (!entry->number) statistics.memory_tokens += entry->segment->token_count();
  }
  return statistics;
}

bool TextStore::is_reader() {
  const std::lock_guard background(background_);
  return folder_ && !folder_->may_write();
}

bool TextStore::adopt() {
  const std::lock_guard background(background_);
  if (!folder_ || folder_->may_write()) return false;
  Result<StoreFolder::Contents> contents = folder_->load();
  if (!contents) return false;
  const std::lock_guard lock(mutex_);
  bool any = false;
  for (std::size_t i = 0; i < contents->segments.size(); ++i) {
    StoreManifest::Segment& listed = contents->manifest.segments[i];
    const auto known = [&](const EntryPointer& entry) { return entry->number == listed.number; };
    if (std::ranges::any_of(entries_, known) || damaged_.contains(listed.number)) continue;
    const EntryPointer entry = entry_of(std::move(listed), contents->segments[i]);
    for (std::size_t text = 0; text < entry->stamps.size(); ++text) {
      const std::optional<FileStamp>& stamp = entry->stamps[text];
      if (!stamp) continue;
      const auto own = places_.find((*entry->names)[text]);
      const bool differs =
          own != places_.end() && own->second.entry->stamps[own->second.text] != stamp;
      // A text without a stamp is a buffer of the writer's editor.
      if (differs || *stamp == FileStamp()) hide({entry, text});
    }
    add(entry);
    any = true;
  }
  publish();
  return any;
}

std::optional<std::filesystem::path> TextStore::save_folder() {
  const std::lock_guard background(background_);
  if (!folder_ || !folder_->may_write()) return std::nullopt;
  return folder_->path();
}

}  // namespace redraft
