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

// The open documents of an editor, and what the user did in them lately. One thread.
//
// Some are withheld (see withheld.h). They can be found and changed like any other, but beside(),
// others(), from() (except for the document itself), recent_changes() and recent_places() reveal
// nothing of their text, past or present; nor does origin_of() once they are not. Each version is
// judged anew: a key pasted into a notes file withholds the file until the key is removed, and
// leaves no trace afterwards.
class OpenDocuments {
 public:
  // A place in a document where the user changed something.
  struct RecentPlace {
    std::string uri;
    std::size_t offset = 0;  // in the document as it is now
  };

  // Replaces a document that is open already. After an error the document counts as open but cannot
  // be edited.
  Result<void> open(std::string uri, std::int64_t version, std::string text,
                    std::string language_id);
  // `edits` in the order given, each against the text that the previous one left. After an error
  // the document can no longer be edited.
  Result<std::vector<BufferChange>> change(const std::string& uri, std::int64_t version,
                                           const std::vector<TextEdit>& edits);
  // The same with what was made of the text elsewhere. What changed must be what find() returns.
  Result<void> take(const std::string& uri, Result<JudgedDocument> opened);
  Result<std::vector<BufferChange>> take(const std::string& uri, Result<ChangedDocument> changed);
  void close(const std::string& uri);
  // For a document whose text did not arrive from the client: as if open() had refused it.
  void refuse(const std::string& uri, const Error& why);
  // Sets the workspace's folders, by which names are judged. Returns the documents that became
  // withheld or ceased to be.
  std::vector<std::string> set_folders(std::vector<std::filesystem::path> folders);
  // Why nothing of this document may be shown elsewhere; none: it may be, or is not open.
  std::optional<SkipReason> withheld(const std::string& uri) const;
  // The user has switched to this document.
  void focus(const std::string& uri);

  // Null if it is not open, or cannot be edited.
  std::shared_ptr<const Document> find(const std::string& uri) const;
  // Why find() is null.
  Error why_not(const std::string& uri) const;
  // All that can be edited, in no particular order, including withheld ones.
  std::vector<std::shared_ptr<const Document>> all() const;
  // Texts that drafts for a document may come from: texts removed lately, then the other open
  // documents, the most recent first.
  std::vector<std::shared_ptr<const Document>> beside(const std::string& uri) const;
  // The other open documents, the most recent first.
  std::vector<std::shared_ptr<const Document>> others(const std::string& uri) const;
  // `uri` first, then those.
  std::vector<std::shared_ptr<const Document>> from(const std::string& uri) const;
  // What a document was before the changes that may concern others.
  DocumentOrigin origin_of(const std::shared_ptr<const Document>& now) const {
    return origins_.of(now);
  }
  // The changes of the documents that were changed last, the latest document at the end; see
  // ChangeHistory.
  std::vector<RecentChange> recent_changes() const;
  // The most recent first; changes of neighbouring lines are one place.
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
  std::vector<std::string> by_use_;                      // URIs, the latest at the end
  std::deque<std::shared_ptr<const Document>> removed_;  // removed pieces, the newest first
  std::deque<RecentPlace> places_;
  ChangeHistory history_;
  DocumentOrigins origins_;
};

}  // namespace redraft
