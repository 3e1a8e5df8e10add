#include "workspace/apply/snippet_place.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "indexing/syntax/imports.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/apply/line_alignment.h"
#include "workspace/apply/snippet_parts.h"

namespace redraft {
namespace {

using Kind = SnippetElement::Kind;
using Elements = std::vector<SnippetElement>;

// If a run of lines removes more lines than this, the place is in doubt, unless twice as many are
// in both.
constexpr int kMaxTakenAway = 5;

// The module of an import, by which it is found again with other names: Python's "from M import",
// JavaScript's "from 'M'". Empty: use its whole text.
std::string_view module_of(std::string_view line) {
  const std::size_t import = line.find(" import ");
  if (line.starts_with("from ") && import != std::string_view::npos) return line.substr(0, import);
  const std::size_t from = line.rfind(" from ");
  return from == std::string_view::npos ? std::string_view() : trimmed(line.substr(from), " ;");
}

class Placer {
 public:
  Placer(const FileLines& file, const SyntaxTree* tree, const SnippetParts& parts)
      : file_(file), parts_(parts), imports_there_(tree == nullptr ? Imports() : tree->imports()) {}

  Result<std::vector<LineSpan>> run() {
    if (parts_.is_whole_file) return std::vector{LineSpan{0, file_.size(), parts_.lines}};
    const Elements& all = parts_.elements;
    for (auto it = all.begin(); it != all.end();) {
      const auto end = std::find_if(
          it, all.end(), [](const SnippetElement& one) { return one.kind == Kind::kEllipsis; });
      is_last_ = end == all.end();
      is_after_ellipsis_ = it != all.begin();
      next_ = is_last_ ? nullptr : &*end;
      if (const Result<void> placed = place_piece({it, end}); !placed) return placed.error();
      it = is_last_ ? end : end + 1;
    }
    return all_spans();
  }

 private:
  // Places the part between two ellipses: imports, definitions, and runs of lines.
  Result<void> place_piece(Elements piece) {
    for (const SnippetElement& one : piece) {
      if (one.kind == Kind::kImport) place_import(one);
    }
    std::erase_if(piece, [](const SnippetElement& one) { return one.kind == Kind::kImport; });
    last_end_.reset();
    Elements fresh;  // new definitions before the first element that is in the file
    for (std::size_t i = 0; i < piece.size();) {
      if (piece[i].kind == Kind::kBlank) {
        ++i;
        continue;
      }
      std::size_t end = i + 1;
      Result<void> placed;
      if (piece[i].kind == Kind::kDefinition && !piece[i].definition->there) {
        if (last_end_) {
          placed = insert_behind(piece[i]);
        } else {
          fresh.push_back(piece[i]);
        }
      } else {
        while (piece[i].kind == Kind::kLine && end < piece.size() &&
               piece[end].kind != Kind::kDefinition)
          ++end;
        last_end_.reset();
        placed = piece[i].kind == Kind::kDefinition
                     ? place_definition(piece[i])
                     : place_run({piece.begin() + i, piece.begin() + end});
        if (placed && last_end_ && !fresh.empty()) placed = insert_before(fresh);
        if (last_end_) fresh.clear();
      }
      if (!placed) return placed;
      i = end;
    }
    return fresh.empty() ? Result<void>() : insert_at_end(fresh);
  }

  std::string_view text(int line) const { return trimmed(lines_at(line)); }
  const std::string& lines_at(int line) const {
    return parts_.lines[static_cast<std::size_t>(line)];
  }
  std::vector<std::string> lines(int begin, int end) const {
    return {parts_.lines.begin() + begin, parts_.lines.begin() + end};
  }

  Result<void> add(int begin, int end, const std::vector<std::string>& lines,
                   const Reindent& move) {
    std::optional<std::vector<std::string>> moved = move(lines);
    if (!moved) return Error("the indentation of the change does not match the file");
    spans_.push_back({begin, end, std::move(*moved)});
    return {};
  }

  Reindent move_of(int line, int there) const {
    return Reindent::between(lines_at(line), file_.line(there));
  }

  // Replaces an import of the same module that has fewer names. Otherwise goes next to the imports
  // that are next to it in the change; otherwise in alphabetical order, if the file's imports are
  // sorted.
  void place_import(const SnippetElement& element) {
    const std::string_view import = text(element.begin);
    if (!file_.places_of(import).empty()) return;
    const std::string_view module = module_of(import);
    std::vector<int> all;
    std::optional<int> fewer;
    for (const Import& one : imports_there_.all) {
      const int line = file_.line_of(one.range.begin);
      all.push_back(line);
      const bool is_same = !module.empty() && module_of(file_.text(line)) == module;
      if (is_same && has_words_of(import, file_.text(line))) fewer = line;
    }
    const int place = fewer ? *fewer : place_of_import(element, all);
    const std::string_view indentation = fewer ? indentation_of(file_.line(place)) : "";
    imports_.push_back(
        {place, fewer ? place + 1 : place, {std::string(indentation).append(import)}});
  }

  int place_of_import(const SnippetElement& element, const std::vector<int>& all) const {
    const auto there = [&](int line) -> std::optional<int> {
      if (line < 0 || line >= size()) return std::nullopt;
      for (const int place : file_.places_of(text(line))) {
        if (std::ranges::find(all, place) != all.end()) return place;
      }
      return std::nullopt;
    };
    if (const auto before = there(element.begin - 1)) return *before + 1;
    if (const auto behind = there(element.begin + 1)) return *behind;
    // Adjacent imports of the file, of which the last sorts before the new one.
    const std::string_view import = text(element.begin);
    std::optional<int> place;
    for (const int line : all) {
      const bool is_alike = file_.text(line).substr(0, 4) == import.substr(0, 4);
      if (is_alike && file_.text(line) < import) place = line + 1;
    }
    const bool in_order =
        std::ranges::is_sorted(all, [&](int a, int b) { return file_.text(a) < file_.text(b); });
    return place && in_order ? *place : file_.line_of(imports_there_.place);
  }

  Result<void> place_definition(const SnippetElement& element) {
    const SnippetDefinition& one = *element.definition;
    const Counterpart& there = *one.there;
    last_move_ = move_of(one.head, there.head);
    int begin = there.begin;
    // Lines above the head that the change does not show stay: a comment, the beginning of one, a
    // decorator.
    if (one.begin == one.head) begin = there.head;
    for (int i = there.begin; i < there.head && one.begin < one.head; ++i) {
      if (file_.text(i) != text(one.begin)) continue;
      begin = i;
      break;
    }
    piece_begin_ = begin;
    last_end_ = there.end;
    last_line_ = one.end;
    return add(begin, there.end, lines(one.begin, one.end), last_move_);
  }

  // Inserts after the element placed last, with the blank lines between them in the change.
  Result<void> insert_behind(const SnippetElement& element) {
    const int end = *last_end_;
    const Result<void> added = add(end, end, lines(last_line_, element.end), last_move_);
    last_line_ = element.end;
    return added;
  }

  bool is_ellipsis_at(int line) const {
    return std::ranges::any_of(parts_.elements, [&](const SnippetElement& one) {
      return one.kind == Kind::kEllipsis && one.begin == line;
    });
  }

  Result<void> insert_before(const Elements& fresh) {
    std::vector<std::string> all;
    const bool is_apart = piece_begin_ == 0 || file_.text(piece_begin_ - 1).empty();
    for (int i = fresh.front().begin - 1; i >= 0 && text(i).empty() && !is_apart; --i) {
      if (is_ellipsis_at(i)) break;
      all.emplace_back();
    }
    for (const SnippetElement& one : fresh) {
      for (std::string& line : lines(one.begin, one.end)) all.push_back(std::move(line));
      for (int i = one.end; i < size() && text(i).empty(); ++i) all.emplace_back();
    }
    return add(piece_begin_, piece_begin_, all, last_move_);
  }

  int size() const { return static_cast<int>(parts_.lines.size()); }

  // Inserts at the end of the enclosing definition, or of the file.
  Result<void> insert_at_end(const Elements& fresh) {
    const SnippetDefinition* const around = fresh.front().around;
    const bool is_last = is_last_ || next_->around != around;
    // An indented definition belongs to something that the parser did not recognise.
    const bool is_inside = !indentation_of(lines_at(fresh.front().begin)).empty();
    if (!is_after_ellipsis_ || !is_last || (around == nullptr && is_inside))
      return Error("the change does not say where '" + fresh.front().definition->named.name +
                   "' goes");
    const int end = around == nullptr ? file_.size() : around->there->end;
    std::vector<std::string> all;
    const int gap = around == nullptr ? blank_lines_between() : 1;
    for (const SnippetElement& one : fresh) {
      all.insert(all.end(), static_cast<std::size_t>(gap), std::string());
      for (std::string& line : lines(one.begin, one.end)) all.push_back(std::move(line));
    }
    const Reindent move =
        around == nullptr ? Reindent{} : move_of(around->head, around->there->head);
    return add(end, end, all, move);
  }

  // The number of blank lines above the last definition of the file.
  int blank_lines_between() const {
    const std::vector<NamedDefinition>& all = parts_.theirs;
    if (all.empty()) return 1;
    int above = 0;
    for (int i = file_.line_of(all.back().range.begin) - 1; i >= 0 && file_.text(i).empty(); --i)
      ++above;
    return std::max(above, 1);
  }

  Result<void> place_run(Elements run) {
    while (run.back().kind == Kind::kBlank) run.pop_back();
    LinesToAlign wanted;
    for (const SnippetElement& one : run) {
      const auto [begin, end] = window_of(one);
      wanted.lines.push_back({text(one.begin), begin, end});
    }
    const bool says_nothing = std::ranges::none_of(run, [&](const SnippetElement& one) {
      return is_telling(text(one.begin)) || file_.places_of(text(one.begin)).empty();
    });
    if (says_nothing) {  // a brace stays
      find_brace(run.front());
      return {};
    }
    n_compared_ += run.size() * (static_cast<std::size_t>(file_.size()) + parts_.theirs.size());
    if (n_compared_ > kMaxCompared) return Error("the change is too long to compare with the file");
    if (const Result<void> known = find_ends(run, wanted); !known) return known;
    Result<AlignedLines> there = align(file_, wanted);
    if (!there) {  // its place may be certain after the element that the change shows before it
      for (LinesToAlign::Line& line : wanted.lines)
        line.window_begin = std::max(line.window_begin, floor());
      Result<AlignedLines> behind = align(file_, wanted);
      if (behind) there = std::move(behind);
    }
    if (!there) return there.error();
    if (const Result<void> checked = check_taken_away(run, *there); !checked) return checked;
    const int first = run.front().begin;
    last_move_ = move_of(run, *there);
    piece_begin_ = there->begin;
    last_end_ = there->end;
    last_line_ = run.back().end;
    return add(there->begin, there->end, lines(first, run.back().end), last_move_);
  }

  // Finds the brace that ends a partly shown definition: other lines go before it.
  void find_brace(const SnippetElement& one) {
    if (!is_end(one)) return;
    const int last = one.around->there->end - 1;
    if (file_.text(last) != text(one.begin)) return;
    piece_begin_ = last;
    last_end_ = last + 1;
    last_line_ = one.end;
    last_move_ = move_of(one.begin, last);
  }

  // The line after everything placed so far.
  int floor() const {
    int end = 0;
    for (const LineSpan& span : spans_) end = std::max(end, span.end);
    return end;
  }

  // Uses the first line that is unchanged in the file.
  Reindent move_of(const Elements& run, const AlignedLines& there) const {
    for (const SnippetElement& one : run) {
      if (is_head(one)) return move_of(one.begin, one.around->there->head);
      for (int i = there.begin; i < there.end && !text(one.begin).empty(); ++i) {
        if (file_.text(i) == text(one.begin)) return move_of(one.begin, i);
      }
    }
    return {};
  }

  // The lines of the file that may contain a line of the change.
  std::pair<int, int> window_of(const SnippetElement& element) const {
    if (element.around == nullptr) return {0, file_.size()};
    return {element.around->there->begin, element.around->there->end};
  }

  static bool is_head(const SnippetElement& one) {
    return one.around != nullptr && one.begin == one.around->head;
  }
  static bool is_end(const SnippetElement& one) {
    return one.around != nullptr && one.end == one.around->end;
  }

  // A definition's head is found by its name, its end by where it ends in the file.
  Result<void> find_ends(const Elements& run, LinesToAlign& wanted) const {
    const SnippetElement& first = run.front();
    const SnippetElement& last = run.back();
    if (is_head(first)) wanted.begin = first.around->there->head;
    if (is_end(last) && !is_head(last)) {
      wanted.end = last.around->there->end;
      const std::string_view there = file_.text(*wanted.end - 1);
      if (text(last.begin) != there && !are_alike(text(last.begin), there))
        return Error("'" + std::string(text(last.begin)) + "'" + " is not in the file");
    }
    if (!is_head(last)) return {};
    if (ends_head(text(last.begin)) != ends_head(file_.text(last.around->there->head)))
      return Error("the end of the head of '" + last.around->named.name + "' is uncertain");
    wanted.end = last.around->there->head + 1;
    return {};
  }

  static bool ends_head(std::string_view line) {
    return line.ends_with(':') || line.ends_with('{') || line.ends_with("do");
  }

  // Checks lines that are adjacent in the change but have more lines between them in the file.
  Result<void> check_taken_away(const Elements& run, const AlignedLines& there) const {
    const auto [begin, end, n_kept] = there;
    int taken = -n_kept;
    for (int i = begin; i < end; ++i) taken += file_.text(i).empty() ? 0 : 1;
    if (taken > kMaxTakenAway && 2 * taken > n_kept)
      return Error("it would remove " + std::to_string(taken) +
                   " lines that the change does not show");
    for (const NamedDefinition& one : parts_.theirs) {
      const int head = file_.line_of(one.name_range.begin);
      const bool is_shown = std::ranges::any_of(run, [&](const SnippetElement& element) {
        return text(element.begin) == file_.text(head);
      });
      const bool is_gone = head > begin && head < end - 1 && !is_shown;
      const bool is_elsewhere = (head < begin || head >= end) && is_shown &&
                                file_.places_of(file_.text(head)).size() == 1;
      if (is_elsewhere) return Error("'" + one.path() + "' is in another place");
      if (is_gone) return Error("'" + one.path() + "' is between its lines");
    }
    return {};
  }

  // Merges imports at one place into one span.
  std::vector<LineSpan> all_spans() {
    for (LineSpan& one : imports_) {
      const auto same = std::ranges::find_if(spans_, [&](const LineSpan& span) {
        return span.empty() && one.empty() && span.begin == one.begin;
      });
      if (same == spans_.end()) {
        spans_.push_back(std::move(one));
      } else {
        same->lines.insert(same->lines.end(), one.lines.begin(), one.lines.end());
      }
    }
    return std::move(spans_);
  }

  const FileLines& file_;
  const SnippetParts& parts_;
  Imports imports_there_;  // of the file
  std::vector<LineSpan> spans_, imports_;
  std::size_t n_compared_ = 0;  // lines, see kMaxCompared
  // State of the part that is being placed:
  bool is_last_ = false, is_after_ellipsis_ = false;
  const SnippetElement* next_ = nullptr;  // the ellipsis after it
  int piece_begin_ = 0;                   // where the element placed last begins in the file
  std::optional<int> last_end_;           // where it ends; nullopt: nothing placed yet
  int last_line_ = 0;                     // the line after it in the change
  Reindent last_move_;
};

}  // namespace

Result<std::vector<LineSpan>> place_snippet(const FileLines& file, const SyntaxTree* tree,
                                            std::string_view language_id,
                                            const CodeSnippet& snippet) {
  const Result<std::unique_ptr<SnippetParts>> parts = take_apart(file, tree, language_id, snippet);
  if (!parts) return parts.error();
  return Placer(file, tree, **parts).run();
}

}  // namespace redraft
