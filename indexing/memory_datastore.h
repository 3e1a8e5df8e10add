#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "indexing/datastore.h"
#include "support/token.h"

namespace redraft {

// A datastore that is built at once and lies in memory: eight bytes a token. A few million tokens
// take seconds to build and microseconds to search.
class MemoryDatastore : public Datastore {
 public:
  // Token ids are >= 0; texts and tokens together are fewer than 2^31. A text may be empty.
  explicit MemoryDatastore(std::span<const std::vector<TokenId>> texts);

  Continuations continuations(std::span<const TokenId> context,
                              const ContinuationQuery& query) const override;
  std::size_t token_count() const override { return suffixes_.size(); }

 private:
  using Suffixes = std::span<const std::int32_t>;

  // The suffixes that begin with `key` and go on after it.
  Suffixes find(std::span<const TokenId> key) const;
  std::span<const TokenId> text_after(std::size_t place, std::size_t length) const;

  std::vector<TokenId> tokens_;         // of all texts, a separator after each
  std::vector<std::int32_t> suffixes_;  // begins of all suffixes but those of a separator, in order
};

}  // namespace redraft
