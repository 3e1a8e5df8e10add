#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "indexing/store/datastore.h"
#include "support/token.h"

namespace redraft {

// FastCoder's CACHE (section IV.B): short sequences that the target has written or confirmed,
// searched like a datastore. It opens once it has `opens_at` sequences and then stays open. Beyond
// kMaxSequences it drops the older half.
class ContinuationCache {
 public:
  static constexpr std::size_t kMaxSequences = 4096;

  // `shortest`: as in later queries.
  ContinuationCache(int opens_at, int shortest)
      : opens_at_(static_cast<std::size_t>(opens_at)),
        shortest_(static_cast<std::size_t>(shortest)) {}

  // Adding a known sequence increments its count.
  void add(std::span<const TokenId> sequence);
  bool open() const { return open_ || opens_at_ == 0; }
  std::size_t size() const { return begins_.size(); }

  // Like Datastore::continuations(), but the result is valid only until the next add(). Empty while
  // the cache is closed.
  Continuations continuations(std::span<const TokenId> context,
                              const ContinuationQuery& query) const;

 private:
  void append(std::span<const TokenId> sequence);
  void forget_older_half();
  int match_length(std::span<const TokenId> context, std::size_t place, int longest) const;
  std::span<const TokenId> text_after(std::size_t place, int length) const;

  std::size_t opens_at_;
  std::size_t shortest_;
  bool open_ = false;
  std::vector<TokenId> tokens_;  // of all sequences, with a separator before each and at the end
  std::vector<std::size_t> begins_;  // of the sequences in tokens_
  // Positions after each run of `shortest_` tokens, by the hash of those tokens, oldest first.
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> places_;
};

}  // namespace redraft
