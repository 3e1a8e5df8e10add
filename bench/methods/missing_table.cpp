#include "bench/methods/missing_table.h"

#include "bench/methods/token_hash.h"

namespace redraft {
namespace {

bool same_store(const std::weak_ptr<const Datastore>& known,
                const std::shared_ptr<const Datastore>& store) {
  return !known.owner_before(store) && !store.owner_before(known);
}

}  // namespace

void MissingTable::follow(const std::shared_ptr<const Datastore>& repository,
                          const std::shared_ptr<const Datastore>& common) {
  if (same_store(repository_, repository) && same_store(common_, common)) return;
  hashes_.clear();
  repository_ = repository;
  common_ = common;
}

void MissingTable::insert(std::span<const TokenId> end) {
  if (hashes_.size() >= kMaxEntries) hashes_.clear();
  hashes_.insert(hash_of_tokens(end));
}

bool MissingTable::contains(std::span<const TokenId> end) const {
  return hashes_.contains(hash_of_tokens(end));
}

}  // namespace redraft
