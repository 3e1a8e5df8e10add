// Why a pointer follows the original
//
// Most of an edited file stays as it was. So the tracker follows the output along the original with
// a pointer. In sync, the original at the pointer is by far the best guess, token after token, and
// needs no search. An edit shows as a mismatch. At that point it is unknown how long the edit is,
// and whether text was inserted, replaced, deleted or moved, so the tracker decides nothing yet.
// After every token it looks up the positions where the output's end occurs, those ahead of the
// pointer first, and guesses come from there. The pointer moves only when enough tokens agree to be
// sure. It may move anywhere, also back, so a wrong move costs a few guesses and nothing permanent.
//
// An example with one letter per token. The output continues from "ab":
//
//   original  a b c d e f g h i j          output  a b X d e f g h i
//
//   X   is not c: out of sync. The pointer stays before c. X occurs nowhere; the guess is d, in
//       case one token was replaced by one.
//   d   occurs: e is guessed with a match of 1, then f with 2, g with 3, h with 4, i with 5.
//   i   is the sixth token in a row that agrees: in sync, before j.
//
// The text between the two positions is a hunk, in which X replaced c. From then on X is guessed
// wherever the original has c at the pointer, with c as an alternative (Substitutions), and the
// output counts as in sync while X is being written.
//
// Each branch of a draft carries an OriginalState and moves it with advance(). Only follow(), which
// sees the output itself, learns.

#include "decoding/drafting/redraft/sources/original_tracker.h"

#include <algorithm>

namespace redraft {
namespace {

constexpr int kSureMatch = 6;          // a match this long moves the pointer
constexpr int kAfterSubstitution = 2;  // as the length of a match

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

// The state stays in sync as long as `token` continues or begins a substitution.
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

// The output has returned to the original.
void OriginalTracker::learn_hunk(const OriginalState& found, std::span<const TokenId> output) {
  const int written = static_cast<int>(output.size()) - left_output_;
  const int passed = found.pointer - left_original_;
  const int same = std::min({found.match, written, passed});
  if (same < 0) return;  // it returned to a position before the one where it left
  substitutions_.learn(rest(left_original_).first(static_cast<std::size_t>(passed - same)),
                       output.subspan(static_cast<std::size_t>(left_output_),
                                      static_cast<std::size_t>(written - same)));
}

}  // namespace redraft
