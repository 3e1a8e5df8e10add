#include "indexing/syntax/region_finder.h"

#include <algorithm>
#include <utility>

#include "indexing/syntax/region_names.h"
#include "indexing/syntax/tree_cursor.h"
#include "text/strings/text_lines.h"

namespace redraft {
namespace {

// Deeper places are nested brackets, not code that anybody reads.
constexpr std::size_t kMaxDepth = 1000;
// In a function that is too long, a block of at least this many lines is edited, if there is one.
constexpr std::ptrdiff_t kBlockLines = 3;

std::ptrdiff_t count_lines(std::string_view text, const ByteRange& range) {
  return std::ranges::count(text.substr(range.begin, range.size()), '\n');
}

// The line at `offset` with those next to it that belong to it, in at most `max_bytes`.
template <typename Belongs>
ByteRange grown(std::string_view text, std::size_t offset, const ByteRange& within,
                std::size_t max_bytes, const Belongs& belongs) {
  ByteRange lines = whole_lines(text, {offset, offset});
  const auto take = [&](std::size_t place) {
    const ByteRange line = whole_lines(text, {place, place});
    const ByteRange both{std::min(lines.begin, line.begin), std::max(lines.end, line.end)};
    if (!within.contains(line) || both.size() > max_bytes || !belongs(line)) return false;
    lines = both;
    return true;
  };
  while (lines.begin > within.begin && take(lines.begin - 1)) {
  }
  while (lines.end < within.end && take(lines.end)) {
  }
  return lines;
}

TSNode next_of(const TSNode& node) { return ts_node_next_named_sibling(node); }
TSNode previous_of(const TSNode& node) { return ts_node_prev_named_sibling(node); }

// Whether a node is a string, a comment or the like: a blank line in it is text.
bool has_text(const TSNode& node) {
  constexpr std::string_view kNames[] = {"string", "scalar", "content", "comment", "heredoc"};
  return ts_node_child_count(node) == 0 || std::ranges::any_of(kNames, [&](std::string_view name) {
           return type_of(node).find(name) != std::string_view::npos;
         });
}

// Whether one of `words` stands in `text` by itself.
bool has_one_of(std::string_view words, std::string_view text) {
  constexpr std::string_view kBetween = " \t\r\n()'\"=;{}";
  for (std::size_t begin = 0; begin < text.size();) {
    begin = text.find_first_not_of(kBetween, begin);
    if (begin == std::string_view::npos) return false;
    const std::size_t end = std::min(text.find_first_of(kBetween, begin), text.size());
    if (has_word(words, text.substr(begin, end - begin))) return true;
    begin = end;
  }
  return false;
}

}  // namespace

RegionChain RegionFinder::around(std::size_t offset, std::size_t max_bytes) const {
  offset = std::min(offset, text_.size());
  Search search{.origin = offset, .place = offset, .max_bytes = max_bytes, .path = {}, .links = {}};
  if (is_blank_line(offset) && !is_in_token(offset)) {
    search.path = path_to(offset);
    add_insertion(offset, &search);
  } else {
    search.place = beside(text_, offset);
    search.path = path_to(search.place);
    leave_leading(&search);
  }
  for (std::size_t index = search.path.size(); index-- > 1;) {
    if (is_unit(search.path, index)) add_unit(index, &search);
  }
  add({.region = {RegionKind::kFile, {0, text_.size()}, "file"}, .definition = nullptr}, &search);
  const std::size_t chosen = choose(&search);
  RegionChain chain{.regions = {}, .chosen = chosen};
  for (Link& link : search.links) chain.regions.push_back(std::move(link.region));
  return chain;
}

bool RegionFinder::is_blank_line(std::size_t offset) const {
  const std::size_t start = line_start(text_, offset);
  return skip_blanks(text_, start) >= line_end(text_, start);
}

bool RegionFinder::is_in_token(std::size_t offset) const {
  TreeCursor cursor(root_);
  cursor.descend_to(offset);
  const TSNode& node = cursor.node();
  const ByteRange range = range_of(node);
  return has_text(node) && range.begin < line_start(text_, offset) &&
         without_space(text_, range) > line_end(text_, offset);
}

ByteRange RegionFinder::lines_of(const TSNode& node) const {
  const ByteRange range = range_of(node);
  return whole_lines(text_, {range.begin, without_space(text_, range)});
}

RegionFinder::Path RegionFinder::path_to(std::size_t offset) const {
  TreeCursor cursor(root_);
  cursor.descend_to(offset);
  if (cursor.path().size() > kMaxDepth) return {root_};
  return cursor.path();
}

void RegionFinder::leave_leading(Search* search) const {
  Path& path = search->path;
  const auto found =
      std::ranges::find_if(path, [&](const TSNode& node) { return grammar_.role(node).leading; });
  if (found == path.end()) return;
  if (!begins_line(text_, range_of(*found).begin)) {  // it is about what stands before it
    const std::size_t line = line_start(text_, range_of(*found).begin);
    search->place = skip_blanks(text_, line);
    path = path_to(search->place);
    return;
  }
  path.erase(found + 1, path.end());
  const ByteRange own = range_of(path.back());
  TSNode last = path.back();
  TSNode next = next_of(last);
  const auto is_next = [&] {
    return !ts_node_is_null(next) &&
           follows(text_, without_space(text_, range_of(last)), range_of(next).begin);
  };
  while (is_next() && grammar_.role(next).leading) {
    last = next;
    next = next_of(last);
  }
  if (!is_next()) return;
  Path below = path;
  below.back() = next;
  const std::size_t begin = begin_with_leading(next);
  const std::size_t size = range_of(next).begin - begin;
  const bool belongs = is_unit(below, below.size() - 1) && begin <= own.begin &&
                       size <= search->max_bytes && definition_of(below, below.size() - 1);
  if (!belongs) return;
  path = std::move(below);
  search->place = range_of(next).begin;
}

bool RegionFinder::is_unit(const Path& path, std::size_t index) const {
  const TSNode& node = path[index];
  return index > 0 && grammar_.role(path[index - 1]).sequence && ts_node_is_named(node) &&
         !grammar_.role(node).part && has_own_lines(node);
}

bool RegionFinder::has_own_lines(const TSNode& node) const {
  const ByteRange range = range_of(node);
  if (range.empty() || !begins_line(text_, range.begin)) return false;
  const std::size_t end = without_space(text_, range);
  const std::size_t stop = line_end(text_, end);
  std::size_t rest = end;
  while (rest < stop &&
         (is_blank(text_[rest]) || text_[rest] == ',' || text_[rest] == ';' || text_[rest] == ':'))
    ++rest;
  if (rest == stop) return true;
  TreeCursor cursor(root_);
  cursor.descend_to(rest);
  const auto comment = std::ranges::find_if(
      cursor.path(), [&](const TSNode& each) { return grammar_.role(each).leading; });
  return comment != cursor.path().end() && without_space(text_, range_of(*comment)) >= stop - 1 &&
         without_space(text_, range_of(*comment)) <= stop;
}

bool RegionFinder::is_import(const TSNode& unit) const {
  if (grammar_.role(unit).import) return true;
  if (grammar_.language.import_words->empty()) return false;
  const ByteRange range = range_of(unit);
  const std::string_view text = text_.substr(range.begin, range.size());
  return !grammar_.role(unit).leading && text.find('\n') == text.npos &&
         has_one_of(grammar_.language.import_words, text);
}

bool RegionFinder::is_docstring(const Path& path, std::size_t index) const {
  const std::string_view parent = type_of(path[index - 1]);
  return type_of(path[index]) == "expression_statement" &&
         (parent == "block" || parent == "module") && ts_node_named_child_count(path[index]) == 1 &&
         type_of(ts_node_named_child(path[index], 0)) == "string";
}

std::optional<RegionFinder::Found> RegionFinder::definition_of(const Path& path,
                                                               std::size_t index) const {
  const ByteRange lines = lines_of(path[index]);
  const auto found_at = [&](const Path& at, std::size_t i) -> std::optional<Found> {
    const std::optional<Definition> definition = definitions_.definition_at(at, i);
    if (!definition || whole_lines(text_, definition->range) != lines) return std::nullopt;
    const DefinitionType* type = grammar_.role(at[i]).definition;
    const bool is_data = type->node == "property_declaration" || type->node == "event_declaration";
    if (is_data && count_lines(text_, lines) <= 1) return std::nullopt;  // an attribute, in effect
    return Found{*definition, type, {}};
  };
  std::optional<Found> found;
  for (std::size_t i = index; i < path.size() && !found; ++i) {
    if (i > index && grammar_.role(path[i - 1]).sequence) break;
    found = found_at(path, i);
  }
  if (!found && grammar_.role(path[index]).wrapper) {
    const Path inside = definitions_.path_to_wrapped(path, index);
    if (!inside.empty()) found = found_at(inside, inside.size() - 1);
  }
  return found;
}

std::optional<RegionFinder::Found> RegionFinder::definition_around(const Path& path,
                                                                   std::size_t index) const {
  std::optional<Found> found;
  while (index-- > 1 && !found) {
    if (grammar_.role(path[index - 1]).sequence) found = definition_of(path, index);
  }
  if (!found) return found;
  const ByteRange& name = found->definition.name;
  bool is_member = false;
  if (found->type->kind == DefinitionKind::kFunction) {
    const std::optional<Found> outer = definition_around(path, index + 1);
    is_member = outer && (outer->type->kind == DefinitionKind::kType ||
                          outer->type->kind == DefinitionKind::kImplementation);
  }
  found->title = title_of(*found->type, text_.substr(name.begin, name.size()), is_member);
  return found;
}

std::size_t RegionFinder::begin_with_leading(const TSNode& unit) const {
  std::size_t begin = range_of(unit).begin;
  for (TSNode above = previous_of(unit); !ts_node_is_null(above); above = previous_of(above)) {
    const ByteRange range = range_of(above);
    const bool belongs = grammar_.role(above).leading && begins_line(text_, range.begin) &&
                         follows(text_, without_space(text_, range), begin);
    if (!belongs) break;
    begin = range.begin;
  }
  return begin;
}

void RegionFinder::add_insertion(std::size_t offset, Search* search) const {
  const std::size_t start = line_start(text_, offset);
  const std::size_t blanks = line_end(text_, start) - start;
  const auto around = definition_around(search->path, search->path.size());
  // What replaces an indent is indented; and of a function the blank line is a part.
  const bool is_line = blanks > (text_.substr(start, blanks) == "\r" ? 1U : 0U) ||
                       (around && around->type->kind == DefinitionKind::kFunction);
  const ByteRange range =
      is_line ? whole_lines(text_, {start, start + blanks}) : ByteRange{start, start};
  const std::string title = around ? around->title : std::string();
  add({.region = {RegionKind::kInsertion, range,
                  name_of_region(RegionKind::kInsertion, title, false, true)},
       .definition = nullptr},
      search);
}

void RegionFinder::add_unit(std::size_t index, Search* search) const {
  const Path& path = search->path;
  const TSNode& node = path[index];
  ByteRange lines = lines_of(node);
  if (const auto found = definition_of(path, index)) {
    // A definition that fits without the comment above it does not lose its region to a long one.
    const std::size_t begin = line_start(text_, begin_with_leading(node));
    const bool may_leave = search->origin >= lines.begin && lines.size() <= search->max_bytes;
    const std::size_t size = (may_leave ? lines.end : lines.begin) - begin;
    if (size <= search->max_bytes) lines.begin = begin;
    const std::string title = definition_around(path, index + 1)->title;
    return add({.region = {RegionKind::kDefinition, lines, title}, .definition = found->type},
               search);
  }
  const std::optional<Found> around = definition_around(path, index);
  const std::string title = around ? around->title : std::string();
  const bool is_member = around && (around->type->kind == DefinitionKind::kType ||
                                    around->type->kind == DefinitionKind::kImplementation);
  RegionKind kind = is_member ? RegionKind::kMembers : RegionKind::kStatements;
  if (is_import(node)) kind = RegionKind::kImports;
  if (is_docstring(path, index)) kind = RegionKind::kDocstring;
  const auto name = [&](RegionKind of, bool several) {
    return name_of_region(of, title, several, grammar_.has_functions);
  };
  const RegionKind own = grammar_.role(node).leading ? RegionKind::kComment : kind;
  add({.region = {own, lines, name(own, false)}, .definition = nullptr}, search);
  if (kind == RegionKind::kDocstring) return;
  const Run run = run_of(path, index, lines, search->max_bytes);
  if (!run.has_code) kind = RegionKind::kComment;
  add({.region = {kind, run.lines, name(kind, true)}, .definition = nullptr}, search);
}

void RegionFinder::add(Link link, Search* search) const {
  std::vector<Link>& links = search->links;
  if (!links.empty()) {
    Region& last = links.back().region;
    if (!link.region.range.contains(last.range)) return;
    if (link.region.range == last.range) {
      if (link.definition != nullptr) links.back() = std::move(link);
      return;
    }
  }
  links.push_back(std::move(link));
}

RegionFinder::Run RegionFinder::run_of(const Path& path, std::size_t index, ByteRange lines,
                                       std::size_t max_bytes) const {
  const bool imports = is_import(path[index]);
  const auto is_near = [&](const ByteRange& upper, const ByteRange& lower) {
    return imports ? skip_space(text_, upper.end) >= skip_blanks(text_, lower.begin)
                   : upper.end >= lower.begin;
  };
  const auto size_with = [&](const ByteRange& other) {
    return std::max(lines.end, other.end) - std::min(lines.begin, other.begin);
  };
  const auto is_beside_code = [&](const TSNode& node) {  // a comment that ends a line
    return grammar_.role(node).leading && !begins_line(text_, range_of(node).begin);
  };
  ByteRange reach = lines;  // with comments that may belong to what follows
  bool has_code = !grammar_.role(path[index]).leading;
  bool ends_freely = true;  // so they belong to nothing else
  for (TSNode next = next_of(path[index]); !ts_node_is_null(next); next = next_of(next)) {
    if (is_beside_code(next)) continue;
    const ByteRange there = lines_of(next);
    if (!is_near(reach, there)) break;
    const bool is_comment = grammar_.role(next).leading;
    ends_freely = size_with(there) <= max_bytes && (is_comment || joins(path, next, imports));
    if (!ends_freely) break;
    reach.end = there.end;
    if (!is_comment) lines.end = there.end;
    has_code = has_code || !is_comment;
  }
  if (ends_freely && !imports) lines.end = reach.end;
  reach = lines;
  for (TSNode above = previous_of(path[index]); !ts_node_is_null(above);
       above = previous_of(above)) {
    if (is_beside_code(above)) continue;
    const ByteRange there = lines_of(above);
    const bool is_comment = grammar_.role(above).leading;
    if (!is_near(there, reach) || size_with(there) > max_bytes ||
        !(is_comment || joins(path, above, imports)))
      break;
    reach.begin = there.begin;
    if (!is_comment || !imports) lines.begin = there.begin;
    has_code = has_code || !is_comment;
  }
  return {lines, has_code};
}

bool RegionFinder::joins(const Path& path, const TSNode& sibling, bool imports) const {
  Path there = path;
  const TSNode parent = ts_node_parent(sibling);
  while (there.size() > 1 && !ts_node_eq(there.back(), parent)) there.pop_back();
  there.push_back(sibling);
  const std::size_t index = there.size() - 1;
  return is_unit(there, index) && is_import(sibling) == imports && !is_docstring(there, index) &&
         !definition_of(there, index);
}

Region RegionFinder::part_around(const Search& search) const {
  const auto belongs = [&](const ByteRange& line) {
    if (is_blank_line(line.begin)) return false;
    const Path path = path_to(skip_blanks(text_, line.begin));
    for (std::size_t i = path.size(); i-- > 1;) {
      if (is_unit(path, i) && !range_of(path[i]).contains(search.place)) return false;
    }
    return true;
  };
  const ByteRange within = search.links.front().region.range;
  const ByteRange lines = grown(text_, search.place, within, search.max_bytes, belongs);
  const auto around = definition_around(search.path, search.path.size());
  const std::string title = around ? " of " + around->title : std::string();
  for (std::size_t index = search.path.size(); index-- > 1;) {
    if (!is_unit(search.path, index) || lines_of(search.path[index]).begin != lines.begin) continue;
    if (!definition_of(search.path, index)) break;
    const std::size_t leading = line_start(text_, begin_with_leading(search.path[index]));
    const std::size_t begin = std::max(leading, within.begin);
    if (lines.end - begin <= search.max_bytes)
      return {RegionKind::kPart, {begin, lines.end}, "head" + title};
    if (search.origin >= lines.begin) return {RegionKind::kPart, lines, "head" + title};
    const auto all = [](const ByteRange&) { return true; };
    return {RegionKind::kPart,
            grown(text_, search.origin, {begin, lines.begin}, search.max_bytes, all), "comment"};
  }
  return {RegionKind::kPart, lines, "part" + title};
}

std::size_t RegionFinder::choose(Search* search) const {
  const std::optional<std::size_t> definition = definition_to_edit(*search);
  const RegionKind smallest = search->links.front().region.kind;
  if (smallest == RegionKind::kInsertion) {
    const bool is_in_short_function =
        definition && search->is_function(*definition) && search->fits(*definition);
    return is_in_short_function ? *definition : 0;
  }
  if (definition) {
    const bool holds_units = search->holds_units(*definition);
    const bool is_meant = !holds_units || *definition == 0;  // of a class the cursor is on its head
    if (is_meant && smallest != RegionKind::kImports && search->fits(*definition))
      return *definition;
    if (!holds_units && !search->fits(*definition)) {
      if (const auto block = block_to_edit(*search)) return *block;
    }
  }
  if (const auto largest = largest_inside(*search, definition)) return *largest;
  return add_part(search);
}

// The innermost definition.
std::optional<std::size_t> RegionFinder::definition_to_edit(const Search& search) const {
  const std::optional<std::size_t> inner = search.next_definition(0);
  if (!inner) return std::nullopt;
  const std::optional<std::size_t> outer = search.next_definition(*inner + 1);
  // A function of one line within a function, such as a lambda with a name, is a statement.
  const bool is_lambda = outer && search.is_function(*inner) && search.is_function(*outer) &&
                         search.fits(*outer) &&
                         count_lines(text_, search.links[*inner].region.range) <= 1;
  return is_lambda ? outer : inner;
}

// The smallest block that has kBlockLines, or else the largest one that fits, for a definition that
// is too long. Links are ordered by size.
std::optional<std::size_t> RegionFinder::block_to_edit(const Search& search) const {
  std::optional<std::size_t> largest;
  for (std::size_t i = 0; i < search.links.size(); ++i) {
    const Link& link = search.links[i];
    if (!search.fits(i) || link.definition != nullptr) break;
    if (count_lines(text_, link.region.range) >= kBlockLines) return i;
    largest = i;
  }
  return largest;
}

// The largest region that fits inside the definition; without a definition, inside the file. From
// an import only imports.
std::optional<std::size_t> RegionFinder::largest_inside(
    const Search& search, std::optional<std::size_t> definition) const {
  const std::vector<Link>& links = search.links;
  const bool ends_with_file = links.back().region.kind == RegionKind::kFile;
  std::size_t end = definition.value_or(links.size() - (ends_with_file ? 1 : 0));
  if (links.front().region.kind == RegionKind::kImports) {
    while (end > 1 && links[end - 1].region.kind != RegionKind::kImports) --end;
  }
  while (end > 0 && !search.fits(end - 1)) --end;
  return end == 0 ? std::nullopt : std::optional(end - 1);
}

std::size_t RegionFinder::add_part(Search* search) const {
  Region part = part_around(*search);
  if (part.range != search->links.front().region.range)
    search->links.insert(search->links.begin(), Link{std::move(part), nullptr});
  return 0;
}

bool RegionFinder::Search::fits(std::size_t index) const {
  return links[index].region.range.size() <= max_bytes;
}

bool RegionFinder::Search::is_function(std::size_t definition) const {
  return links[definition].definition->kind == DefinitionKind::kFunction;
}

bool RegionFinder::Search::holds_units(std::size_t definition) const {
  const DefinitionKind kind = links[definition].definition->kind;
  return kind == DefinitionKind::kType || kind == DefinitionKind::kModule ||
         kind == DefinitionKind::kImplementation;
}

std::optional<std::size_t> RegionFinder::Search::next_definition(std::size_t from) const {
  for (std::size_t i = from; i < links.size(); ++i) {
    if (links[i].definition != nullptr) return i;
  }
  return std::nullopt;
}

}  // namespace redraft
