#include "workspace/apply/line_merge.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>

#include "text/strings/text_lines.h"

namespace redraft {
namespace {

using Words = std::vector<std::string_view>;

// More words than this are not compared.
constexpr std::size_t kMaxWords = 300;

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
}

bool is_name(std::string_view word) {
  return !word.empty() && is_of_name(word.front()) &&
         std::isdigit(static_cast<unsigned char>(word.front())) == 0;
}

// Names and numbers, runs of blanks, and single signs.
Words words_of(std::string_view text) {
  Words words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (is_of_name(text[i])) {
      while (end < text.size() && is_of_name(text[end])) ++end;
    } else if (is_blank(text[i])) {
      while (end < text.size() && is_blank(text[end])) ++end;
    }
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

// For each word of `a`, its counterpart in `b`, or -1: a longest common subsequence.
std::vector<int> counterparts(const Words& a, const Words& b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::uint16_t> longest((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      const std::uint16_t skipped =
          std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
      const std::uint16_t both = longest[(i + 1) * width + j + 1];
      longest[i * width + j] = a[i] == b[j] ? static_cast<std::uint16_t>(both + 1) : skipped;
    }
  }
  std::vector<int> found(a.size(), -1);
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) {
      found[i++] = static_cast<int>(j++);
    } else {
      ++(longest[(i + 1) * width + j] >= longest[i * width + j + 1] ? i : j);
    }
  }
  return found;
}

std::string joined(const Words& words, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += words[i];
  return text;
}

bool is_long(const Words& a, const Words& b) {
  return a.size() > kMaxWords || b.size() > kMaxWords;
}

// Two versions of the same words; nothing: they change the same ones.
std::optional<std::string> merged_words(const std::string& base, const std::string& ours,
                                        const std::string& theirs) {
  if (ours == base || ours == theirs) return theirs;
  if (theirs == base) return ours;
  if (base.empty()) return std::nullopt;
  // One only adds before or behind what the other changes.
  for (const auto& [adds, changes] : {std::pair(theirs, ours), std::pair(ours, theirs)}) {
    if (adds.starts_with(base)) return changes + adds.substr(base.size());
    if (adds.ends_with(base)) return adds.substr(0, adds.size() - base.size()) + changes;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> merged_line(std::string_view base, std::string_view ours,
                                       std::string_view theirs) {
  if (base == ours || ours == theirs) return std::string(theirs);
  if (base == theirs) return std::string(ours);
  const Words from = words_of(base), mine = words_of(ours), other = words_of(theirs);
  if (is_long(from, mine) || is_long(from, other)) return std::nullopt;
  const std::vector<int> in_mine = counterparts(from, mine), in_other = counterparts(from, other);
  std::string result;
  std::size_t i = 0, j = 0, k = 0;  // up to where all three are merged
  for (std::size_t stable = 0; stable <= from.size(); ++stable) {
    const bool is_end = stable == from.size();
    if (!is_end && (in_mine[stable] < 0 || in_other[stable] < 0)) continue;
    const std::size_t to_mine = is_end ? mine.size() : static_cast<std::size_t>(in_mine[stable]);
    const std::size_t to_other = is_end ? other.size() : static_cast<std::size_t>(in_other[stable]);
    const std::string before = joined(from, i, stable), a = joined(mine, j, to_mine),
                      b = joined(other, k, to_other);
    const std::optional<std::string> both = merged_words(before, a, b);
    if (!both) return std::nullopt;
    result += *both;
    if (is_end) break;
    result += from[stable];
    i = stable + 1;
    j = to_mine + 1;
    k = to_other + 1;
  }
  return result;
}

std::optional<std::vector<std::pair<std::string, std::string>>> renamed_words(
    std::string_view base, std::string_view there) {
  const Words from = words_of(base), to = words_of(there);
  if (from.size() != to.size()) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> names;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == to[i] || (is_blank(from[i].front()) && is_blank(to[i].front()))) continue;
    if (!is_name(from[i]) || !is_name(to[i])) return std::nullopt;
    std::pair<std::string, std::string> one(from[i], to[i]);
    if (std::ranges::find(names, one) == names.end()) names.push_back(std::move(one));
  }
  return names;
}

std::string with_names(std::string_view text,
                       const std::vector<std::pair<std::string, std::string>>& names) {
  std::string result;
  for (const std::string_view word : words_of(text)) {
    const auto found = std::ranges::find(
        names, word, [](const auto& one) -> std::string_view { return one.first; });
    result += found == names.end() ? word : std::string_view(found->second);
  }
  return result;
}

bool has_name(std::string_view text, std::string_view name) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; ++at) {
    const bool begins = at == 0 || !is_of_name(text[at - 1]);
    const std::size_t end = at + name.size();
    if (begins && (end == text.size() || !is_of_name(text[end]))) return true;
  }
  return false;
}

}  // namespace redraft
