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

// A change by the user in one place: `after`, which now begins at `line`, replaced `before`. One of
// the two may be empty.
struct RecentChange {
  std::shared_ptr<const Document> document;  // the current version
  int line = 0;
  std::vector<std::string> before, after;  // lines without their endings

  int end_line() const { return line + static_cast<int>(after.size()); }
};

// Larger documents are neither compared with earlier versions nor searched for follow-up changes.
inline constexpr std::size_t kMaxBytesCompared = std::size_t{1} << 20;

// Recent changes of documents, by place. Keystrokes near each other are one change; a change that
// was undone does not count. One thread.
class ChangeHistory {
 public:
  // `changes` turned `before` into `after`.
  void add(const std::shared_ptr<const Document>& before, const Document& after,
           const std::vector<BufferChange>& changes);
  void forget(const std::string& uri);

  // The changes of the document in its current version, in the order of its lines. Empty if too
  // much changed to be an example to follow, and in documents of more than kMaxBytesCompared.
  std::vector<RecentChange> changes_of(const std::shared_ptr<const Document>& now) const;
  // Changed documents, the most recently changed first.
  const std::deque<std::string>& changed_documents() const { return changed_; }

 private:
  // One place, and the document as it was before any change there.
  struct RememberedPlace {
    std::shared_ptr<const Document> before;
    int line;
  };
  std::map<std::string, std::deque<RememberedPlace>> places_;  // by URI, the latest at the end
  std::deque<std::string> changed_;
};

}  // namespace redraft
