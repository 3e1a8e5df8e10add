#include "workspace/apply/canonical_text.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace redraft {
namespace {

struct Replacement {
  std::string_view from, to;
};

// All have three bytes but the no-break space.
constexpr Replacement kReplacements[] = {
    {"\u2018", "'"},  {"\u2019", "'"},  {"\u201A", "'"},   {"\u201B", "'"}, {"\u201C", "\""},
    {"\u201D", "\""}, {"\u201E", "\""}, {"\u201F", "\""},  {"\u2032", "'"}, {"\u2033", "\""},
    {"\u2010", "-"},  {"\u2011", "-"},  {"\u2012", "-"},   {"\u2013", "-"}, {"\u2014", "-"},
    {"\u2015", "-"},  {"\u2212", "-"},  {"\u2026", "..."}, {"\u00A0", " "}, {"\u2002", " "},
    {"\u2003", " "},  {"\u2007", " "},  {"\u2009", " "},   {"\u200A", " "}, {"\u202F", " "},
    {"\u3000", " "},  {"\u200B", ""},   {"\u200C", ""},    {"\u200D", ""},  {"\u2060", ""},
    {"\uFEFF", ""}};

// A character of a text and its canonical form.
struct Unit {
  std::string_view raw, canonical;
};

std::vector<Unit> units_of(std::string_view text) {
  std::vector<Unit> units;
  while (!text.empty()) {
    const auto* found = std::ranges::find_if(
        kReplacements, [&](const Replacement& one) { return text.starts_with(one.from); });
    if (found != std::end(kReplacements)) {
      units.push_back({text.substr(0, found->from.size()), found->to});
    } else {
      std::size_t size = 1;
      while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
      units.push_back({text.substr(0, size), text.substr(0, size)});
    }
    text.remove_prefix(units.back().raw.size());
  }
  return units;
}

// How many bytes of `text` have a canonical text of `size` bytes; npos: no whole characters have.
std::size_t raw_size(const std::vector<Unit>& units, std::size_t size) {
  std::size_t raw = 0;
  for (const Unit& unit : units) {
    if (size == 0) return raw;
    if (size < unit.canonical.size()) return std::string_view::npos;
    size -= unit.canonical.size();
    raw += unit.raw.size();
  }
  return size == 0 ? raw : std::string_view::npos;
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const auto [end, other] = std::ranges::mismatch(a, b);
  return static_cast<std::size_t>(end - a.begin());
}

}  // namespace

std::string canonical_text(std::string_view text) {
  const bool is_ascii = std::ranges::all_of(text, [](char c) { return (c & 0x80) == 0; });
  if (is_ascii) return std::string(text);
  std::string canonical;
  for (const Unit& unit : units_of(text)) canonical += unit.canonical;
  return canonical;
}

std::string with_single_blanks(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\t';
    if (!is_blank) {
      result += c;
    } else if (!result.ends_with(' ')) {
      result += ' ';
    }
  }
  return result;
}

std::string changed_in_place(std::string_view there, std::string_view old_line,
                             std::string_view new_line) {
  const std::string fresh = canonical_text(new_line);
  if (there == old_line || canonical_text(old_line) != canonical_text(there) || fresh != new_line)
    return std::string(new_line);
  const std::string old = canonical_text(old_line);
  std::size_t front = common_prefix(old, fresh);
  std::size_t back = common_prefix(std::string(old.rbegin(), old.rend()),
                                   std::string(fresh.rbegin(), fresh.rend()));
  back = std::min(back, std::min(old.size(), fresh.size()) - front);
  std::vector<Unit> units = units_of(there);
  std::size_t head = raw_size(units, front);
  while (head == std::string_view::npos) head = raw_size(units, --front);
  std::size_t rest = raw_size(units, old.size() - back);
  while (rest == std::string_view::npos) rest = raw_size(units, old.size() - --back);
  if (rest < head) return std::string(new_line);
  return std::string(there.substr(0, head)) + fresh.substr(front, fresh.size() - front - back) +
         std::string(there.substr(rest));
}

}  // namespace redraft
