#include "workspace/apply/change_place.h"

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>

#include "text/strings/trimmed.h"
#include "workspace/apply/file_lines.h"
#include "workspace/apply/hunk_place.h"
#include "workspace/apply/line_alignment.h"
#include "workspace/apply/snippet_place.h"

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

Result<std::vector<LineSpan>> place_all(const FileLines& file, const SyntaxTree* tree,
                                        std::string_view language_id,
                                        const ProposedChange& change) {
  std::vector<LineSpan> all;
  int part = 0;
  for (const Replaced& hunk : change.replaced) {
    Result<LineSpan> span = place_hunk(file, tree, hunk);
    if (!span) return span.error();
    span->origin.part = part++;
    all.push_back(std::move(*span));
  }
  for (const CodeSnippet& snippet : change.snippets) {
    Result<std::vector<LineSpan>> spans = place_snippet(file, tree, language_id, snippet);
    if (!spans) return spans.error();
    for (LineSpan& span : *spans) span.origin.part = part;
    ++part;
    std::ranges::move(*spans, std::back_inserter(all));
  }
  return in_order(std::move(all));
}

bool breaks_syntax_of(const SyntaxTree* tree, const std::string& text,
                      const std::vector<TextEdit>& edits) {
  if (tree == nullptr) return false;
  const auto after = tree->edited(std::make_shared<const std::string>(apply_edits(text, edits)));
  return after && breaks_syntax(*tree, *after);
}

}  // namespace

ChangedFile changed_file(const Document& document) {
  const std::string& uri = document.uri();
  std::vector<std::string_view> lines;
  const std::string_view text = document.text();
  for (int i = 0; i < document.lines().line_count(); ++i) {
    const std::size_t begin = document.lines().start(i);
    lines.push_back(trimmed(text.substr(begin, document.lines().content_end(i) - begin)));
  }
  std::ranges::sort(lines);
  return {uri.substr(uri.find_last_of('/') + 1), document.language(),
          [lines = std::move(lines)](std::string_view line) {
            return std::ranges::binary_search(lines, line);
          }};
}

PlacedChange place_change(const std::shared_ptr<const Document>& document,
                          const ProposedChange& change) {
  const EditRegion region = *EditRegion::make(document, EditScope::kFile, std::nullopt);
  const FileLines file(region);
  const SyntaxTree* const tree = document->syntax();
  PlacedChange placed;
  Result<std::vector<LineSpan>> spans = place_all(file, tree, document->language(), change);
  if (spans) {
    for (const LineSpan& span : *spans) {
      std::ranges::move(file.edits({span}), std::back_inserter(placed.edits));
      placed.origins.resize(placed.edits.size(), span.origin);
    }
    if (!breaks_syntax_of(tree, document->text(), placed.edits)) return placed;
    placed.edits.clear();
    placed.origins.clear();
    placed.doubt = "the change would break the file's syntax";
  } else {
    placed.doubt = spans.error().message();
  }
  LikelyPlaces likely(file, tree);
  for (const Replaced& hunk : change.replaced)
    likely.add(hunk.old_lines.empty() ? hunk.new_lines : hunk.old_lines);
  for (const CodeSnippet& snippet : change.snippets) likely.add(lines_of(snippet));
  placed.places = likely.take();
  return placed;
}

}  // namespace redraft
