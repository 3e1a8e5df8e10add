#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "support/byte_range.h"
#include "support/token.h"
#include "text/tokenizer.h"
#include "workspace/documents/document.h"

namespace redraft {

// The tokens of what a prompt does not show of its document, request after request: what is below
// that and what is above it, in this order, so that the nearest text above is the last. While the
// user types they stay the same object, because encoding and indexing them anew takes some ten
// milliseconds: the shown part may grow or shrink by some lines below the cursor before the text
// below is taken anew. One thread at a time.
class FileRest {
 public:
  using Tokens = std::shared_ptr<const std::vector<std::vector<TokenId>>>;
  // Of either side at most so much is kept, the nearest: together as many tokens as OpenText holds.
  static constexpr std::size_t kMaxSideBytes = std::size_t{96} << 10;

  // Null if nothing worth a draft is left.
  Tokens of(const Document& document, ByteRange shown, const Tokenizer& tokenizer);

 private:
  bool is_current(const Document& document, ByteRange shown) const;

  std::string uri_;
  std::string above_, below_;
  std::size_t above_begin_ = 0;
  std::size_t below_from_end_ = 0;  // where it begins, counted from the end of the document
  Tokens tokens_;
};

}  // namespace redraft
