#include "workspace/change_words.h"

#include <cctype>

namespace redraft {
namespace {

bool in_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

// How many more `after` has of each piece.
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

WordChange word_change(const std::vector<RecentChange>& recent) {
  std::map<std::string, int> more;
  for (const RecentChange& change : recent) count(change.before, change.after, more);
  return in_sets(more);
}

}  // namespace redraft
