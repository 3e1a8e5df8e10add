#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "workspace/documents/document.h"

namespace redraft {

// An open document as it was when it was opened.
struct DocumentOrigin {
  std::shared_ptr<const Document> document;
  // It was not changed before that, as far as is known: what is as it was there is older than any
  // change.
  bool is_first = true;
  // When its file was written last before it was opened, and when it was changed first since; the
  // least value of all: not known, or not at all.
  std::filesystem::file_time_type file_time = std::filesystem::file_time_type::min();
  std::filesystem::file_time_type changed_at = std::filesystem::file_time_type::min();
};

// Of a file that is not open. Looks at it.
DocumentOrigin file_origin(std::shared_ptr<const Document> document);

// Whether a document differs from what it was.
bool is_changed(const Document& now, const DocumentOrigin& origin);

// What open documents were, to tell which calls were written before a function changed, and which
// since. One thread.
class DocumentOrigins {
 public:
  // Looks at its file.
  void open(std::shared_ptr<const Document> document);
  void change(const std::string& uri);
  // `now` is what is being closed.
  void close(const Document& now);
  // What an open document was before is forgotten.
  void begin_anew(const std::shared_ptr<const Document>& now);

  // Of an open document.
  DocumentOrigin of(const std::shared_ptr<const Document>& now) const;

 private:
  static constexpr std::size_t kMaxChanged = 1000;

  std::map<std::string, DocumentOrigin> origins_;
  std::set<std::string> changed_;  // before their origin
};

}  // namespace redraft
