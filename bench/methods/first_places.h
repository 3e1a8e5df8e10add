#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "support/token.h"

namespace redraft {

// The first position of each run of `length` tokens in a growing text. Constant work for each added
// token and each look-up.
class FirstPlaces {
 public:
  explicit FirstPlaces(int length) : length_(static_cast<std::size_t>(length)) {}

  // `text` begins with everything that was absorbed before.
  void absorb(std::span<const TokenId> text);
  // The first position of the last `length` tokens of the absorbed `text`, which may be the end
  // itself. nullopt if the text is shorter, or if a different run with the same hash came first.
  std::optional<std::size_t> of_end(std::span<const TokenId> text) const;
  // The same for any `run` of `length` tokens; nullopt if the absorbed `text` does not contain it.
  std::optional<std::size_t> of(std::span<const TokenId> run, std::span<const TokenId> text) const;

 private:
  std::size_t length_;
  std::size_t absorbed_ = 0;
  std::unordered_map<std::uint64_t, std::size_t> places_;  // by hash
};

}  // namespace redraft
