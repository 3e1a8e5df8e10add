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

// The last completions that a client was offered, by the id with which it reports what the user did
// with them, and those that its user rejected. Main thread.
class OfferedCompletions {
 public:
  struct Offer {
    std::int64_t id = 0;
    std::shared_ptr<const Document> document = {};
    ByteRange range = {};                 // that a text replaces; it ends at the cursor
    std::vector<std::string> texts = {};  // complete, with the text that the range already has
  };

  // Returns the id of the offer.
  std::int64_t add(Offer offer);
  std::int64_t last_id() const { return last_id_; }
  // Null if the id does not belong to a recent offer.
  const Offer* find(std::int64_t id) const;

  // The user rejected all its texts.
  void reject(const Offer& offer);
  // Whether the user rejected that text in place of `range` of the document, or a text that it
  // completes: it makes the same line from the same start, below the same line.
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
