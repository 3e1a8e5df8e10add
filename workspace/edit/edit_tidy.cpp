#include "workspace/edit/edit_tidy.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "indexing/syntax/imports.h"
#include "indexing/syntax/named_definitions.h"
#include "languages/language.h"
#include "text/strings/blank_text.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/documents/diff.h"
#include "workspace/edit/import_statements.h"
#include "workspace/edit/missing_imports.h"
#include "workspace/edit/undefined_names.h"

namespace redraft {
namespace {

constexpr int kMostSteps = 16;  // that take one thing off each

using Lines = std::vector<std::string>;

// `line`, as deep relative to `now` as it is to `before`, which stand for one line before and after
// its indentation was put right.
std::string moved_along(const std::string& line, std::string_view before, std::string_view now) {
  const std::string_view own = indentation_of(line);
  const std::string_view from = indentation_of(before), to = indentation_of(now);
  const std::string_view text = std::string_view(line).substr(own.size());
  if (own.starts_with(from)) return std::string(to).append(own.substr(from.size())).append(text);
  const std::size_t less = from.size() - std::min(own.size(), from.size());
  return std::string(to.substr(0, to.size() - std::min(less, to.size()))).append(text);
}

// The lines that are the old ones but for their indentation, as they were; those between them moved
// along with the one before, the first ones with the one behind.
Lines with_indentation_of(const std::vector<std::string_view>& old, const Lines& lines) {
  const auto all_trimmed = [](const auto& some) {
    std::vector<std::string_view> views;
    for (const std::string_view line : some) views.push_back(trimmed(line));
    return views;
  };
  std::vector<std::ptrdiff_t> old_of(lines.size(), -1);  // [line]: the old line that it is, or -1
  std::size_t from = 0, to = 0;
  const auto keep_until = [&](std::size_t old_end) {
    for (; from < old_end; ++from, ++to) old_of[to] = static_cast<std::ptrdiff_t>(from);
  };
  for (const LineChange& change : diff_lines(all_trimmed(old), all_trimmed(lines))) {
    keep_until(static_cast<std::size_t>(change.old_begin));
    from = static_cast<std::size_t>(change.old_end);
    to += change.new_lines.size();
  }
  keep_until(old.size());
  const auto is_guide = [&](std::size_t i) { return old_of[i] >= 0 && !is_blank_text(lines[i]); };
  std::size_t guide = 0;
  while (guide < lines.size() && !is_guide(guide)) ++guide;
  if (guide == lines.size()) return lines;
  Lines result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_guide(i)) guide = i;
    const std::string_view now = old[static_cast<std::size_t>(old_of[guide])];
    result.push_back(is_blank_text(lines[i]) ? lines[i] : moved_along(lines[i], lines[guide], now));
  }
  return result;
}

// Definitions by whether their names are in a part of the text.
struct Parted {
  std::vector<NamedDefinition> inside, outside;
};

Parted parted(const SyntaxTree& tree, const ByteRange& part) {
  Parted result;
  for (NamedDefinition& one : named_definitions(tree))
    (part.contains(one.name_range) ? result.inside : result.outside).push_back(std::move(one));
  return result;
}

const NamedDefinition* find(const std::vector<NamedDefinition>& definitions,
                            const std::string& path) {
  const auto found = std::ranges::find_if(
      definitions, [&](const NamedDefinition& one) { return one.path() == path; });
  return found == definitions.end() ? nullptr : &*found;
}

// Lines as a text, and its syntax.
struct Written {
  std::string_view text;  // in which the lines are
  ByteRange part;         // where they are
  const Lines& lines;
  std::vector<NamedDefinition> inside;  // whose names are in them

  std::size_t line_at(std::size_t offset) const {
    const std::string_view before = text.substr(part.begin, offset - part.begin);
    return static_cast<std::size_t>(std::ranges::count(before, '\n'));
  }
  // Those of one of `inside`: from its first to behind its last.
  std::pair<std::size_t, std::size_t> lines_of(const NamedDefinition& definition) const {
    const std::size_t begin = std::max(definition.range.begin, part.begin);
    const std::size_t end = std::min(definition.range.end, part.end);
    return {line_at(begin), std::min(line_at(end - 1) + 1, lines.size())};
  }
};

std::vector<TextEdit> edits_of(const EditRegion& region, const Lines& lines) {
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  std::vector<TextEdit> edits;
  for (const LineChange& change : diff_lines(region.lines(), views))
    edits.push_back(region.edit(change));
  return edits;
}

class Tidier {
 public:
  Tidier(const EditRegion& region, const SyntaxTree& tree, std::string_view instruction,
         bool is_doubtful)
      : region_(region),
        tree_(tree),
        instruction_(instruction),
        is_doubtful_(is_doubtful),
        before_(parted(tree, region.range())),
        imports_(tree.imports()) {}

  // The lines with one thing put right; nothing if all of it is.
  std::optional<Lines> step(const Lines& lines) {
    std::optional<Lines> result = without_imports(lines);
    if (!result) result = without_wrapper(lines);
    if (!result && is_doubtful_) result = indented(lines);
    return result ? result : without_copy(lines);
  }

  // The file with the lines, with the imports that they need and without those that they added and
  // nothing uses; nothing: that is the file with the lines.
  std::optional<std::string> with_right_imports(const Lines& lines) {
    const auto text = text_with(lines);
    std::optional<SyntaxTree> tree = tree_.edited(text);
    if (!tree) return std::nullopt;
    if (std::optional<SyntaxTree> fewer = without_unused_imports(*tree)) tree = std::move(fewer);
    find_missing_imports(*tree, lines);
    std::erase_if(new_imports_, [&](const NeededImport& one) { return is_unused(*tree, one); });
    const std::string result =
        new_imports_.empty() ? tree->text() : with_imports(*tree, new_imports_);
    return result == *text ? std::nullopt : std::optional(result);
  }

  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  // Imports that the model wrote where the file has none.
  std::optional<Lines> without_imports(const Lines& lines) {
    const ByteRange here = region_.range();
    const bool has_some = std::ranges::any_of(
        imports_.all, [&](const Import& one) { return here.contains(one.range); });
    if (has_some || here.begin < imports_.place) return std::nullopt;
    const auto text = std::make_shared<std::string>();
    for (const std::string& line : lines) *text += line + "\n";
    const auto tree = SyntaxTree::parse(text, region_.document().language_id());
    if (!tree) return std::nullopt;
    const Written written{*text, {0, text->size()}, lines, {}};
    std::vector<bool> taken(lines.size(), false);
    for (const Import& one : tree->imports().all) {
      if (!belongs_elsewhere(*text, one)) continue;
      take_import(std::string(trimmed(text->substr(one.range.begin, one.range.size()))));
      const std::size_t last = written.line_at(one.range.end - 1);
      for (std::size_t i = written.line_at(one.range.begin); i <= last; ++i) taken[i] = true;
    }
    if (std::ranges::find(taken, true) == taken.end()) return std::nullopt;
    Lines rest;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool is_gap = i > 0 && taken[i - 1] && is_blank_text(lines[i]);
      if (is_gap) taken[i] = true;
      if (!taken[i]) rest.push_back(lines[i]);
    }
    return rest;
  }

  // In some languages a function may have imports of its own.
  bool belongs_elsewhere(std::string_view text, const Import& import) const {
    const bool may_be_local = tree_.language().has_local_imports;
    const std::size_t behind = skip_blanks(text, import.range.end);
    const bool own_lines =
        begins_line(text, import.range.begin) &&
        (behind >= text.size() || text[behind] == '\n' || text[import.range.end - 1] == '\n');
    return own_lines && import.is_direct && !(import.in_function && may_be_local);
  }

  void take_import(const std::string& line) {
    const std::vector<NeededImport> parts = split_import(line, tree_);
    std::vector<NeededImport> lacking;
    std::ranges::copy_if(parts, std::back_inserter(lacking),
                         [&](const NeededImport& part) { return !is_imported(part); });
    notes_.push_back("'" + line + "' " +
                     (lacking.empty() ? "is there already" : "goes to the imports"));
    for (NeededImport& part : lacking) {
      if (std::ranges::find(new_imports_, part) == new_imports_.end())
        new_imports_.push_back(std::move(part));
    }
  }

  // Whether a statement of the file imports the same, perhaps among others.
  bool is_imported(const NeededImport& wanted) const {
    return std::ranges::any_of(imports_.all, [&](const Import& one) {
      if (one.in_function) return false;
      const ByteRange& range = one.range;
      const std::string_view statement =
          trimmed(std::string_view(region_.document().text()).substr(range.begin, range.size()));
      const std::vector<NeededImport> parts = split_import(statement, tree_);
      return statement == wanted.statement || std::ranges::find(parts, wanted) != parts.end();
    });
  }

  // Adds the imports that the lines need.
  void find_missing_imports(const SyntaxTree& tree, const Lines& lines) {
    const ByteRange old = region_.range();
    const std::size_t end = std::min(
        tree.text().size(), old.end + tree.text().size() - region_.document().text().size());
    const bool is_empty = lines.empty() && old.empty();
    const std::vector<ByteRange> old_places{old}, new_places{{old.begin, std::max(old.begin, end)}};
    if (is_empty) return;
    for (NeededImport& import : missing_imports({tree_, tree, old_places, new_places})) {
      const bool is_known = std::ranges::any_of(
          new_imports_, [&](const NeededImport& one) { return one.statement == import.statement; });
      if (is_known) continue;
      notes_.push_back("'" + import.statement + "' is needed now");
      new_imports_.push_back(std::move(import));
    }
  }

  // Whether a line that only imports this would be for nothing.
  bool is_unused(const SyntaxTree& tree, const NeededImport& import) {
    const auto text = std::make_shared<const std::string>(import.statement + "\n");
    const auto alone = SyntaxTree::parse(text, region_.document().language_id());
    if (!alone) return false;
    const Imports imports = alone->imports();
    if (imports.all.size() != 1) return false;
    const std::vector<std::string> names = names_bound_by(*alone, imports.all.front());
    const bool is_needless = is_doubtful_wildcard(tree, import.statement)
                                 ? lacks_nothing(tree)
                                 : !names.empty() && !uses_one_of(tree, names);
    if (!is_needless || is_asked_for(names)) return false;
    notes_.push_back("'" + import.statement + "' is left out: nothing uses it");
    return true;
  }

  // Nothing: there are none.
  std::optional<SyntaxTree> without_unused_imports(const SyntaxTree& tree) {
    std::vector<TextEdit> edits;
    for (const Import& import : tree.imports().all) {
      const std::string_view text = tree.text();
      const std::string statement(trimmed(text.substr(import.range.begin, import.range.size())));
      const bool is_new = !import.in_function && import.is_direct && !is_imported({statement}) &&
                          region_.document().text().find(statement) == std::string::npos;
      const ByteRange lines = whole_lines(text, import.range);
      const bool has_own_lines =
          trimmed(text.substr(lines.begin, lines.size()), " \t\r\n") == statement;
      if (!is_new || !has_own_lines) continue;
      const std::vector<std::string> names = names_bound_by(tree, import);
      const bool is_needless = is_needless_wildcard(tree, lines, statement) ||
                               (!names.empty() && !uses_one_of(tree, names));
      if (!is_needless || is_asked_for(names)) continue;
      notes_.push_back("'" + statement + "' is left out: nothing uses it");
      edits.push_back({lines, ""});
    }
    if (edits.empty()) return std::nullopt;
    return tree.edited(std::make_shared<const std::string>(apply_edits(tree.text(), edits)));
  }

  static bool is_doubtful_wildcard(const SyntaxTree& tree, const std::string& statement) {
    const KnownNames* const known = tree.language().known_names;
    return known != nullptr && known->doubts_wildcards && statement.ends_with('*');
  }

  // Whether the file, in which an import of all names is left out, lacks none.
  bool lacks_nothing(const SyntaxTree& tree) const {
    const std::vector<ByteRange> old_places{{0, tree_.text().size()}};
    const std::vector<ByteRange> new_places{{0, tree.text().size()}};
    return undefined_names({tree_, tree, old_places, new_places}).empty();
  }

  bool is_needless_wildcard(const SyntaxTree& tree, const ByteRange& lines,
                            const std::string& statement) const {
    if (!is_doubtful_wildcard(tree, statement)) return false;
    const auto text =
        std::make_shared<const std::string>(apply_edits(tree.text(), {TextEdit{lines, ""}}));
    const std::optional<SyntaxTree> rest = tree.edited(text);
    return rest && lacks_nothing(*rest);
  }

  // Whether the instruction is about imports, or names one.
  bool is_asked_for(const std::vector<std::string>& names) const {
    return instruction_.find("import") != std::string_view::npos ||
           std::ranges::any_of(
               names, [&](const std::string& name) { return has_name(instruction_, name); });
  }

  // The lines by themselves: in some languages a class within a class makes no sense to the parser.
  std::optional<Lines> without_wrapper(const Lines& lines) {
    const auto text = std::make_shared<std::string>();
    for (const std::string& line : lines) *text += line + "\n";
    const auto tree = SyntaxTree::parse(text, region_.document().language_id());
    if (!tree) return std::nullopt;
    const Written written{*text, {0, text->size()}, lines, named_definitions(*tree)};
    for (const NamedDefinition& one : written.inside) {
      if (const NamedDefinition* around = copied_around(one))
        return unwrapped(written, one, *around);
    }
    return std::nullopt;
  }

  // What the region stands in, if `written` is the same once more.
  const NamedDefinition* copied_around(const NamedDefinition& written) const {
    if (written.kind == DefinitionKind::kFunction || !written.around.empty()) return nullptr;
    const auto found = std::ranges::find_if(before_.outside, [&](const NamedDefinition& one) {
      return one.name == written.name && one.kind == written.kind &&
             one.range.contains(region_.range());
    });
    return found == before_.outside.end() ? nullptr : &*found;
  }

  // Only what the region had, and what is new, of the definitions within `wrapper`.
  std::optional<Lines> unwrapped(const Written& written, const NamedDefinition& wrapper,
                                 const NamedDefinition& around) {
    Lines lines;
    std::size_t n_asked = 0;
    for (const NamedDefinition& one : written.inside) {
      const std::string path = around.path() + "." + one.name;
      const bool is_asked = find(before_.inside, path) != nullptr;
      const bool is_new = find(before_.outside, path) == nullptr;
      if (one.around != wrapper.path() + "." || (!is_asked && !is_new)) continue;
      n_asked += is_asked ? 1 : 0;
      add(written, one, lines);
    }
    const bool is_all =
        n_asked > 0 && std::ranges::all_of(before_.inside, [&](const auto& one) {
          const std::string path = wrapper.path() + "." + one.name;
          return one.around != around.path() + "." || find(written.inside, path) != nullptr;
        });
    if (!is_all) return std::nullopt;
    notes_.push_back("the copy of '" + around.path() + "' around it is left out");
    return lines;
  }

  // Adds its lines, with the indentation that the region has, behind as many blank lines.
  void add(const Written& written, const NamedDefinition& definition, Lines& lines) const {
    const auto [first, last] = written.lines_of(definition);
    std::size_t from = first;
    while (!lines.empty() && from > 0 && is_blank_text(written.lines[from - 1])) --from;
    const std::string_view old = indentation_of(written.lines[first]);
    for (std::size_t i = from; i < last; ++i) {
      const std::string& line = written.lines[i];
      lines.push_back(line.starts_with(old) && !is_blank_text(line)
                          ? std::string(own_indentation()) + line.substr(old.size())
                          : line);
    }
  }

  // The file with these lines in the region's place.
  std::shared_ptr<const std::string> text_with(const Lines& lines) const {
    return std::make_shared<const std::string>(
        apply_edits(region_.document().text(), edits_of(region_, lines)));
  }

  std::string_view own_indentation() const {
    const auto line = std::ranges::find_if_not(
        region_.lines(), [](std::string_view each) { return is_blank_text(each); });
    return line == region_.lines().end() ? std::string_view() : indentation_of(*line);
  }

  // As deep as the region was, if that begins further to the left.
  std::optional<Lines> indented(const Lines& lines) {
    const std::size_t wanted = least_indentation(region_.lines());
    if (least_indentation(lines) >= wanted) return std::nullopt;
    Lines deeper = with_indentation_of(region_.lines(), lines);
    if (least_indentation(deeper) < wanted) return std::nullopt;
    notes_.emplace_back("its indentation is as it was");
    return deeper;
  }

  std::optional<Lines> without_copy(const Lines& lines) {
    const auto text = text_with(lines);
    const std::optional<SyntaxTree> tree = tree_.edited(text);
    if (!tree) return std::nullopt;
    const ByteRange old = region_.range();
    const ByteRange part{old.begin, old.end + text->size() - region_.document().text().size()};
    const Written written{*text, part, lines, parted(*tree, part).inside};
    const auto copy = std::ranges::find_if(
        written.inside, [&](const NamedDefinition& one) { return is_copy(written, one); });
    return copy == written.inside.end() ? std::nullopt : std::optional(without(written, *copy));
  }

  // Something that stands elsewhere in the document, and not in the region. Further inside than the
  // region, under a condition, it has a meaning of its own.
  bool is_copy(const Written& written, const NamedDefinition& definition) const {
    if (find(before_.inside, definition.path()) != nullptr) return false;
    const std::string& first = written.lines[written.lines_of(definition).first];
    if (indentation_of(first) != own_indentation()) return false;
    const std::string signature = signature_of(written.text, definition);
    return std::ranges::any_of(before_.outside, [&](const NamedDefinition& one) {
      return one.kind == definition.kind && one.path() == definition.path() &&
             signature_of(region_.document().text(), one) == signature;
    });
  }

  Lines without(const Written& written, const NamedDefinition& copy) {
    auto [first, last] = written.lines_of(copy);
    Lines lines = written.lines;
    while (first > 0 && is_blank_text(lines[first - 1])) --first;
    if (first == 0) {
      while (last < lines.size() && is_blank_text(lines[last])) ++last;
    }
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(first),
                lines.begin() + static_cast<std::ptrdiff_t>(last));
    notes_.push_back("the copy of '" + copy.path() + "' is left out");
    return lines;
  }

  const EditRegion& region_;
  const SyntaxTree& tree_;
  std::string_view instruction_;
  bool is_doubtful_;
  Parted before_;
  Imports imports_;
  std::vector<NeededImport> new_imports_;
  std::vector<std::string> notes_;
};

// The lines of a text, without their endings.
Lines lines_in(std::string_view text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = line_end(text, at);
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::optional<Tidied> tidied(const EditRegion& region, const std::string& after,
                             std::string_view instruction, bool is_doubtful) {
  const SyntaxTree* const tree = region.document().syntax();
  if (tree == nullptr) return std::nullopt;
  Tidier tidier(region, *tree, instruction, is_doubtful);
  Lines lines = lines_in(region.part_of(after));
  int n_steps = 0;
  while (n_steps < kMostSteps && !region.whole_file()) {
    std::optional<Lines> fewer = tidier.step(lines);
    if (!fewer) break;
    lines = std::move(*fewer);
    ++n_steps;
  }
  const bool is_empty =
      std::ranges::all_of(lines, [](std::string_view each) { return is_blank_text(each); });
  if (n_steps == kMostSteps || is_empty) return std::nullopt;
  std::vector<TextEdit> edits = edits_of(region, lines);
  if (const std::optional<std::string> text = tidier.with_right_imports(lines)) {
    const EditRegion file = *EditRegion::make(region.shared_document(), EditScope::kFile, {});
    edits = edits_of(file, lines_in(file.part_of(*text)));
  } else if (n_steps == 0) {
    return std::nullopt;
  }
  return Tidied{.edits = std::move(edits), .notes = tidier.take_notes()};
}

}  // namespace redraft
