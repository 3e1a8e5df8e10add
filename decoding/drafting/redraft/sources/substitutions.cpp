// How a change is learned in one place and expected in the next
//
// An instruction such as "rename count to total" changes many places in the same way. The first
// change shows as a hunk: the text of the original, and what the output wrote in its place. Their
// longest common subsequence of tokens stays; each part between is a replacement, which is guessed
// wherever the original has the same tokens again.
//
// A token includes the character before a word, so a replaced word has to be known in other
// spellings. If both texts of a replacement differ in one word, that word is encoded after each of
// kBefore.
//
// An example. The original has "count = 0", the output "total = 0". The tracker learns "count" ->
// "total", and with it " count" -> " total", ".count" -> ".total" and so on. Where the original has
// " count" next, " total" is guessed with a strength of 1. If the output writes it, the strength is
// 2 for every spelling. If the output keeps " count" instead, the strength is 0.

#include "decoding/drafting/redraft/sources/substitutions.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace redraft {
namespace {

constexpr std::size_t kLongest = 8;       // tokens per replacement
constexpr std::size_t kLongestHunk = 48;  // maximum number of tokens in an examined hunk
constexpr std::size_t kMaxRules = 2048;   // including all spellings
// Characters that a token may have before a word.
constexpr std::string_view kBefore[] = {"",  " ", ".", "(", "[", "{", "_", "-", "!",  "*",
                                        "&", "$", "@", "<", ":", "/", "=", "'", "\"", "\t"};

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) || c == '_' || byte >= 0x80;
}

bool is_word(std::string_view text) {
  return text.size() >= 2 && std::ranges::all_of(text, is_word_byte) &&
         !std::isdigit(static_cast<unsigned char>(text[0]));
}

struct Words {
  std::string_view from, to;
};

// The one word in which two short texts differ; empty if they do not differ in exactly one.
Words replaced_word(std::string_view from, std::string_view to) {
  const auto differ = std::ranges::mismatch(from, to);
  auto begin = static_cast<std::size_t>(differ.in1 - from.begin());
  while (begin > 0 && is_word_byte(from[begin - 1])) --begin;
  from.remove_prefix(begin);
  to.remove_prefix(begin);
  std::size_t same = 0;
  while (same < std::min(from.size(), to.size()) &&
         from[from.size() - 1 - same] == to[to.size() - 1 - same]) {
    ++same;
  }
  while (same > 0 && is_word_byte(from[from.size() - same])) --same;
  from.remove_suffix(same);
  to.remove_suffix(same);
  return is_word(from) && is_word(to) ? Words{from, to} : Words{};
}

// lengths[i][j]: length of the longest common subsequence of from[i..] and to[j..].
std::vector<std::vector<int>> common_lengths(std::span<const TokenId> from,
                                             std::span<const TokenId> to) {
  std::vector<std::vector<int>> lengths(from.size() + 1, std::vector<int>(to.size() + 1, 0));
  for (std::size_t i = from.size(); i-- > 0;) {
    for (std::size_t j = to.size(); j-- > 0;) {
      lengths[i][j] = from[i] == to[j] ? lengths[i + 1][j + 1] + 1
                                       : std::max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return lengths;
}

}  // namespace

void Substitutions::learn(std::span<const TokenId> from, std::span<const TokenId> to) {
  if (from.size() > kLongestHunk || to.size() > kLongestHunk) return;
  const std::vector<std::vector<int>> lengths = common_lengths(from, to);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < from.size() && j < to.size()) {
    const std::size_t from_begin = i;
    const std::size_t to_begin = j;
    while (lengths[i][j] > 0 && from[i] != to[j])
      ++(lengths[i + 1][j] >= lengths[i][j + 1] ? i : j);
    if (lengths[i][j] == 0) {  // nothing in common from here on
      i = from.size();
      j = to.size();
    }
    if (i > from_begin && j > to_begin) {
      learn_replacement(from.subspan(from_begin, i - from_begin),
                        to.subspan(to_begin, j - to_begin));
    }
    while (i < from.size() && j < to.size() && from[i] == to[j]) {
      ++i;
      ++j;
    }
  }
}

void Substitutions::learn_replacement(std::span<const TokenId> from, std::span<const TokenId> to) {
  if (from.size() > kLongest || to.size() > kLongest) return;
  const auto known = std::ranges::find_if(rules_, [&](const Rule& rule) {
    return std::ranges::equal(rule.from, from) && std::ranges::equal(rule.to, to);
  });
  if (known != rules_.end()) {
    ++evidence_[known->evidence].made;
    return;
  }
  if (rules_.size() + std::size(kBefore) >= kMaxRules) return;
  const std::size_t evidence = evidence_.size();
  evidence_.push_back({});
  add(from, to, evidence);
  if (!tokenizer_) return;
  const std::string from_text = tokenizer_->decode(from);
  const std::string to_text = tokenizer_->decode(to);
  const Words words = replaced_word(from_text, to_text);
  if (!words.from.empty()) add_spellings(words.from, words.to, evidence);
}

void Substitutions::expect(std::string_view from, std::string_view to) {
  if (!tokenizer_ || from.empty() || to.empty()) return;
  evidence_.push_back({});
  add_spellings(from, to, evidence_.size() - 1);
}

void Substitutions::add_spellings(std::string_view from, std::string_view to,
                                  std::size_t evidence) {
  for (const std::string_view before : kBefore) {
    const auto from_tokens = tokenizer_->encode(std::string(before).append(from));
    const auto to_tokens = tokenizer_->encode(std::string(before).append(to));
    // The character before the word is its own token, so the spelling without it applies.
    if (from_tokens[0] == to_tokens[0]) continue;
    if (from_tokens.size() <= kLongest && to_tokens.size() <= kLongest)
      add(from_tokens, to_tokens, evidence);
  }
}

// If the same tokens were replaced differently before, the last replacement counts.
void Substitutions::add(std::span<const TokenId> from, std::span<const TokenId> to,
                        std::size_t evidence) {
  const Rule added{{from.begin(), from.end()}, {to.begin(), to.end()}, evidence};
  std::vector<int>& same_beginning = beginning_with_[from.front()];
  for (const int idx : same_beginning) {
    if (rule(idx).from != added.from) continue;
    if (rule(idx).to != added.to) rules_[static_cast<std::size_t>(idx)] = added;
    return;
  }
  same_beginning.push_back(static_cast<int>(rules_.size()));
  rules_.push_back(added);
}

int Substitutions::applicable(std::span<const TokenId> rest) const {
  if (rest.empty()) return -1;
  const auto candidates = beginning_with_.find(rest.front());
  if (candidates == beginning_with_.end()) return -1;
  int longest = -1;
  for (const int idx : candidates->second) {
    const std::vector<TokenId>& from = rule(idx).from;
    if (from.size() > rest.size() || !std::ranges::equal(from, rest.first(from.size()))) continue;
    if (longest < 0 || from.size() > rule(longest).from.size()) longest = idx;
  }
  return longest;
}

int Substitutions::strength(int substitution) const {
  const Evidence& evidence = evidence_[rule(substitution).evidence];
  if (evidence.not_made > 0 && evidence.made == 1) return 0;
  return std::max(0, evidence.made - evidence.not_made);
}

}  // namespace redraft
