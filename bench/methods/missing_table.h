#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>

#include "indexing/store/datastore.h"
#include "support/token.h"

namespace redraft {

// FastCoder's missing table (section IV.C): ends of contexts whose search found nothing. The
// shortest end that a search tries decides: if it is missing, every longer one is missing too.
class MissingTable {
 public:
  // The datastores that later entries refer to. A change of datastores empties the table.
  void follow(const std::shared_ptr<const Datastore>& repository,
              const std::shared_ptr<const Datastore>& common);
  void insert(std::span<const TokenId> end);
  // A different end with the same hash also counts as missing; that costs one draft, with
  // probability 2^-64.
  bool contains(std::span<const TokenId> end) const;
  std::size_t size() const { return hashes_.size(); }

 private:
  static constexpr std::size_t kMaxEntries = std::size_t{1} << 16;

  std::unordered_set<std::uint64_t> hashes_;
  // Weak pointers, so that a new store at a deleted store's address is not mistaken for it.
  std::weak_ptr<const Datastore> repository_;
  std::weak_ptr<const Datastore> common_;
};

}  // namespace redraft
