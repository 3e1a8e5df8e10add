#include "workspace/next_edit/next_place.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "workspace/next_edit/change_words.h"

namespace redraft {
namespace {

// The number of lines before and after a candidate line that are part of its place.
constexpr int kAround = 6;
// A line with less weight is not a candidate; other documents require more.
constexpr double kMinWeight = 0.8;
constexpr double kMinElsewhere = 1.5;
// A word that occurs in more lines than this is weak evidence for any of them.
constexpr double kRareLines = 8;
// Added lines show where others belong if the lines they were added to have at least this likeness,
// and as many words.
constexpr double kMinLikeness = 0.6;
constexpr std::size_t kMinWords = 3;
constexpr int kQuietLines = 8;

using WordSet = std::set<std::string, std::less<>>;

WordSet word_set(std::string_view line) {
  WordSet words;
  for (const std::string_view piece : words_of(line)) {
    if (is_word(piece)) words.emplace(piece);
  }
  return words;
}

// The share of words that two lines have in common, 0..1.
double likeness(const WordSet& a, const WordSet& b) {
  if (a.empty() || b.empty()) return 0;
  const auto shared = static_cast<double>(
      std::count_if(a.begin(), a.end(), [&](const std::string& word) { return b.contains(word); }));
  return shared / (static_cast<double>(a.size() + b.size()) - shared);
}

// The weight of the evidence that a line of a document has to follow.
class LineWeights {
 public:
  LineWeights(const std::vector<RecentChange>& recent, const Document& document,
              const EditRegion& file)
      : made_(word_change(recent)) {
    for (const std::string_view line : file.lines()) words_.push_back(word_set(line));
    for (const WordSet& words : words_) {
      for (const std::string& word : words) ++lines_with_[word];
    }
    for (const RecentChange& change : recent) {
      for (const std::string& line : change.before) before_.push_back(word_set(line));
      for (const std::string& line : change.after) after_.push_back(word_set(line));
      if (change.document->uri() != document.uri()) continue;
      here_.push_back(&change);
      if (change.before.empty()) added_.push_back({change.line - 1, change.end_line()});
    }
  }

  int count() const { return static_cast<int>(words_.size()); }

  double of(int line) const {
    const WordSet& words = words_[static_cast<std::size_t>(line)];
    if (words.empty() || changed(line)) return 0;
    double weight = 0;
    for (const std::string& word : words) {
      const double rarity = std::min(1.0, kRareLines / lines_with_.find(word)->second);
      if (made_.removed.contains(word)) weight += made_.added.contains(word) ? 0.3 * rarity : 1.5;
      if (made_.added.contains(word)) weight += 0.2 * rarity;
    }
    const double like_before = best_likeness(words, before_);
    // A line that is already like the changed lines has been updated.
    if (like_before > best_likeness(words, after_) || made_.removed.empty()) weight += like_before;
    return weight + of_place_above(line);
  }

 private:
  bool changed(int line) const {
    return std::any_of(here_.begin(), here_.end(), [&](const RecentChange* change) {
      return line >= change->line && line < change->end_line();
    });
  }
  // Whether a line belongs above this one, like a line that was added between similar lines.
  double of_place_above(int line) const {
    double most = 0;
    for (const AddedLines& added : added_) {
      for (const bool above : {true, false}) {
        const int like = above ? added.above : added.below, here = above ? line - 1 : line;
        if (like < 0 || like >= count() || here < 0 || changed(here)) continue;
        const WordSet& words = words_[static_cast<std::size_t>(like)];
        // After the change was made there, another line is in that place.
        if (!above && line == 0) continue;
        const WordSet& beside = words_[static_cast<std::size_t>(above ? line : line - 1)];
        const WordSet& there = words_[static_cast<std::size_t>(above ? like + 1 : like - 1)];
        if (words.size() < kMinWords || likeness(beside, there) >= kMinLikeness) continue;
        most = std::max(most, likeness(words_[static_cast<std::size_t>(here)], words));
      }
    }
    return most >= kMinLikeness ? kMinWeight - kMinLikeness + most : 0;
  }
  static double best_likeness(const WordSet& words, const std::vector<WordSet>& lines) {
    double most = 0;
    for (const WordSet& line : lines) most = std::max(most, likeness(words, line));
    return most;
  }

  WordChange made_;
  std::vector<WordSet> words_, before_, after_;
  std::map<std::string, int, std::less<>> lines_with_;
  std::vector<const RecentChange*> here_;
  struct AddedLines {
    int above, below;  // the lines around them
  };
  std::vector<AddedLines> added_;
};

// The line where the latest change in the document ends; -1: there is none.
int latest_line(const std::vector<RecentChange>& recent, const Document& document) {
  for (auto change = recent.rbegin(); change != recent.rend(); ++change) {
    if (change->document->uri() == document.uri()) return change->end_line();
  }
  return -1;
}

void add_places(const std::vector<RecentChange>& recent,
                const std::shared_ptr<const Document>& document, const NameChanges& names,
                double least, std::vector<NextPlace>& places) {
  if (document->text().size() > kMaxBytesCompared) return;
  const Result<EditRegion> file = EditRegion::make(document, EditScope::kFile, {});
  if (!file || file->lines().empty()) return;
  const LineWeights weights(recent, *document, *file);
  const int latest = latest_line(recent, *document);
  for (int line = 0; line < weights.count(); ++line) {
    double weight = weights.of(line);
    if (weight < least) continue;
    const std::string_view text = file->lines()[static_cast<std::size_t>(line)];
    const auto begin = static_cast<std::size_t>(text.data() - document->text().data());
    if (names.is_about_others(*document, begin, text)) continue;
    // Among equals, the nearest after the latest change comes first, in reading order.
    if (latest >= 0) weight += 0.1 / (1 + std::abs(line - latest) / 16.0 * (line < latest ? 2 : 1));
    places.push_back({document, std::max(line - kAround, 0),
                      std::min(line + kAround + 1, weights.count()), weight, line});
  }
}

// Lines of the most recently changed document, in blocks of kQuietLines.
class QuietLines {
 public:
  QuietLines(const std::vector<RecentChange>& recent, const std::vector<NextPlace>& places,
             const EditRegion& file)
      : places_(places), file_(file), weights_(recent, file.document(), file) {}

  // Whether this block exists and is quiet.
  bool has(const std::string& block) const {
    if (block.empty()) return false;
    for (int line = 0; line + kQuietLines <= weights_.count(); ++line) {
      if (block.starts_with(lines()[static_cast<std::size_t>(line)]) && text(line) == block &&
          weight(line) < kMaxWeight)
        return true;
    }
    return false;
  }

  // The quietest block; empty: none is quiet.
  std::string best() const {
    double least = kMaxWeight;
    int best = -1;
    for (int line = 0; line + kQuietLines <= weights_.count(); line += kQuietLines / 2) {
      const double weighs = weight(line);
      if (weighs >= least || text(line).size() < kMinBytes) continue;
      least = weighs;
      best = line;
    }
    return best < 0 ? std::string() : text(best);
  }

 private:
  static constexpr double kMaxWeight = 0.5;
  static constexpr std::size_t kMinBytes = 21 * kQuietLines;  // with newlines

  const std::vector<std::string_view>& lines() const { return file_.lines(); }
  std::string text(int first) const {
    std::string text;
    for (int line = first; line < first + kQuietLines; ++line)
      text.append(lines()[static_cast<std::size_t>(line)]) += '\n';
    return text;
  }
  // Infinite in a place where something may follow.
  double weight(int first) const {
    const bool in_a_place =
        std::any_of(places_.begin(), places_.end(), [&](const NextPlace& place) {
          return place.document->uri() == file_.document().uri() && first < place.end_line &&
                 first + kQuietLines > place.first_line;
        });
    if (in_a_place) return std::numeric_limits<double>::infinity();
    double weight = 0;
    for (int line = first; line < first + kQuietLines; ++line) weight += weights_.of(line);
    return weight;
  }

  const std::vector<NextPlace>& places_;
  const EditRegion& file_;
  LineWeights weights_;
};

}  // namespace

std::vector<NextPlace> next_places(const std::vector<RecentChange>& recent,
                                   const std::vector<std::shared_ptr<const Document>>& documents,
                                   const NameChanges& names, int most) {
  std::vector<NextPlace> places;
  for (std::size_t i = 0; i < documents.size(); ++i)
    add_places(recent, documents[i], names, i == 0 ? kMinWeight : kMinElsewhere, places);
  std::stable_sort(places.begin(), places.end(),
                   [](const NextPlace& a, const NextPlace& b) { return a.weight > b.weight; });
  std::vector<NextPlace> chosen;
  for (const NextPlace& place : places) {
    if (std::ssize(chosen) >= most) break;
    const bool apart = std::all_of(chosen.begin(), chosen.end(), [&](const NextPlace& other) {
      return other.document != place.document || place.first_line + kAround >= other.end_line ||
             place.end_line <= other.first_line + kAround;
    });
    if (apart) chosen.push_back(place);
  }
  return chosen;
}

std::string quiet_lines(const std::vector<RecentChange>& recent,
                        const std::vector<NextPlace>& places, const std::string& last) {
  const std::shared_ptr<const Document>& document = recent.back().document;
  const Result<EditRegion> file = EditRegion::make(document, EditScope::kFile, {});
  if (!file) return {};
  const QuietLines quiet(recent, places, *file);
  if (quiet.has(last)) return last;
  return quiet.best();
}

}  // namespace redraft
