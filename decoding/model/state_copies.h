#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace redraft {

// Copies of a sequence's state, each for a number of tokens. At most kMax; the least recently used
// one makes room. Copies are immutable, so forks share them.
template <typename T>
class StateCopies {
 public:
  using Copy = std::shared_ptr<const std::vector<T>>;

  // A request remembers its state where a document's text ends and near the end of its prompt.
  static constexpr std::size_t kMax = 3;

  // The copy for `length` tokens, used now; null: there is none.
  Copy use(int length) {
    const auto found = std::ranges::find(all_, length, &Entry::length);
    if (found == all_.end()) return nullptr;
    std::rotate(found, found + 1, all_.end());
    return all_.back().copy;
  }
  // The same without using it.
  Copy find(int length) const {
    const auto found = std::ranges::find(all_, length, &Entry::length);
    return found == all_.end() ? nullptr : found->copy;
  }
  // There is no copy for `length` tokens yet.
  void add(int length, std::vector<T> copy) {
    if (all_.size() == kMax) all_.erase(all_.begin());
    all_.push_back({length, std::make_shared<const std::vector<T>>(std::move(copy))});
  }
  // The greatest length at most `length` for which there is a copy; 0: none.
  int best_at(int length) const {
    int best = 0;
    for (const Entry& each : all_) {
      if (each.length <= length) best = std::max(best, each.length);
    }
    return best;
  }
  void forget_above(int length) {
    std::erase_if(all_, [length](const Entry& each) { return each.length > length; });
  }
  void clear() { all_.clear(); }
  std::size_t count_up_to(int length) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(all_, [length](const Entry& each) { return each.length <= length; }));
  }

 private:
  struct Entry {
    int length;
    Copy copy;
  };

  std::vector<Entry> all_;  // the most recently used last
};

}  // namespace redraft
