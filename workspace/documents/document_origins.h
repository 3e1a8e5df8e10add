#pragma once

#include <cstddef>
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
};

// What open documents were, to tell which calls were written before a function changed, and which
// since. One thread.
class DocumentOrigins {
 public:
  void open(std::shared_ptr<const Document> document);
  // `now` is what is being closed.
  void close(const Document& now);
  // What an open document was before is forgotten.
  void begin_anew(const std::shared_ptr<const Document>& now);

  // Of an open document.
  DocumentOrigin of(const std::shared_ptr<const Document>& now) const;

 private:
  static constexpr std::size_t kMaxChanged = 1000;

  std::map<std::string, std::shared_ptr<const Document>> origins_;
  std::set<std::string> changed_;  // before their origin
};

}  // namespace redraft
