#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "workspace/documents/buffer_change.h"
#include "workspace/documents/document.h"

namespace redraft {

// What the user did at one place: these lines became those, and stand at `line` now. One of the two
// may be empty.
struct RecentChange {
  std::shared_ptr<const Document> document;  // as it is now
  int line = 0;
  std::vector<std::string> before, after;  // without their endings

  int end_line() const { return line + static_cast<int>(after.size()); }
};

// Larger documents are not compared with what they were, nor searched for what has to follow.
inline constexpr std::size_t kMaxBytesCompared = std::size_t{1} << 20;

// What was changed lately in documents, by places: keystrokes near each other are one change, and
// what was undone is none. One thread.
class ChangeHistory {
 public:
  // `changes` made `after` of `before`.
  void add(const std::shared_ptr<const Document>& before, const Document& after,
           const std::vector<BufferChange>& changes);
  void forget(const std::string& uri);

  // Of the document as it is now, in the order of its lines. Empty as well when so much changed
  // that it is no model for anything, and in documents of more than kMaxBytesCompared.
  std::vector<RecentChange> changes_of(const std::shared_ptr<const Document>& now) const;
  // Documents that were changed, the latest first.
  const std::deque<std::string>& changed_documents() const { return changed_; }

 private:
  // One place, and the document as it was before anything was changed there.
  struct RememberedPlace {
    std::shared_ptr<const Document> before;
    int line;
  };
  std::map<std::string, std::deque<RememberedPlace>> places_;  // by uri, the latest at the end
  std::deque<std::string> changed_;
};

}  // namespace redraft
