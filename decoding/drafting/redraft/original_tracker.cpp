#include "decoding/drafting/redraft/original_tracker.h"

#include <algorithm>

namespace redraft {
namespace {

constexpr int kNear = 64;              // tokens after the pointer that are a little ahead
constexpr int kSureMatch = 6;          // a match this long moves the pointer
constexpr int kPlaces = 6;             // looked at for each guess
constexpr int kAfterSubstitution = 2;  // what it counts as of a match

GuessKind kind_of(int place, int pointer) {
  if (place < pointer) return GuessKind::kBehind;
  return place <= pointer + kNear ? GuessKind::kAhead : GuessKind::kFar;
}

}  // namespace

OriginalTracker::OriginalTracker(std::span<const TokenId> original, const Tokenizer* tokenizer,
                                 std::span<const Replacement> expected)
    : seams_(original, tokenizer), substitutions_(tokenizer) {
  for (const TokenId token : original) index_.append(token);
  for (const Replacement& replacement : expected)
    substitutions_.expect(replacement.from, replacement.to);
}

std::span<const TokenId> OriginalTracker::rest(int place) const {
  const auto original = index_.text();
  return original.subspan(std::min(static_cast<std::size_t>(place), original.size()));
}

OriginalState OriginalTracker::advance(const OriginalState& state,
                                       std::span<const TokenId> output) const {
  if (!state.in_sync) return search(state, output);
  const auto expected = rest(state.pointer);
  if (state.substitution < 0 && !expected.empty() && expected[0] == output.back()) {
    OriginalState next = state;
    ++next.pointer;
    next.match = std::min(next.match + 1, SuffixIndex::kLongestMatch);
    return next;
  }
  const OriginalState next = substitute(state, output.back());
  return next.in_sync ? next : search(next, output);
}

// In sync as long as `token` goes on with the substitution under way, or begins one.
OriginalState OriginalTracker::substitute(OriginalState state, TokenId token) const {
  const int substitution =
      state.substitution >= 0 ? state.substitution : substitutions_.applicable(rest(state.pointer));
  if (substitution >= 0) {
    const auto to = substitutions_.to(substitution);
    if (to[static_cast<std::size_t>(state.written)] == token) {
      state.substitution = substitution;
      if (++state.written < static_cast<int>(to.size())) return state;
      const auto from = static_cast<int>(substitutions_.from(substitution).size());
      return {.pointer = state.pointer + from, .match = kAfterSubstitution};
    }
  }
  return {.in_sync = false, .pointer = state.pointer, .astray = state.written};
}

// Where the output's end may stand in the original.
std::vector<SuffixIndex::Match> OriginalTracker::places_after(std::span<const TokenId> output,
                                                              int pointer, int most) const {
  const auto matches = index_.find_near(output, pointer, most);
  return matches.empty() ? seams_.find_near(output, pointer, most) : matches;
}

OriginalState OriginalTracker::search(OriginalState state, std::span<const TokenId> output) const {
  ++state.astray;
  const auto matches = places_after(output, state.pointer, 1);
  if (matches.empty() || matches[0].length < kSureMatch) return state;
  return {.pointer = matches[0].next, .match = matches[0].length};
}

OriginalState OriginalTracker::follow(const OriginalState& state, std::span<const TokenId> output) {
  const OriginalState next = advance(state, output);
  if (state.in_sync && state.substitution < 0) {
    const bool as_before = next.pointer == state.pointer + 1 && next.match != kAfterSubstitution;
    const int applicable = substitutions_.applicable(rest(state.pointer));
    if (applicable >= 0 && as_before) substitutions_.contradict(applicable);
    left_original_ = state.pointer;
    left_output_ = static_cast<int>(output.size()) - 1;
  }
  if (state.substitution >= 0 && next.in_sync && next.substitution < 0)
    substitutions_.confirm(state.substitution);
  if (!state.in_sync && next.in_sync) learn_hunk(next, output);
  return next;
}

// The output has found back to the original.
void OriginalTracker::learn_hunk(const OriginalState& found, std::span<const TokenId> output) {
  const int written = static_cast<int>(output.size()) - left_output_;
  const int passed = found.pointer - left_original_;
  const int same = std::min({found.match, written, passed});
  if (same < 0) return;  // found behind where it was left
  substitutions_.learn(rest(left_original_).first(static_cast<std::size_t>(passed - same)),
                       output.subspan(static_cast<std::size_t>(left_output_),
                                      static_cast<std::size_t>(written - same)));
}

void OriginalTracker::add_guesses(const OriginalState& state, std::span<const TokenId> output,
                                  std::vector<Guess>& guesses) const {
  if (state.in_sync) return add_at_pointer(state, guesses);
  // An edit that replaced one token by another leaves no match to go by.
  if (state.astray == 1) add(state.pointer + 1, GuessKind::kReplaced, 0, guesses);
  for (const SuffixIndex::Match& match : places_after(output, state.pointer, kPlaces))
    add(match.next, kind_of(match.next, state.pointer), match.length, guesses);
}

void OriginalTracker::add_elsewhere(const OriginalState& state, std::span<const TokenId> output,
                                    std::vector<Guess>& guesses) const {
  for (const SuffixIndex::Match& match : places_after(output, state.pointer, kPlaces)) {
    if (match.next != state.pointer) add(match.next, GuessKind::kElsewhere, match.length, guesses);
  }
}

void OriginalTracker::add_at_pointer(const OriginalState& state,
                                     std::vector<Guess>& guesses) const {
  if (state.substitution >= 0) {
    const auto to = substitutions_.to(state.substitution);
    guesses.push_back(
        {to[static_cast<std::size_t>(state.written)], GuessKind::kSubstituting, state.written});
    return;
  }
  const int applicable = substitutions_.applicable(rest(state.pointer));
  if (applicable < 0) return add(state.pointer, GuessKind::kInSync, state.match, guesses);
  const int strength = substitutions_.strength(applicable);
  guesses.push_back({substitutions_.to(applicable)[0], GuessKind::kSubstituted, strength});
  add(state.pointer, GuessKind::kUnsubstituted, strength, guesses);
}

void OriginalTracker::add(int place, GuessKind kind, int match, std::vector<Guess>& guesses) const {
  const auto at = rest(place);
  if (!at.empty()) guesses.push_back({at[0], kind, match});
}

}  // namespace redraft
