#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "indexing/files/skip_reason.h"
#include "support/result.h"
#include "workspace/documents/buffer_change.h"
#include "workspace/documents/change_history.h"
#include "workspace/documents/changed_document.h"
#include "workspace/documents/document.h"
#include "workspace/documents/document_origins.h"
#include "workspace/documents/text_edit.h"

namespace redraft {

// The open documents of an editor, and the user's recent changes in them. One thread.
//
// Some documents are withheld (see withheld.h). They can be found and changed like any other, but
// beside(), others(), from() (except for the document itself), recent_changes() and recent_places()
// reveal nothing of their text, past or present; nor does origin_of() when they no longer are
// withheld. Each version is judged separately: a key pasted into a notes file withholds the file
// until the key is removed, and leaves no trace afterwards.
class OpenDocuments {
 public:
  // A place in a document where the user changed something.
  struct RecentPlace {
    std::string uri;
    std::size_t offset = 0;  // in the current version of the document
  };

  // Replaces a document that is already open. After an error the document counts as open but cannot
  // be edited.
  Result<void> open(std::string uri, std::int64_t version, std::string text,
                    std::string language_id);
  // Applies `edits` in the order given, each to the text that the previous one left. After an error
  // the document can no longer be edited.
  Result<std::vector<BufferChange>> change(const std::string& uri, std::int64_t version,
                                           const std::vector<TextEdit>& edits);
  // The same with a result that another thread prepared. The changed document must be the one that
  // find() returns.
  Result<void> take(const std::string& uri, Result<JudgedDocument> opened);
  Result<std::vector<BufferChange>> take(const std::string& uri, Result<ChangedDocument> changed);
  void close(const std::string& uri);
  // For a document whose text did not arrive from the client: the same as if open() had rejected
  // it.
  void refuse(const std::string& uri, const Error& why);
  // Sets the workspace's folders, which determine how names are judged. Returns the documents whose
  // withheld state changed.
  std::vector<std::string> set_folders(std::vector<std::filesystem::path> folders);
  // Why nothing of this document may be shown for other documents; nullopt: it may be shown, or is
  // not open.
  std::optional<SkipReason> withheld(const std::string& uri) const;
  // Records that the user has switched to this document.
  void focus(const std::string& uri);

  // Null if it is not open, or cannot be edited.
  std::shared_ptr<const Document> find(const std::string& uri) const;
  // Why find() returns null.
  Error why_not(const std::string& uri) const;
  // All documents that can be edited, in arbitrary order, including withheld ones.
  std::vector<std::shared_ptr<const Document>> all() const;
  // Texts that drafts for a document may come from: recently removed texts, then the other open
  // documents, the most recent first.
  std::vector<std::shared_ptr<const Document>> beside(const std::string& uri) const;
  // The other open documents, the most recent first.
  std::vector<std::shared_ptr<const Document>> others(const std::string& uri) const;
  // The document `uri`, then the others.
  std::vector<std::shared_ptr<const Document>> from(const std::string& uri) const;
  // The document's version before the changes that may affect others.
  DocumentOrigin origin_of(const std::shared_ptr<const Document>& now) const {
    return origins_.of(now);
  }
  // The changes of the most recently changed documents, the latest document at the end; see
  // ChangeHistory.
  std::vector<RecentChange> recent_changes() const;
  // The most recent first. Changes of neighbouring lines are one place.
  const std::deque<RecentPlace>& recent_places() const { return places_; }

 private:
  struct Open {
    std::shared_ptr<const Document> document;
    std::optional<SkipReason> withheld_name, withheld_text;

    std::optional<SkipReason> withheld() const {
      return withheld_name ? withheld_name : withheld_text;
    }
  };

  void keep(const JudgedDocument& judged);
  void forget_changes(const std::string& uri);
  static void follow(const std::vector<BufferChange>& changes, RecentPlace& place);
  void remember_place(const Document& document, std::size_t offset);

  std::vector<std::filesystem::path> folders_;
  std::map<std::string, Open> documents_;
  std::map<std::string, Error> refused_;
  std::vector<std::string> by_use_;                      // URIs, the most recent at the end
  std::deque<std::shared_ptr<const Document>> removed_;  // removed pieces, the newest first
  std::deque<RecentPlace> places_;
  ChangeHistory history_;
  DocumentOrigins origins_;
};

}  // namespace redraft
