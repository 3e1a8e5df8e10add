#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/byte_range.h"
#include "workspace/documents/document.h"

namespace redraft::lsp {

// The last completions that a client was offered, by the id that it names when it says what became
// of them, and those that its user turned down. Main thread.
class OfferedCompletions {
 public:
  struct Offer {
    std::int64_t id = 0;
    std::shared_ptr<const Document> document = {};
    ByteRange range = {};                 // that a text replaces; it ends at the cursor
    std::vector<std::string> texts = {};  // whole ones, with what the range has already
  };

  // The id under which it is known from now on.
  std::int64_t add(Offer offer);
  std::int64_t last_id() const { return last_id_; }
  // Null: it is not one of the last.
  const Offer* find(std::int64_t id) const;

  // The user turned down all its texts.
  void reject(const Offer& offer);
  // Whether the user turned that text down, in place of `range` of the document, or what it is the
  // rest of: it makes the same line of the same beginning, below the same line.
  bool is_rejected(const Document& document, ByteRange range, std::string_view text) const;

 private:
  struct Rejected {
    std::string uri, above, begin, text;
  };

  std::int64_t last_id_ = 0;
  std::deque<Offer> offers_;
  std::deque<Rejected> rejected_;
};

}  // namespace redraft::lsp
