#include "workspace/documents/open_documents.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "indexing/files/file_kind.h"
#include "workspace/documents/withheld.h"

namespace redraft {
namespace {

// How many removed pieces of text are remembered, and of what size in bytes.
constexpr std::size_t kRemoved = 8;
constexpr std::size_t kMinRemoved = 16;
constexpr std::size_t kMaxRemoved = 1 << 16;
constexpr std::size_t kPlaces = 8;
// Changes of this many documents count as recent.
constexpr std::size_t kChangedDocuments = 2;
// Changes within this many bytes of each other are one place.
constexpr std::size_t kNear = 800;

}  // namespace

Result<void> OpenDocuments::open(std::string uri, std::int64_t version, std::string text,
                                 std::string language_id) {
  close(uri);
  Result<std::shared_ptr<const Document>> document =
      Document::make(uri, version, std::move(text), std::move(language_id));
  if (!document) {
    refused_.insert_or_assign(std::move(uri), document.error());
    return document.error();
  }
  keep(*document);
  origins_.open(std::move(*document));
  return {};
}

Result<std::vector<BufferChange>> OpenDocuments::change(const std::string& uri,
                                                        std::int64_t version,
                                                        const std::vector<TextEdit>& edits) {
  const std::shared_ptr<const Document> before = find(uri);
  if (!before) return why_not(uri);
  const auto refused = [&](const Error& error) {
    refuse(uri, error);
    return error;
  };
  std::string text = before->text();
  std::vector<std::string> removed;
  std::vector<BufferChange> changes;
  for (const TextEdit& edit : edits) {
    if (edit.range.begin > edit.range.end || edit.range.end > text.size()) {
      return refused(Error(uri + ": a change of bytes " + std::to_string(edit.range.begin) + "-" +
                           std::to_string(edit.range.end) +
                           " lies outside the text; open the document anew"));
    }
    removed.push_back(text.substr(edit.range.begin, edit.range.size()));
    std::string after = apply_edits(text, {edit});
    changes.push_back(describe_change(text, edit, after));
    text = std::move(after);
  }
  Result<std::shared_ptr<const Document>> document = before->changed(version, std::move(text));
  if (!document) return refused(document.error());
  const bool was_withheld = withheld(uri).has_value();
  keep(*document);
  if (was_withheld || withheld(uri)) {
    forget_changes(uri);
    origins_.begin_anew(find(uri));
    return changes;
  }
  origins_.change(uri);
  for (const std::string& piece : removed) remember_removed(piece);
  for (const BufferChange& change : changes) {
    for (RecentPlace& place : places_) {
      if (place.uri != uri) continue;
      if (place.offset >= change.range.end) {
        place.offset = place.offset - change.range.size() + change.new_size;
      } else {  // that text is gone
        place.offset = std::min(place.offset, change.range.begin);
      }
    }
  }
  history_.add(before, **document, changes);
  if (!changes.empty()) remember_place(**document, changes.back().range.begin);
  return changes;
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
  std::ranges::copy_if(from(uri), std::back_inserter(beside),
                       [&](const auto& document) { return document->uri() != uri; });
  return beside;
}

std::vector<std::shared_ptr<const Document>> OpenDocuments::from(const std::string& uri) const {
  std::vector<std::shared_ptr<const Document>> all;
  if (std::shared_ptr<const Document> document = find(uri)) all.push_back(std::move(document));
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

void OpenDocuments::keep(std::shared_ptr<const Document> document) {
  const std::string uri = document->uri();
  std::erase(by_use_, uri);
  by_use_.push_back(uri);
  const auto [entry, added] = documents_.try_emplace(uri);
  Open& open = entry->second;
  if (added) open.withheld_name = withheld_by_name(uri, folders_);
  // A withheld name is enough.
  open.withheld_text = open.withheld_name ? std::nullopt : withheld_by_text(*document);
  open.document = std::move(document);
}

// Text that is cut in one place is often pasted in another. A secret within it is never kept.
void OpenDocuments::remember_removed(const std::string& text) {
  if (text.size() < kMinRemoved || text.size() > kMaxRemoved) return;
  if (unwanted_text({}, text, /*complete=*/true)) return;
  const auto piece = Document::make("removed", 0, text);
  if (!piece) return;  // cut inside a character
  removed_.push_front(*piece);
  if (removed_.size() > kRemoved) removed_.pop_back();
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
