#include "workspace/next_edit/change_words.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <span>

namespace redraft {
namespace {

bool in_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

// Longer ones are code rather than names or calls.
constexpr std::size_t kMaxPieces = 6;

std::optional<Substitution> substitution(std::string_view before, std::string_view after) {
  std::vector<std::string_view> old_words = words_of(before), new_words = words_of(after);
  const auto [old_begin, new_begin] =
      std::mismatch(old_words.begin(), old_words.end(), new_words.begin(), new_words.end());
  const auto [old_end, new_end] =
      std::mismatch(old_words.rbegin(), std::make_reverse_iterator(old_begin), new_words.rbegin(),
                    std::make_reverse_iterator(new_begin));
  const auto text = [](auto begin, auto end) {
    const auto pieces = std::span(begin, end);
    if (pieces.empty() || pieces.size() > kMaxPieces || std::ranges::none_of(pieces, is_word))
      return std::string();
    return std::string(pieces.front().data(), pieces.back().data() + pieces.back().size());
  };
  Substitution found{text(old_begin, old_end.base()), text(new_begin, new_end.base())};
  if (found.before.empty() || found.after.empty()) return std::nullopt;
  return found;
}

// How many more of each piece `after` has than `before`.
void count(const std::vector<std::string>& before, const std::vector<std::string>& after,
           std::map<std::string, int>& more) {
  for (const std::string& line : before) {
    for (const std::string_view piece : words_of(line)) --more[std::string(piece)];
  }
  for (const std::string& line : after) {
    for (const std::string_view piece : words_of(line)) ++more[std::string(piece)];
  }
}

WordChange in_sets(const std::map<std::string, int>& more) {
  WordChange change;
  for (const auto& [piece, n] : more) {
    if (n > 0) change.added.insert(piece);
    if (n < 0) change.removed.insert(piece);
  }
  return change;
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> pieces;
  for (std::size_t begin = 0; begin < line.size();) {
    std::size_t end = begin + 1;
    if (in_word(line[begin])) {
      while (end < line.size() && in_word(line[end])) ++end;
    }
    if (line[begin] != ' ' && line[begin] != '\t')
      pieces.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return pieces;
}

bool is_word(std::string_view piece) { return !piece.empty() && in_word(piece.front()); }

WordChange word_change(const std::vector<std::string>& before,
                       const std::vector<std::string>& after) {
  std::map<std::string, int> more;
  count(before, after, more);
  return in_sets(more);
}

std::vector<Substitution> substitutions(const std::vector<RecentChange>& recent) {
  std::vector<Substitution> result;
  for (const RecentChange& change : recent) {
    if (change.before.size() != change.after.size()) continue;
    for (std::size_t line = 0; line < change.before.size(); ++line) {
      const auto found = substitution(change.before[line], change.after[line]);
      if (!found) continue;
      std::erase(result, *found);
      result.push_back(*found);
    }
  }
  return result;
}

WordChange word_change(const std::vector<RecentChange>& recent) {
  std::map<std::string, int> more;
  for (const RecentChange& change : recent) count(change.before, change.after, more);
  return in_sets(more);
}

}  // namespace redraft
