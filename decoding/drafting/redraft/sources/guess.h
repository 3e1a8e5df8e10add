#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "decoding/draft_origin.h"
#include "support/token.h"

namespace redraft {

// The probability of a guess depends on its `match`, in this many classes.
struct MatchBuckets {
  // The longest match of each class; the last class is open-ended.
  static constexpr std::array kLongest = {0, 1, 2, 3, 4, 6, 9, 14, 24, 48};
  static constexpr int kCount = static_cast<int>(kLongest.size()) + 1;
  static constexpr int of(int match) {
    int bucket = 0;
    while (bucket < kCount - 1 && match > kLongest[static_cast<std::size_t>(bucket)]) ++bucket;
    return bucket;
  }
};

// Whether a guess is the likeliest for its place or comes after a likelier one.
enum class GuessRank : std::uint8_t { kFirst, kLater };

// How often guesses of one kind are right: a probability for each of the MatchBuckets. All of them
// must be given. Neither 0, which would silence the kind for good, nor 1, which nothing could
// refute, is allowed: both are compile errors.
template <GuessRank kRank>
class Priors {
 public:
  template <std::same_as<double>... Shares>
  requires(sizeof...(Shares) == MatchBuckets::kCount) consteval explicit Priors(Shares... shares)
      : shares_{shares...} {
    for (const double share : shares_) {
      if (!(share > 0 && share < 1)) throw "a prior must be a probability between 0 and 1";
    }
  }
  // For kinds whose `match` has no meaning, or that have not been measured yet.
  static consteval Priors same(double share) {
    return Priors(share, share, share, share, share, share, share, share, share, share, share);
  }

  constexpr double operator[](int bucket) const {
    return shares_[static_cast<std::size_t>(bucket)];
  }

 private:
  std::array<double, MatchBuckets::kCount> shares_;
};
// WhenFirst: for guesses that are the likeliest for their place. WhenLater: for the others, given
// that all likelier ones were wrong.
using WhenFirst = Priors<GuessRank::kFirst>;
using WhenLater = Priors<GuessRank::kLater>;

// A reason why a token is expected next. A source declares its kinds as constants in its own file
// and adds them to the GuessKinds of a decode, which gives each an id; guesses carry ids.
struct GuessKind {
  consteval GuessKind(std::string_view name_of_kind, DraftOrigin counted_as, WhenFirst when_first,
                      WhenLater when_later)
      : name(name_of_kind), origin(counted_as), first(when_first), later(when_later) {
    if (name.empty()) throw "a kind of guess needs a name";
  }

  std::string_view name;  // must be unique
  DraftOrigin origin;     // how the statistics count its tokens
  WhenFirst first;
  WhenLater later;
};

// The id of a kind that was added to the GuessKinds of a decode. There is no other way to get one.
class GuessKindId {
 public:
  int index() const { return index_; }
  bool operator==(const GuessKindId&) const = default;

 private:
  friend class GuessKinds;
  explicit GuessKindId(std::size_t index) : index_(static_cast<std::uint8_t>(index)) {}

  std::uint8_t index_;
};

// The kinds that the sources of one decode declare.
class GuessKinds {
 public:
  // Throws std::logic_error if another kind has that name; a test finds that.
  GuessKindId add(const GuessKind& kind);

  int size() const { return static_cast<int>(kinds_.size()); }
  const GuessKind& operator[](GuessKindId id) const { return kinds_[id.index_]; }
  auto begin() const { return kinds_.begin(); }
  auto end() const { return kinds_.end(); }

 private:
  std::vector<GuessKind> kinds_;
};

struct Guess {
  TokenId token;
  GuessKindId kind;
  int match;  // agreeing tokens before it, or another measure of confidence if the kind defines one
};

}  // namespace redraft
