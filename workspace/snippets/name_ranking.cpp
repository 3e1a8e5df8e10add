#include "workspace/snippets/name_ranking.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "languages/languages.h"

namespace redraft {
namespace {

// The weight of a name halves every this many lines.
constexpr double kHalfWeightLines = 12;
// The weight of an imported name does not depend on the distance.
constexpr double kImportedWeight = 0.5;
constexpr std::size_t kShortestName = 3;

// What imports begin with, in all languages: a text may embed another language.
const std::vector<std::string_view>& import_lines() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> lines;
    for (const Language* language : languages())
      lines.insert(lines.end(), language->import_lines->begin(), language->import_lines->end());
    return lines;
  }();
  return all;
}

bool imports(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return false;
  line.remove_prefix(begin);
  return std::ranges::any_of(import_lines(),
                             [&](std::string_view word) { return line.starts_with(word); }) ||
         (line.starts_with("const ") && line.find("require(") != std::string_view::npos);
}

// Iterates over the lines of a text along ascending offsets.
class LineWalk {
 public:
  explicit LineWalk(std::string_view text) : text_(text), end_(text.find('\n')) {}
  void go_to(std::size_t offset) {
    for (; end_ < offset; ++line_) {
      begin_ = end_ + 1;
      end_ = text_.find('\n', begin_);
    }
  }
  long line() const { return line_; }
  std::string_view text() const { return text_.substr(begin_, end_ - begin_); }

 private:
  std::string_view text_;
  std::size_t begin_ = 0;
  std::size_t end_;  // npos: this is the last line
  long line_ = 0;
};

}  // namespace

std::vector<RankedName> ranked_names(const SyntaxTree& tree, std::size_t offset, std::size_t most) {
  const std::string_view text = tree.text();
  std::unordered_set<std::string_view> own;
  for (const Definition& definition : tree.definitions())
    own.insert(text.substr(definition.name.begin, definition.name.size()));
  LineWalk place(text);
  place.go_to(std::min(offset, text.size()));
  std::unordered_map<std::string_view, double> weights;
  LineWalk walk(text);
  for (const ByteRange& range : tree.identifiers({0, text.size()})) {
    const std::string_view name = text.substr(range.begin, range.size());
    if (name.size() < kShortestName || own.contains(name)) continue;
    walk.go_to(range.begin);
    const auto lines = static_cast<double>(std::abs(walk.line() - place.line()));
    const double near = std::exp2(-lines / kHalfWeightLines);
    double& weight = weights[name];
    weight = std::max(weight, imports(walk.text()) ? std::max(near, kImportedWeight) : near);
  }
  std::vector<RankedName> ranked;
  for (const auto& [name, weight] : weights) ranked.push_back({name, weight});
  std::ranges::sort(ranked, [](const RankedName& a, const RankedName& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.name < b.name;
  });
  if (ranked.size() > most) ranked.resize(most);
  return ranked;
}

}  // namespace redraft
