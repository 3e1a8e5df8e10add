#include "workspace/documents/open_documents.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "workspace/documents/withheld.h"

namespace redraft {
namespace {

constexpr std::size_t kPlaces = 8;
// Changes of this many documents count as recent.
constexpr std::size_t kChangedDocuments = 2;
// Changes within this many bytes of each other are one place.
constexpr std::size_t kNear = 800;

}  // namespace

Result<void> OpenDocuments::open(std::string uri, std::int64_t version, std::string text,
                                 std::string language_id) {
  return take(uri, judged_document(uri, version, std::move(text), std::move(language_id)));
}

Result<void> OpenDocuments::take(const std::string& uri, Result<JudgedDocument> opened) {
  close(uri);
  if (!opened) {
    refused_.insert_or_assign(uri, opened.error());
    return opened.error();
  }
  keep(*opened);
  origins_.open(std::move(opened->document));
  return {};
}

Result<std::vector<BufferChange>> OpenDocuments::change(const std::string& uri,
                                                        std::int64_t version,
                                                        const std::vector<TextEdit>& edits) {
  const std::shared_ptr<const Document> before = find(uri);
  if (!before) return why_not(uri);
  return take(uri, changed_document(before, version, edits));
}

Result<std::vector<BufferChange>> OpenDocuments::take(const std::string& uri,
                                                      Result<ChangedDocument> changed) {
  if (!changed) {
    refuse(uri, changed.error());
    return changed.error();
  }
  assert(find(uri) == changed->before);
  std::vector<BufferChange>& changes = changed->changes;
  const bool was_withheld = withheld(uri).has_value();
  keep(changed->after);
  if (was_withheld || withheld(uri)) {
    forget_changes(uri);
    origins_.begin_anew(find(uri));
    return std::move(changes);
  }
  origins_.change(uri);
  removed_.insert(removed_.begin(), changed->removed.begin(), changed->removed.end());
  removed_.resize(std::min(removed_.size(), kRemovedPieces));
  for (RecentPlace& place : places_) {
    if (place.uri == uri) follow(changes, place);
  }
  const Document& after = *changed->after.document;
  history_.add(changed->before, after, changes);
  if (!changes.empty()) remember_place(after, changes.back().range.begin);
  return std::move(changes);
}

void OpenDocuments::follow(const std::vector<BufferChange>& changes, RecentPlace& place) {
  for (const BufferChange& change : changes) {
    if (place.offset >= change.range.end) {
      place.offset = place.offset - change.range.size() + change.new_size;
    } else {  // that text no longer exists
      place.offset = std::min(place.offset, change.range.begin);
    }
  }
}

void OpenDocuments::close(const std::string& uri) {
  if (const std::shared_ptr<const Document> document = find(uri)) origins_.close(*document);
  documents_.erase(uri);
  refused_.erase(uri);
  std::erase(by_use_, uri);
  forget_changes(uri);
}

void OpenDocuments::refuse(const std::string& uri, const Error& why) {
  close(uri);
  refused_.insert_or_assign(uri, why);
}

std::vector<std::string> OpenDocuments::set_folders(std::vector<std::filesystem::path> folders) {
  if (folders == folders_) return {};
  folders_ = std::move(folders);
  std::vector<std::string> other;
  for (auto& [uri, open] : documents_) {
    const bool was_withheld = open.withheld().has_value();
    open.withheld_name = withheld_by_name(uri, folders_);
    if (was_withheld == open.withheld().has_value()) continue;
    forget_changes(uri);
    origins_.begin_anew(open.document);
    other.push_back(uri);
  }
  return other;
}

std::optional<SkipReason> OpenDocuments::withheld(const std::string& uri) const {
  const auto found = documents_.find(uri);
  return found == documents_.end() ? std::nullopt : found->second.withheld();
}

void OpenDocuments::forget_changes(const std::string& uri) {
  history_.forget(uri);
  std::erase_if(places_, [&](const RecentPlace& place) { return place.uri == uri; });
}

void OpenDocuments::focus(const std::string& uri) {
  if (std::erase(by_use_, uri) > 0) by_use_.push_back(uri);
}

std::shared_ptr<const Document> OpenDocuments::find(const std::string& uri) const {
  const auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : found->second.document;
}

Error OpenDocuments::why_not(const std::string& uri) const {
  const auto found = refused_.find(uri);
  return found == refused_.end() ? Error("not open: " + uri) : found->second;
}

std::vector<std::shared_ptr<const Document>> OpenDocuments::all() const {
  std::vector<std::shared_ptr<const Document>> all;
  for (const auto& [uri, open] : documents_) all.push_back(open.document);
  return all;
}

std::vector<std::shared_ptr<const Document>> OpenDocuments::beside(const std::string& uri) const {
  std::vector<std::shared_ptr<const Document>> beside(removed_.begin(), removed_.end());
  std::ranges::copy(others(uri), std::back_inserter(beside));
  return beside;
}

std::vector<std::shared_ptr<const Document>> OpenDocuments::from(const std::string& uri) const {
  std::vector<std::shared_ptr<const Document>> all = others(uri);
  if (std::shared_ptr<const Document> document = find(uri))
    all.insert(all.begin(), std::move(document));
  return all;
}

std::vector<std::shared_ptr<const Document>> OpenDocuments::others(const std::string& uri) const {
  std::vector<std::shared_ptr<const Document>> all;
  for (auto other = by_use_.rbegin(); other != by_use_.rend(); ++other) {
    const Open& open = documents_.at(*other);
    if (*other != uri && !open.withheld()) all.push_back(open.document);
  }
  return all;
}

std::vector<RecentChange> OpenDocuments::recent_changes() const {
  std::vector<RecentChange> recent;
  const auto& changed = history_.changed_documents();
  for (std::size_t i = std::min(changed.size(), kChangedDocuments); i-- > 0;) {
    const std::shared_ptr<const Document> document = find(changed[i]);
    if (!document) continue;
    std::vector<RecentChange> changes = history_.changes_of(document);
    std::move(changes.begin(), changes.end(), std::back_inserter(recent));
  }
  return recent;
}

void OpenDocuments::keep(const JudgedDocument& judged) {
  const std::string uri = judged.document->uri();
  std::erase(by_use_, uri);
  by_use_.push_back(uri);
  const auto [entry, added] = documents_.try_emplace(uri);
  Open& open = entry->second;
  if (added) open.withheld_name = withheld_by_name(uri, folders_);
  // A withheld name is enough.
  open.withheld_text = open.withheld_name ? std::nullopt : judged.withheld_text;
  open.document = judged.document;
}

void OpenDocuments::remember_place(const Document& document, std::size_t offset) {
  std::erase_if(places_, [&](const RecentPlace& place) {
    const std::size_t distance = std::max(place.offset, offset) - std::min(place.offset, offset);
    return place.uri == document.uri() && distance < kNear;
  });
  places_.push_front({document.uri(), std::min(offset, document.text().size())});
  if (places_.size() > kPlaces) places_.pop_back();
}

}  // namespace redraft
