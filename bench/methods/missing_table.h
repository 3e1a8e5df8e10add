#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>

#include "indexing/store/datastore.h"
#include "support/token.h"

namespace redraft {

// FastCoder's missing table (section IV.C): ends of contexts that were searched for in vain. The
// shortest end that a search tries decides: if it is missing, so is every longer one.
class MissingTable {
 public:
  // The stores that the next entries are about; a change of stores empties the table.
  void follow(const std::shared_ptr<const Datastore>& repository,
              const std::shared_ptr<const Datastore>& common);
  void insert(std::span<const TokenId> end);
  // A different end with the same hash counts as missing too: that costs one draft, once in 2^64.
  bool contains(std::span<const TokenId> end) const;
  std::size_t size() const { return hashes_.size(); }

 private:
  static constexpr std::size_t kMaxEntries = std::size_t{1} << 16;

  std::unordered_set<std::uint64_t> hashes_;
  // Weak pointers, so that a new store at the address of one that is gone is not taken for it.
  std::weak_ptr<const Datastore> repository_;
  std::weak_ptr<const Datastore> common_;
};

}  // namespace redraft
