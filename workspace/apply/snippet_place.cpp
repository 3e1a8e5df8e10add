// Places a snippet piece by piece, where a piece is what is between two ellipses.
//
// Imports go to the imports of the file. In each piece, the elements that the file has are found
// first: definitions by their names, lines by alignment. New definitions then go next to the
// element of the piece that was placed last; if the file has no element of the piece, they go to
// the end of the definition around it, or of the file.
#include "workspace/apply/snippet_place.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/apply/ellipsis.h"
#include "workspace/apply/import_place.h"
#include "workspace/apply/line_alignment.h"
#include "workspace/apply/snippet_parts.h"

namespace redraft {
namespace {

using Kind = SnippetElement::Kind;
using Elements = std::vector<SnippetElement>;

// If a run of lines removes more lines than this, the place is in doubt, unless twice as many are
// in both.
constexpr int kMaxTakenAway = 5;

// Lines within this distance of a place may belong to it.
constexpr int kNextTo = 10;

// The part of a snippet between two ellipses, without its imports.
struct Piece {
  Elements elements;
  bool is_after_ellipsis = false;
  const SnippetElement* next_ellipsis = nullptr;  // null: the piece is the last one
};

std::vector<Piece> pieces_of(const SnippetParts& snippet) {
  std::vector<Piece> pieces(1);
  for (const SnippetElement& one : snippet.elements) {
    if (one.kind == Kind::kEllipsis) {
      pieces.back().next_ellipsis = &one;
      pieces.push_back({.elements = {}, .is_after_ellipsis = true});
    } else if (one.kind != Kind::kImport) {
      pieces.back().elements.push_back(one);
    }
  }
  return pieces;
}

// What is placed as a whole: a definition, or the lines up to the next one. Groups neither begin
// nor end with a blank line.
std::vector<Elements> groups_of(const Piece& piece) {
  std::vector<Elements> groups;
  for (const SnippetElement& one : piece.elements) {
    const bool continues_run = !groups.empty() && one.kind != Kind::kDefinition &&
                               groups.back().back().kind != Kind::kDefinition;
    if (continues_run) {
      groups.back().push_back(one);
    } else if (one.kind != Kind::kBlank) {
      groups.push_back({one});
    }
  }
  for (Elements& group : groups) {
    while (group.back().kind == Kind::kBlank) group.pop_back();
  }
  return groups;
}

bool is_new_definition(const SnippetElement& one) {
  return one.kind == Kind::kDefinition && !one.definition->there;
}

// Whether a line is the first or the last one of an incomplete definition that the file has.
bool is_head(const SnippetElement& line) {
  return line.around != nullptr && line.begin == line.around->head;
}
bool is_end(const SnippetElement& line) {
  return line.around != nullptr && line.end == line.around->end;
}

bool ends_head(std::string_view line) {
  return line.ends_with(':') || line.ends_with('{') || line.ends_with("do");
}

// An element that was placed. New definitions of its piece go next to it.
struct Placed {
  int begin = 0, end = 0;  // its lines in the file
  int snippet_end = 0;     // the line after it in the snippet
  Reindent reindent;       // from the snippet's indentation to the file's
};

// Places the pieces of a snippet.
class PiecePlacer {
 public:
  PiecePlacer(const FileLines& file, const SnippetParts& snippet)
      : file_(file), snippet_(snippet) {}

  Result<std::vector<LineSpan>> place_all() {
    for (const Piece& piece : pieces_of(snippet_)) {
      if (const Result<void> placed = place(piece); !placed) return placed.error();
    }
    return std::move(spans_);
  }

 private:
  Result<void> place(const Piece& piece) {
    std::optional<Placed> last;
    Elements waiting;            // new definitions before the first element that the file has
    std::size_t n_inserted = 0;  // spans up to the new definition that was inserted last
    const std::size_t first_span = spans_.size();
    for (const Elements& group : groups_of(piece)) {
      const SnippetElement& first = group.front();
      if (is_new_definition(first) && !last) {
        waiting.push_back(first);
        continue;
      }
      if (is_new_definition(first)) {
        if (const Result<void> inserted = insert_after(*last, first); !inserted)
          return inserted.error();
        last->snippet_end = first.end;
        n_inserted = spans_.size();
        continue;
      }
      if (is_evidence(group)) {
        Result<Placed> placed = place_group(group);
        if (!placed) return placed.error();
        // A new definition directly above it is as far away as in the snippet.
        if (n_inserted > 0 && spans_[n_inserted - 1].begin == placed->begin) {
          std::vector<std::string>& above = spans_[n_inserted - 1].lines;
          above.resize(above.size() + blank_lines_above(first.begin));
        }
        const bool is_adjacent = last && first.begin - last->snippet_end ==
                                             static_cast<int>(blank_lines_above(first.begin));
        if (is_adjacent) doubt_lines_between(*last, *placed, first_span);
        last = std::move(*placed);
      } else {
        last = closing_line(first);  // the file keeps its own
      }
      if (!last || waiting.empty()) continue;
      if (const Result<void> inserted = insert_before(*last, waiting); !inserted)
        return inserted.error();
      waiting.clear();
    }
    return waiting.empty() ? Result<void>() : insert_at_end(piece, waiting);
  }

  // Lines of the file between two elements that are adjacent in the piece stay, but may be meant to
  // go.
  void doubt_lines_between(const Placed& above, const Placed& below, std::size_t first_span) {
    int line = above.end;
    while (line < below.begin && file_.text(line).empty()) ++line;
    if (line >= below.begin) return;
    for (std::size_t i = first_span; i < spans_.size(); ++i)
      spans_[i].doubt = "'" + std::string(file_.text(line)) + "' is between its lines";
  }

  // Whether the group says where it is, or has a line that the file does not have. Otherwise it is
  // a few braces, say.
  bool is_evidence(const Elements& group) const {
    return std::ranges::any_of(group, [&](const SnippetElement& one) {
      return one.kind == Kind::kDefinition || is_telling(snippet_.text(one.begin)) ||
             file_.places_of(snippet_.text(one.begin)).empty();
    });
  }

  Result<Placed> place_group(const Elements& group) {
    return group.front().kind == Kind::kDefinition ? place_definition(group.front())
                                                   : place_run(group);
  }

  // The line of the file that ends an incomplete definition, such as its brace, if `line` is its
  // counterpart.
  std::optional<Placed> closing_line(const SnippetElement& line) const {
    if (!is_end(line)) return std::nullopt;
    const int last = line.around->there->end - 1;
    if (file_.text(last) != snippet_.text(line.begin)) return std::nullopt;
    return Placed{last, last + 1, line.end, reindent_between(line.begin, last)};
  }

  Result<Placed> place_definition(const SnippetElement& element) {
    const SnippetDefinition& one = *element.definition;
    const Placed placed{first_line_replaced(one), one.there->end, one.end,
                        reindent_between(one.head, one.there->head)};
    const Result<void> added =
        add(placed.begin, placed.end, snippet_.lines_between(one.begin, one.end), placed.reindent);
    if (!added) return added.error();
    return placed;
  }

  // Lines above the head that the change does not show stay: a comment, the beginning of one, a
  // decorator.
  int first_line_replaced(const SnippetDefinition& one) const {
    const Counterpart& there = *one.there;
    if (one.begin == one.head) return there.head;
    for (int i = there.begin; i < there.head; ++i) {
      if (file_.text(i) == snippet_.text(one.begin)) return i;
    }
    return there.begin;
  }

  // With the blank lines that the snippet has between the two.
  Result<void> insert_after(const Placed& last, const SnippetElement& definition) {
    return add(last.end, last.end, snippet_.lines_between(last.snippet_end, definition.end),
               last.reindent);
  }

  // With the blank lines that the snippet has above and below them.
  Result<void> insert_before(const Placed& next, const Elements& definitions) {
    std::vector<std::string> lines;
    const bool is_apart = next.begin == 0 || file_.text(next.begin - 1).empty();
    if (!is_apart) lines.resize(blank_lines_above(definitions.front().begin));
    for (const SnippetElement& one : definitions) {
      append(snippet_.lines_between(one.begin, one.end), lines);
      for (int i = one.end; i < snippet_.size() && snippet_.text(i).empty(); ++i)
        lines.emplace_back();
    }
    return add(next.begin, next.begin, lines, next.reindent);
  }

  // An ellipsis has an empty text, too, but is no blank line.
  std::size_t blank_lines_above(int snippet_line) const {
    std::size_t count = 0;
    for (int i = snippet_line - 1; i >= 0 && snippet_.text(i).empty() && !is_ellipsis_at(i); --i)
      ++count;
    return count;
  }

  bool is_ellipsis_at(int snippet_line) const {
    return std::ranges::any_of(snippet_.elements, [&](const SnippetElement& one) {
      return one.kind == Kind::kEllipsis && one.begin == snippet_line;
    });
  }

  // Inserts at the end of the enclosing definition, or of the file.
  Result<void> insert_at_end(const Piece& piece, const Elements& definitions) {
    const SnippetElement& first = definitions.front();
    const SnippetDefinition* const around = first.around;
    if (!is_at_end(piece, first))
      return Error("the change does not say where '" + first.definition->named.name + "' goes");
    const int end = around == nullptr ? file_.size() : around->there->end;
    const std::size_t gap = around == nullptr ? blank_lines_between_definitions() : 1;
    std::vector<std::string> lines;
    for (const SnippetElement& one : definitions) {
      lines.resize(lines.size() + gap);
      append(snippet_.lines_between(one.begin, one.end), lines);
    }
    const Reindent reindent =
        around == nullptr ? Reindent{} : reindent_between(around->head, around->there->head);
    return add(end, end, lines, reindent);
  }

  // Whether the snippet shows that a definition comes after the rest of what encloses it.
  bool is_at_end(const Piece& piece, const SnippetElement& definition) const {
    if (!piece.is_after_ellipsis) return false;
    const bool is_before_rest =
        piece.next_ellipsis != nullptr && piece.next_ellipsis->around == definition.around;
    if (is_before_rest) return false;
    // An indented definition belongs to something that the parser did not recognise.
    const bool is_indented = !indentation_of(snippet_.line(definition.begin)).empty();
    return definition.around != nullptr || !is_indented;
  }

  // As many as above the last definition of the file.
  std::size_t blank_lines_between_definitions() const {
    if (snippet_.theirs.empty()) return 1;
    const int last = file_.line_of(snippet_.theirs.back().range.begin);
    std::size_t count = 0;
    for (int i = last - 1; i >= 0 && file_.text(i).empty(); --i) ++count;
    return std::max<std::size_t>(count, 1);
  }

  Result<Placed> place_run(const Elements& run) {
    n_compared_ += run.size() * (static_cast<std::size_t>(file_.size()) + snippet_.theirs.size());
    if (n_compared_ > kMaxCompared) return Error("the change is too long to compare with the file");
    const Result<LinesToAlign> wanted = lines_to_align(run);
    if (!wanted) return wanted.error();
    const Result<AlignedLines> there = find(*wanted);
    if (!there) return there.error();
    if (const Result<void> checked = check_removed_lines(run, *there); !checked)
      return checked.error();
    if (const Result<void> checked = check_repeated_lines(run, *there); !checked)
      return checked.error();
    if (const Result<void> checked = check_comment_above(run, *there); !checked)
      return checked.error();
    const Placed placed{there->begin, there->end, run.back().end, reindent_of(run, *there)};
    const Result<void> added =
        add(placed.begin, placed.end, snippet_.lines_between(run.front().begin, run.back().end),
            placed.reindent, run.front().around == nullptr ? DecidedBy::kLines : DecidedBy::kTree);
    if (!added) return added.error();
    return placed;
  }

  // The head of a definition is found by its name, its end by where it ends in the file.
  Result<LinesToAlign> lines_to_align(const Elements& run) const {
    LinesToAlign wanted;
    for (const SnippetElement& one : run) {
      const auto [begin, end] = window_of(one);
      wanted.lines.push_back({snippet_.text(one.begin), begin, end});
    }
    const SnippetElement& first = run.front();
    const SnippetElement& last = run.back();
    if (is_head(first)) wanted.begin = first.around->there->head;
    if (is_head(last)) {
      const int head = last.around->there->head;
      if (ends_head(snippet_.text(last.begin)) != ends_head(file_.text(head)))
        return Error("the end of the head of '" + last.around->named.name + "' is uncertain");
      wanted.end = head + 1;
    } else if (is_end(last)) {
      const std::string_view here = snippet_.text(last.begin);
      const std::string_view there = file_.text(last.around->there->end - 1);
      if (here != there && !are_alike(here, there))
        return Error("'" + std::string(here) + "' is not in the file");
      wanted.end = last.around->there->end;
    }
    return wanted;
  }

  // The lines of the file that may contain a line of the snippet.
  std::pair<int, int> window_of(const SnippetElement& line) const {
    if (line.around == nullptr) return {0, file_.size()};
    return {line.around->there->begin, line.around->there->end};
  }

  // If the place is uncertain in the whole file, it may be certain after what the snippet shows
  // before it.
  Result<AlignedLines> find(const LinesToAlign& wanted) const {
    Result<AlignedLines> anywhere = align(file_, wanted);
    if (anywhere) return anywhere;
    int end_of_placed = 0;
    for (const LineSpan& span : spans_) end_of_placed = std::max(end_of_placed, span.end);
    LinesToAlign later = wanted;
    for (LinesToAlign::Line& line : later.lines)
      line.window_begin = std::max(line.window_begin, end_of_placed);
    Result<AlignedLines> after = align(file_, later);
    return after ? std::move(after) : std::move(anywhere);
  }

  // Lines that are adjacent in the snippet may have more lines between them in the file. Fails if
  // these are many, or if one of them defines something.
  Result<void> check_removed_lines(const Elements& run, const AlignedLines& there) const {
    int n_removed = -there.n_kept;
    for (int i = there.begin; i < there.end; ++i) n_removed += file_.text(i).empty() ? 0 : 1;
    if (n_removed > kMaxTakenAway && 2 * n_removed > there.n_kept)
      return Error("it would remove " + std::to_string(n_removed) +
                   " lines that the change does not show");
    for (const NamedDefinition& one : snippet_.theirs) {
      if (const Result<void> checked = check_definition(one, run, there); !checked)
        return checked.error();
    }
    return {};
  }

  // A line that the file has once, next to the place but not in it, would be there twice: the place
  // may begin or end with it.
  Result<void> check_repeated_lines(const Elements& run, const AlignedLines& there) const {
    for (const SnippetElement& line : run) {
      const std::string_view text = snippet_.text(line.begin);
      const std::vector<int>& places = file_.places_of(text);
      if (!is_telling(text) || places.size() != 1) continue;
      const int place = places.front();
      const int distance = std::max(there.begin - place, place - there.end + 1);
      if (distance <= 0 || distance > kNextTo) continue;
      const auto n_shown = std::ranges::count_if(
          run, [&](const SnippetElement& one) { return snippet_.text(one.begin) == text; });
      if (n_shown == 1)
        return Error("'" + std::string(text) + "' is next to the lines of the change");
    }
    return {};
  }

  // A new comment directly below one of the file may replace it.
  Result<void> check_comment_above(const Elements& run, const AlignedLines& there) const {
    const std::string_view first = snippet_.text(run.front().begin);
    const std::string_view above = there.begin > 0 ? file_.text(there.begin - 1) : first;
    const bool is_below_another = comment_text(first) && comment_text(above) && first != above &&
                                  file_.places_of(first).empty();
    if (is_below_another) return Error("'" + std::string(above) + "' is not in the change");
    return {};
  }

  // Checks that a run neither removes the head of a definition nor repeats one that is elsewhere.
  Result<void> check_definition(const NamedDefinition& one, const Elements& run,
                                const AlignedLines& there) const {
    const int head = file_.line_of(one.name_range.begin);
    const std::string_view text = file_.text(head);
    const bool is_shown = std::ranges::any_of(
        run, [&](const SnippetElement& line) { return snippet_.text(line.begin) == text; });
    const bool is_outside = head < there.begin || head >= there.end;
    if (is_shown && is_outside && file_.places_of(text).size() == 1)
      return Error("'" + one.path() + "' is in another place");
    const bool is_between = head > there.begin && head < there.end - 1;
    if (!is_shown && is_between) return Error("'" + one.path() + "' is between its lines");
    return {};
  }

  // Uses the first line that is unchanged in the file.
  Reindent reindent_of(const Elements& run, const AlignedLines& there) const {
    for (const SnippetElement& one : run) {
      if (is_head(one)) return reindent_between(one.begin, one.around->there->head);
      const std::string_view text = snippet_.text(one.begin);
      for (int i = there.begin; i < there.end && !text.empty(); ++i) {
        if (file_.text(i) == text) return reindent_between(one.begin, i);
      }
    }
    return {};
  }

  Reindent reindent_between(int snippet_line, int file_line) const {
    return Reindent::between(snippet_.line(snippet_line), file_.line(file_line));
  }

  static void append(std::vector<std::string> some, std::vector<std::string>& lines) {
    std::ranges::move(some, std::back_inserter(lines));
  }

  Result<void> add(int begin, int end, const std::vector<std::string>& lines,
                   const Reindent& reindent, DecidedBy decided_by = DecidedBy::kTree) {
    std::optional<std::vector<std::string>> indented = reindent(lines);
    if (!indented) return Error("the indentation of the change does not match the file");
    spans_.push_back({begin, end, std::move(*indented), false, {.decided_by = decided_by}});
    return {};
  }

  const FileLines& file_;
  const SnippetParts& snippet_;
  std::vector<LineSpan> spans_;  // of all pieces
  std::size_t n_compared_ = 0;   // lines, see kMaxCompared
};

// Lines that are inserted at one place become one span: imports stand above code.
void merge(std::vector<LineSpan> imports, std::vector<LineSpan>& spans) {
  for (LineSpan& one : imports) {
    const auto same = std::ranges::find_if(spans, [&](const LineSpan& span) {
      return span.empty() && one.empty() && span.begin == one.begin;
    });
    if (same == spans.end()) {
      spans.push_back(std::move(one));
    } else {
      same->lines.insert(same->lines.begin(), one.lines.begin(), one.lines.end());
    }
  }
}

}  // namespace

Result<std::vector<LineSpan>> place_snippet(const FileLines& file, const SyntaxTree* tree,
                                            std::string_view language_id,
                                            const CodeSnippet& snippet) {
  const Result<std::unique_ptr<SnippetParts>> parts = take_apart(file, tree, language_id, snippet);
  if (!parts) return parts.error();
  if ((*parts)->is_whole_file) return std::vector{LineSpan{0, file.size(), (*parts)->lines}};
  Result<std::vector<LineSpan>> spans = PiecePlacer(file, **parts).place_all();
  if (!spans) return spans;
  Result<std::vector<LineSpan>> imports = place_imports(file, tree, **parts);
  if (!imports) return imports;
  merge(std::move(*imports), *spans);
  return spans;
}

}  // namespace redraft
