#include "workspace/apply/change_place.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>

#include "text/strings/trimmed.h"
#include "workspace/apply/anchored_place.h"
#include "workspace/apply/canonical_text.h"
#include "workspace/apply/change_path.h"
#include "workspace/apply/file_lines.h"
#include "workspace/apply/hunk_place.h"
#include "workspace/apply/line_alignment.h"
#include "workspace/apply/mismatch_search.h"
#include "workspace/apply/snippet_place.h"
#include "workspace/documents/file_uri.h"

namespace redraft {
namespace {

// The number of lines shown around the lines that a change may be about, outside of definitions.
constexpr int kLinesAround = 10;
// A difference between sums that only their order causes.
constexpr double kNothing = 1e-9;
// A definition with more lines is not shown to the model as a whole.
constexpr int kLongestDefinition = 300;

std::vector<std::string> lines_of(const CodeSnippet& snippet) {
  std::vector<std::string> lines;
  for (const CodeSnippet::Line& line : snippet.lines) {
    if (!line.is_ellipsis) lines.push_back(line.text);
  }
  return lines;
}

// The lines of the file that are most similar to some lines of a change, with the definition around
// them.
class LikelyPlaces {
 public:
  LikelyPlaces(const FileLines& file, const SyntaxTree* tree) : file_(file), tree_(tree) {}

  void add(const std::vector<std::string>& lines) {
    // The weight of a line's evidence: the more often the file has the line, the lower.
    std::vector<std::pair<int, double>> hints;
    std::unordered_set<std::string_view> seen;
    for (const std::string& line : lines) {
      const std::string_view text = trimmed(line);
      if (!is_telling(text) || !seen.insert(text).second) continue;
      const std::vector<int>& places = file_.places_of(text);
      for (const int place : places)
        hints.emplace_back(place, 1.0 / static_cast<double>(places.size()));
    }
    std::ranges::sort(hints);
    const int most = 2 * static_cast<int>(lines.size()) + kLinesAround;
    double weight = 0, best = 0;
    std::pair<int, int> found{0, 0};
    for (std::size_t first = 0, last = 0; last < hints.size(); ++last) {
      weight += hints[last].second;
      while (hints[last].first >= hints[first].first + most) weight -= hints[first++].second;
      if (weight > best + kNothing) {
        best = weight;
        found = {hints[first].first, hints[last].first + 1};
      }
    }
    if (best > 0) places_.push_back(with_definition(found));
  }

  std::vector<ByteRange> take() {
    std::ranges::sort(places_);
    std::vector<std::pair<int, int>> apart;
    for (const auto& place : places_) {
      if (!apart.empty() && place.first <= apart.back().second) {
        apart.back().second = std::max(apart.back().second, place.second);
      } else {
        apart.push_back(place);
      }
    }
    std::vector<ByteRange> ranges;
    for (const auto& [begin, end] : apart) ranges.push_back(file_.bytes_of(begin, end));
    return ranges;
  }

 private:
  std::pair<int, int> with_definition(std::pair<int, int> lines) const {
    if (tree_ != nullptr) {
      for (const int line : {lines.first, lines.second - 1}) {
        const std::size_t at = file_.bytes_of(line, line).begin;
        const std::optional<Definition> definition = tree_->enclosing_definition(at);
        if (!definition) continue;
        const auto [begin, end] = file_.lines_of(definition->range);
        if (end - begin > kLongestDefinition) continue;
        lines = {std::min(lines.first, begin), std::max(lines.second, end)};
      }
    }
    return {std::max(lines.first - kLinesAround, 0),
            std::min(lines.second + kLinesAround, file_.size())};
  }

  const FileLines& file_;
  const SyntaxTree* tree_;
  std::vector<std::pair<int, int>> places_;
};

// Sorts the spans and checks that they are disjoint; drops those that change nothing.
Result<std::vector<LineSpan>> in_order(std::vector<LineSpan> spans) {
  std::erase_if(spans, [](const LineSpan& one) { return one.empty() && one.lines.empty(); });
  std::ranges::stable_sort(spans, [](const LineSpan& a, const LineSpan& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].begin < spans[i - 1].end) return Error("two parts of the change overlap");
  }
  return spans;
}

// Places the snippets of a change by their definitions and lines, each once.
class SnippetPlaces {
 public:
  SnippetPlaces(const FileLines& file, const SyntaxTree* tree, std::string_view language_id)
      : file_(file), tree_(tree), language_id_(language_id) {}

  const Result<std::vector<LineSpan>>& of(const CodeSnippet& snippet) {
    const auto known =
        std::ranges::find(places_, &snippet, [](const auto& one) { return one.first; });
    if (known != places_.end()) return known->second;
    places_.emplace_back(&snippet, place_snippet(file_, tree_, language_id_, snippet));
    return places_.back().second;
  }

 private:
  const FileLines& file_;
  const SyntaxTree* tree_;
  std::string_view language_id_;
  std::deque<std::pair<const CodeSnippet*, Result<std::vector<LineSpan>>>> places_;
};

// Places all parts of a change. Those that follow a part for another file and state none themselves
// are left out if they have no place in this file.
class ChangePlacer {
 public:
  ChangePlacer(const FileLines& file, const SyntaxTree* tree, SnippetPlaces& snippets,
               Strictness strictness)
      : file_(file), tree_(tree), snippets_(snippets), strictness_(strictness) {}

  Result<std::vector<LineSpan>> place_all(const ProposedChange& change) {
    if (!change.doubt.empty()) return Error(change.doubt);
    std::vector<Replaced> hunks;
    for (const Replaced& hunk : change.replaced) {
      if (hunk.after_other.empty()) {
        hunks.push_back(hunk);
      } else if (has_most_of(hunk.old_lines)) {
        return unclear(hunk.after_other);
      } else {
        const Result<void> checked = check(hunk, place_hunks(file_, tree_, {hunk}));
        if (!checked) return checked.error();
      }
    }
    Result<std::vector<LineSpan>> all = place_hunks(file_, tree_, hunks, strictness_);
    if (!all) return all;
    int part = static_cast<int>(change.replaced.size());
    for (const CodeSnippet& snippet : change.snippets) {
      Result<std::vector<LineSpan>> spans = snippets_.of(snippet);
      if (!spans && strictness_ == Strictness::kLoose && snippet.after_other.empty()) {
        spans = placed_by_ends(snippet, spans.error());
      }
      if (!snippet.after_other.empty()) {
        if (has_most_of(lines_of(snippet))) return unclear(snippet.after_other);
        if (const Result<void> checked = check(snippet, spans); !checked) return checked.error();
        continue;
      }
      if (!spans) return spans.error();
      for (LineSpan& span : *spans) span.origin.part = part;
      ++part;
      std::ranges::move(*spans, std::back_inserter(*all));
    }
    if (!others_.empty() && others_.size() == change.replaced.size() + change.snippets.size())
      return Error("all of the change seems to be for " + others_.front());
    return in_order(std::move(*all));
  }

  // The files that parts without a stated file are for.
  const std::vector<std::string>& others() const { return others_; }

 private:
  // What has no place otherwise, with the reason as a doubt.
  Result<std::vector<LineSpan>> placed_by_ends(const CodeSnippet& snippet,
                                               const Error& reason) const {
    Result<std::vector<LineSpan>> spans = place_by_ends(file_, snippet);
    if (!spans) return reason;
    for (LineSpan& span : *spans) span.doubt = reason.message();
    return spans;
  }

  static Error unclear(const std::string& other) {
    return Error("it is not clear whether a part is for " + other);
  }

  // Whether at least half of the lines that say something are in the file.
  bool has_most_of(const std::vector<std::string>& lines) const {
    std::size_t n_telling = 0, n_there = 0;
    for (const std::string& line : lines) {
      if (!is_telling(line)) continue;
      ++n_telling;
      n_there += file_.places_of(trimmed(line)).empty() ? 0 : 1;
    }
    return n_telling > 0 && 2 * n_there >= n_telling;
  }

  template <typename Part>
  Result<void> check(const Part& part, const Result<std::vector<LineSpan>>& spans) {
    if (spans) return unclear(part.after_other);
    others_.push_back(part.after_other);
    return {};
  }

  const FileLines& file_;
  const SyntaxTree* tree_;
  SnippetPlaces& snippets_;
  Strictness strictness_;
  std::vector<std::string> others_;
};

// Adds or removes the newline at the end of the file, if a hunk asks for it.
void set_final_newline(const FileLines& file, const std::vector<Replaced>& hunks,
                       std::vector<TextEdit>& edits) {
  for (const Replaced& hunk : hunks) {
    if (hunk.final_newline == Replaced::FinalNewline::kKept) continue;
    const bool is_wanted = hunk.final_newline == Replaced::FinalNewline::kAdded;
    if (file.size() == 0 || file.ends_with_newline() == is_wanted) continue;
    const TextEdit newline = file.final_newline(is_wanted);
    const std::size_t size = file.text_of_file().size();
    if (edits.empty() || edits.back().range.end < size) {
      if (edits.empty() || edits.back().range.end <= newline.range.begin) edits.push_back(newline);
      return;
    }
    std::string& text = edits.back().new_text;
    if (is_wanted) {
      text += newline.new_text;
    } else {
      text.resize(text.find_last_not_of("\r\n") + 1);
    }
    return;
  }
}

bool breaks_syntax_of(const SyntaxTree* tree, const std::string& text,
                      const std::vector<TextEdit>& edits) {
  if (tree == nullptr) return false;
  const auto after = tree->edited(std::make_shared<const std::string>(apply_edits(text, edits)));
  return after && breaks_syntax(*tree, *after);
}

// The path that a document's URI states; empty: none.
std::string path_of_document(const std::string& uri) {
  constexpr std::string_view kNoFiles[] = {"", "-", "stdin"};
  if (std::ranges::find(kNoFiles, uri) != std::end(kNoFiles)) return {};
  if (const std::optional<std::filesystem::path> path = path_of_uri(uri))
    return plain_path(path->generic_string());
  const std::size_t scheme = uri.find(':');
  if (scheme != std::string::npos && scheme > 1 && uri.find('/') > scheme) {
    // Editors have other schemes for files of other machines. A buffer without a file has no slash.
    const std::string_view path = std::string_view(uri).substr(scheme + 1);
    return path.find('/') == std::string_view::npos
               ? std::string()
               : plain_path(path.substr(0, path.find_first_of("?#")));
  }
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(uri, error);
  return plain_path(error ? uri : path.lexically_normal().generic_string());
}

// Hunks that only fit one after the other, because one searches for what another wrote.
std::optional<std::vector<TextEdit>> placed_in_turn(const std::shared_ptr<const Document>& document,
                                                    const FileLines& file,
                                                    const ProposedChange& change) {
  constexpr std::size_t kMaxHunks = 50;
  const bool is_in_turn = change.doubt.empty() && change.snippets.empty() &&
                          change.replaced.size() > 1 && change.replaced.size() <= kMaxHunks &&
                          std::ranges::none_of(change.replaced, [](const Replaced& hunk) {
                            return hunk.is_of_diff || !hunk.after_other.empty();
                          });
  if (!is_in_turn) return std::nullopt;
  std::shared_ptr<const Document> now = document;
  for (const Replaced& hunk : change.replaced) {
    const EditRegion region = *EditRegion::make(now, EditScope::kFile, std::nullopt);
    const FileLines lines(region);
    const Result<std::vector<LineSpan>> spans = place_hunks(lines, now->syntax(), {hunk});
    if (!spans) return std::nullopt;
    Result<std::shared_ptr<const Document>> next =
        now->changed(now->version(), apply_edits(now->text(), lines.edits(*spans)));
    if (!next) return std::nullopt;
    now = *std::move(next);
  }
  const EditRegion region = *EditRegion::make(now, EditScope::kFile, std::nullopt);
  LineSpan all{0, file.size(), {}, true};
  for (const std::string_view line : region.lines()) all.lines.emplace_back(line);
  return file.edits({std::move(all)});
}

// Where the change belongs, or why that is uncertain.
Result<PlacedChange> placed_at_once(const std::shared_ptr<const Document>& document,
                                    const FileLines& file, const ProposedChange& change,
                                    SnippetPlaces& snippets, Strictness strictness) {
  PlacedChange placed;
  ChangePlacer placer(file, document->syntax(), snippets, strictness);
  Result<std::vector<LineSpan>> spans = placer.place_all(change);
  if (!spans) return spans.error();
  for (const LineSpan& span : *spans) {
    std::ranges::move(file.edits({span}), std::back_inserter(placed.edits));
    placed.origins.resize(placed.edits.size(), span.origin);
    placed.doubts.resize(placed.edits.size(), span.doubt);
  }
  set_final_newline(file, change.replaced, placed.edits);
  for (const std::string& other : placer.others())
    placed.notes.push_back("left out what seems to be for " + other);
  return placed;
}

// The hunks whose lines are in the file say themselves what becomes of its syntax.
constexpr const char* kBreaksSyntax = "the change would break the file's syntax";

Result<PlacedChange> place_surely(const std::shared_ptr<const Document>& document,
                                  const FileLines& file, const ProposedChange& change,
                                  SnippetPlaces& snippets) {
  Result<PlacedChange> placed =
      placed_at_once(document, file, change, snippets, Strictness::kStrict);
  if (!placed) {
    if (auto edits = placed_in_turn(document, file, change)) {
      placed = PlacedChange();
      placed->edits = *std::move(edits);
    } else {
      if (auto loose = placed_at_once(document, file, change, snippets, Strictness::kLoose))
        placed = std::move(loose);
    }
  }
  if (!placed) return placed;
  placed->notes.insert(placed->notes.begin(), change.notes.begin(), change.notes.end());
  placed->origins.resize(placed->edits.size(),
                         {.decided_by = DecidedBy::kLines, .shows_removed = true});
  placed->doubts.resize(placed->edits.size());
  if (breaks_syntax_of(document->syntax(), document->text(), placed->edits)) {
    for (std::string& doubt : placed->doubts) {
      if (doubt.empty()) doubt = kBreaksSyntax;
    }
  }
  const auto doubt = std::ranges::find_if_not(placed->doubts, &std::string::empty);
  if (doubt != placed->doubts.end()) placed->doubt = *doubt;
  return placed;
}

// Why each part that has no place has none. `reason`: that of the change as a whole.
std::vector<Mismatch> mismatches_of(const std::shared_ptr<const Document>& document,
                                    const FileLines& file, const ProposedChange& change,
                                    SnippetPlaces& snippets, const std::string& reason) {
  std::vector<Mismatch> mismatches;
  int part = 0;
  const auto add = [&](const auto& one, const Result<std::vector<LineSpan>>& spans) {
    ++part;
    if (!spans) mismatches.push_back(mismatch_of(file, one, part, spans.error().message()));
  };
  for (const Replaced& hunk : change.replaced)
    add(hunk, place_hunks(file, document->syntax(), {hunk}, Strictness::kLoose));
  for (const CodeSnippet& snippet : change.snippets) add(snippet, snippets.of(snippet));
  if (mismatches.empty()) mismatches.push_back({.reason = reason});
  return mismatches;
}

}  // namespace

ChangedFile changed_file(const Document& document) {
  auto lines = std::make_shared<std::vector<std::string>>();
  const std::string_view text = document.text();
  for (int i = 0; i < document.lines().line_count(); ++i) {
    const std::size_t begin = document.lines().start(i);
    lines->emplace_back(
        trimmed(canonical_text(text.substr(begin, document.lines().content_end(i) - begin))));
  }
  auto sorted = std::make_shared<std::vector<std::string>>(*lines);
  std::ranges::sort(*sorted);
  std::erase(*lines, std::string());
  ChangedFile file{path_of_document(document.uri()), document.language(), {}, {}};
  file.has_line = [sorted](std::string_view line) {
    return std::ranges::binary_search(*sorted, trimmed(canonical_text(line)));
  };
  file.count_of = [lines](std::span<const std::string> wanted) {
    std::vector<std::string> texts;
    for (const std::string& line : wanted) {
      std::string one(trimmed(canonical_text(line)));
      if (!one.empty()) texts.push_back(std::move(one));
    }
    int count = 0;
    if (texts.empty()) return count;
    for (auto at = lines->begin(); at != lines->end(); ++at) {
      at = std::search(at, lines->end(), texts.begin(), texts.end());
      if (at == lines->end()) break;
      ++count;
    }
    return count;
  };
  return file;
}

PlacedChange place_change(const std::shared_ptr<const Document>& document,
                          const ProposedChange& change) {
  const EditRegion region = *EditRegion::make(document, EditScope::kFile, std::nullopt);
  const FileLines file(region);
  SnippetPlaces snippets(file, document->syntax(), document->language());
  Result<PlacedChange> sure = place_surely(document, file, change, snippets);
  if (sure) return *std::move(sure);
  PlacedChange placed;
  placed.notes = change.notes;
  placed.doubt = sure.error().message();
  placed.mismatches = mismatches_of(document, file, change, snippets, placed.doubt);
  LikelyPlaces likely(file, document->syntax());
  for (const Replaced& hunk : change.replaced)
    likely.add(hunk.old_lines.empty() ? hunk.new_lines : hunk.old_lines);
  for (const CodeSnippet& snippet : change.snippets) likely.add(lines_of(snippet));
  placed.places = likely.take();
  return placed;
}

}  // namespace redraft
