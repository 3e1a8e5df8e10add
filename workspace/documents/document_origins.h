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
  // As far as is known, it was not changed before that, so everything in it is older than any
  // change.
  bool is_first = true;
  // When its file was last written before it was opened, and when it was first changed since then.
  // min(): unknown, or never.
  std::filesystem::file_time_type file_time = std::filesystem::file_time_type::min();
  std::filesystem::file_time_type changed_at = std::filesystem::file_time_type::min();
};

// For a file that is not open. Reads its time from the file system.
DocumentOrigin file_origin(std::shared_ptr<const Document> document);

// Whether a document differs from what it was.
bool is_changed(const Document& now, const DocumentOrigin& origin);

// The original versions of open documents. They tell which calls were written before a function
// changed, and which since. One thread.
class DocumentOrigins {
 public:
  // Reads its file's time.
  void open(std::shared_ptr<const Document> document);
  void change(const std::string& uri);
  // `now` is the version being closed.
  void close(const Document& now);
  // Forgets the earlier versions of an open document.
  void begin_anew(const std::shared_ptr<const Document>& now);

  // For an open document.
  DocumentOrigin of(const std::shared_ptr<const Document>& now) const;

 private:
  static constexpr std::size_t kMaxChanged = 1000;

  std::map<std::string, DocumentOrigin> origins_;
  std::set<std::string> changed_;  // before their origin
};

}  // namespace redraft
