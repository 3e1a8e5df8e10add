#include "workspace/apply/hunk_place.h"

#include <algorithm>
#include <cstdlib>

#include "text/strings/trimmed.h"

namespace redraft {
namespace {

std::string shown_line(std::string_view line) {
  constexpr std::size_t kLongest = 40;  // in bytes; names are usually ASCII
  const std::string_view text = trimmed(line);
  if (text.size() <= kLongest) return "'" + std::string(text) + "'";
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return "'" + std::string(text.substr(0, end)) + "...'";
}

// Where lines with these texts are. Looks them up by the rarest line; fails if that one is too
// frequent.
Result<std::vector<int>> places_of(const FileLines& file, const std::vector<std::string>& lines) {
  std::size_t rarest = 0;
  const auto n_places = [&](std::size_t i) { return file.places_of(trimmed(lines[i])).size(); };
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (n_places(i) < n_places(rarest)) rarest = i;
  }
  const std::vector<int>& candidates = file.places_of(trimmed(lines[rarest]));
  if (candidates.size() * lines.size() > kMaxCompared)
    return Error("its lines occur too often in the file");
  std::vector<int> places;
  for (const int place : candidates) {
    const int begin = place - static_cast<int>(rarest);
    if (file.has_at(begin, lines)) places.push_back(begin);
  }
  return places;
}

// How to reindent the lines to match the file; nullopt: they do not all move equally.
std::optional<Reindent> reindent(const FileLines& file, int begin,
                                 const std::vector<std::string>& lines) {
  std::optional<Reindent> result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (trimmed(lines[i]).empty()) continue;
    const Reindent here = Reindent::between(lines[i], file.line(begin + static_cast<int>(i)));
    if (result && *result != here) return std::nullopt;
    result = here;
  }
  return result ? result : Reindent{};
}

bool stands_as_it_is(const FileLines& file, int begin, const std::vector<std::string>& lines) {
  const std::optional<Reindent> move = reindent(file, begin, lines);
  return move == Reindent{};
}

// The places within the definition that a hunk's heading names.
std::vector<int> below_heading(const FileLines& file, const SyntaxTree* tree,
                               const std::vector<int>& places, std::string_view heading) {
  std::vector<int> below;
  constexpr std::size_t kMaxPlaces = 100;  // each requires a walk through the tree
  if (tree == nullptr || heading.empty() || places.size() > kMaxPlaces) return below;
  for (const int place : places) {
    const std::size_t at = file.bytes_of(place, place).begin;
    const std::optional<Definition> definition = tree->enclosing_definition(at);
    if (!definition) continue;
    const auto [first, last] = file.lines_of(definition->range);
    for (int i = first; i < last && i < place; ++i) {
      if (file.text(i).starts_with(heading)) {
        below.push_back(place);
        break;
      }
    }
  }
  return below;
}

}  // namespace

Result<LineSpan> place_hunk(const FileLines& file, const SyntaxTree* tree, const Replaced& hunk) {
  const bool says_where = std::ranges::any_of(
      hunk.old_lines, [](const std::string& line) { return !trimmed(line).empty(); });
  if (!says_where) {
    if (file.size() == 0) return LineSpan{0, 0, hunk.new_lines};
    return Error("the change does not say where its new lines go");
  }
  Result<std::vector<int>> found = places_of(file, hunk.old_lines);
  if (!found) return found.error();
  std::vector<int>& places = *found;
  if (places.empty()) {
    if (!hunk.new_lines.empty()) {
      const Result<std::vector<int>> done = places_of(file, hunk.new_lines);
      if (done && done->size() == 1) return LineSpan{};
    }
    const auto missing = std::ranges::find_if(hunk.old_lines, [&](const std::string& line) {
      return file.places_of(trimmed(line)).empty();
    });
    if (missing == hunk.old_lines.end())
      return Error("the lines from " + shown_line(hunk.old_lines.front()) +
                   " are not adjacent in the file");
    return Error(shown_line(*missing) + " is not in the file");
  }
  const auto keep = [&](std::vector<int> some) {
    if (!some.empty()) places = std::move(some);
  };
  std::vector<int> as_it_is;
  for (const int place : places) {
    if (stands_as_it_is(file, place, hunk.old_lines)) as_it_is.push_back(place);
  }
  keep(std::move(as_it_is));
  ChangeOrigin origin{.decided_by = DecidedBy::kLines, .shows_removed = true};
  if (places.size() > 1) {
    keep(below_heading(file, tree, places, hunk.heading));
    if (places.size() == 1) origin.decided_by = DecidedBy::kTree;
  }
  if (places.size() > 1 && hunk.line && std::ranges::find(places, *hunk.line) != places.end())
    places = {*hunk.line};
  if (places.size() > 1)
    return Error("the lines from " + shown_line(hunk.old_lines.front()) + " are at " +
                 std::to_string(places.size()) + " places");
  const std::optional<Reindent> move = reindent(file, places.front(), hunk.old_lines);
  std::optional<std::vector<std::string>> lines;
  if (move) lines = (*move)(hunk.new_lines);
  if (!lines) return Error("the indentation of the change does not match the file");
  const int end = places.front() + static_cast<int>(hunk.old_lines.size());
  return LineSpan{places.front(), end, std::move(*lines), origin};
}

}  // namespace redraft
