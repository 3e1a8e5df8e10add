#include "workspace/next_edit/repeated_change.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "text/strings/trimmed.h"
#include "workspace/documents/edit_region.h"
#include "workspace/documents/reindent.h"
#include "workspace/next_edit/change_words.h"
#include "workspace/next_edit/line_rewrite.h"
#include "workspace/next_edit/literal_changes.h"

namespace redraft {
namespace {

// Lines with fewer words are too common to compare: "}", "return".
constexpr int kMinWords = 2;
// The maximum number of changed lines that are compared in pairs.
constexpr std::size_t kMaxPairs = 24;
// The maximum number of rules from them that are searched.
constexpr std::size_t kMaxRules = 4;
// A rule with fewer words only applies to the documents in which it was found.
constexpr int kMinWordsElsewhere = 3;

using Lines = std::span<const std::string>;

int count_words(Lines lines) {
  int words = 0;
  for (const std::string& line : lines)
    words += static_cast<int>(std::ranges::count_if(words_of(line), is_word));
  return words;
}

bool same(std::string_view a, std::string_view b) { return trimmed(a) == trimmed(b); }

template <typename A, typename B>
bool same_lines(const A& a, const B& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return same(x, y); });
}

// How many more of each bracket are opened than closed, and whether quotes are left open.
std::array<int, 6> open_ends(Lines lines) {
  constexpr std::string_view kPairs = "()[]{}", kQuotes = "\"'`";
  std::array<int, 6> ends = {};
  for (const std::string& line : lines) {
    for (const char c : line) {
      if (const std::size_t at = kPairs.find(c); at != std::string_view::npos)
        ends[at / 2] += at % 2 == 0 ? 1 : -1;
      if (const std::size_t at = kQuotes.find(c); at != std::string_view::npos) ends[3 + at] ^= 1;
    }
  }
  return ends;
}

// Changed lines of a document, in its current version.
struct ChangedLines {
  int begin, end;
};

// The lines of a document, with the changed ones listed separately.
class SearchedFile {
 public:
  SearchedFile(EditRegion file, const std::vector<RecentChange>& recent) : file_(std::move(file)) {
    for (const RecentChange& change : recent) {
      if (change.document->uri() == file_.document().uri())
        changed_.push_back({change.line, change.end_line()});
    }
  }

  const EditRegion& file() const { return file_; }
  int size() const { return static_cast<int>(file_.lines().size()); }
  std::string_view line(int at) const { return file_.lines()[static_cast<std::size_t>(at)]; }
  // The end of the change that is last in the order of lines; -1: there is none.
  int latest() const { return changed_.empty() ? -1 : changed_.back().end; }

  bool has(Lines lines, int at) const {
    const auto count = static_cast<int>(lines.size());
    return at + count <= size() && same(line(at), lines.front()) &&
           same_lines(std::span(file_.lines()).subspan(static_cast<std::size_t>(at), lines.size()),
                      lines) &&
           is_unchanged(at, at + count);
  }
  // An empty range is a place between two lines.
  bool is_unchanged(int begin, int end) const {
    return std::ranges::none_of(changed_, [&](const ChangedLines& each) {
      return begin == end ? each.begin <= begin && begin <= each.end
                          : (begin < each.end && each.begin < end) ||
                                (each.begin == each.end && begin < each.begin && each.begin < end);
    });
  }

 private:
  EditRegion file_;
  std::vector<ChangedLines> changed_;  // ascending
};

bool is_example(const RecentChange& change) {
  if (change.before.empty()) {
    return change.after.size() == 1 && count_words(change.after) > 0;
  }
  return count_words(change.before) >= kMinWords && change.after.size() <= change.before.size() &&
         !same_lines(change.before, change.after) &&
         (change.after.empty() || open_ends(change.before) == open_ends(change.after));
}

bool is_same_example(const RecentChange& a, const RecentChange& b) {
  return same_lines(a.before, b.before) && same_lines(a.after, b.after);
}

class Search {
 public:
  Search(const std::vector<RecentChange>& recent, const std::vector<SearchedFile>& files,
         const std::set<std::string>& known, const IsUnwanted& is_unwanted,
         const std::stop_token& stop)
      : recent_(recent),
        files_(files),
        known_(known),
        is_unwanted_(is_unwanted),
        stop_(stop),
        literals_(recent) {}

  std::optional<CertainEdit> find() {
    for (const RecentChange& change : recent_) {
      if (!is_example(change) || is_turned_back(change) || is_known(change.before)) continue;
      if (change.after.empty() && !is_made_twice(change)) continue;
      if (literals_.is_by_chance(change.before, change.after)) continue;
      if (change.before.empty()) {
        look_for_insertions(change);
      } else if (!is_series_ended(change)) {
        look_for_replacements(change);
      }
    }
    look_for_lines_alike();
    return std::move(best_);
  }

 private:
  bool is_known(Lines lines) const {
    return std::ranges::any_of(lines, [&](const std::string& line) {
      return std::ranges::any_of(words_of(line), [&](std::string_view word) {
        return known_.contains(std::string(word));
      });
    });
  }

  bool is_made_twice(const RecentChange& change) const {
    return std::ranges::count_if(recent_, [&](const RecentChange& other) {
             return is_same_example(change, other);
           }) > 1;
  }

  bool is_turned_back(const RecentChange& change) const {
    return std::ranges::any_of(recent_, [&](const RecentChange& other) {
      return same_lines(change.before, other.after) && same_lines(change.after, other.before);
    });
  }

  // Null: its document is not searched.
  const SearchedFile* file_of(const RecentChange& change) const {
    const auto file = std::ranges::find_if(files_, [&](const SearchedFile& each) {
      return each.file().document().uri() == change.document->uri();
    });
    return file == files_.end() ? nullptr : &*file;
  }

  // Whether lines between the first and the last of the equally changed places were passed over.
  bool is_series_ended(const RecentChange& change) const {
    int first = change.line, last = change.line;
    for (const RecentChange& other : recent_) {
      if (other.document->uri() != change.document->uri() || !is_same_example(change, other))
        continue;
      first = std::min(first, other.line);
      last = std::max(last, other.line);
    }
    const SearchedFile* const file = file_of(change);
    if (file == nullptr) return false;
    for (int line = first; line < last; ++line) {
      if (file->has(change.before, line)) return true;
    }
    return false;
  }

  void look_for_replacements(const RecentChange& change) {
    for (const SearchedFile& file : files_) {
      for (int line = 0; line < file.size(); ++line) {
        if (!file.has(change.before, line)) continue;
        auto lines = Reindent::between(change.before.front(), file.line(line))(change.after);
        const int end = line + static_cast<int>(change.before.size());
        if (lines) offer(file, {line, end, std::move(*lines)});
      }
    }
  }

  void look_for_insertions(const RecentChange& change) {
    const SearchedFile* const file = file_of(change);
    if (file == nullptr || change.line < 1 || change.end_line() >= file->size()) return;
    const std::string_view above = file->line(change.line - 1);
    const std::string_view below = file->line(change.end_line());
    if (trimmed(above).empty() || trimmed(below).empty()) return;
    for (const SearchedFile& other : files_) {
      for (int line = 1; line < other.size(); ++line) {
        if (!same(other.line(line - 1), above) || !same(other.line(line), below) ||
            !other.is_unchanged(line, line))
          continue;
        auto lines = Reindent::between(below, other.line(line))(change.after);
        if (lines) offer(other, {line, line, std::move(*lines)});
      }
    }
  }

  // Two lines that were changed alike show how to change others. A rule that also makes the changes
  // of other pairs is at least as general as theirs.
  void look_for_lines_alike() {
    const std::vector<LinePair> pairs = line_pairs(recent_, kMaxPairs);
    std::vector<std::vector<const LinePair*>> found;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      for (std::size_t j = 0; j < i && found.size() < kMaxRules; ++j) {
        const LinePair &a = pairs[i], &b = pairs[j];
        const bool is_known = std::ranges::any_of(found, [&](const auto& made) {
          return std::ranges::count(made, &a) + std::ranges::count(made, &b) == 2;
        });
        if (is_known || a.before == b.before || is_turned_back(a, pairs) ||
            is_turned_back(b, pairs))
          continue;
        const auto rewrite = LineRewrite::learn(a, b);
        if (!rewrite) continue;
        std::vector<const LinePair*>& made = found.emplace_back();
        for (const LinePair& each : pairs) {
          if (rewrite->apply(each.before) == each.after) made.push_back(&each);
        }
        look_for_rewritten(*rewrite, made);
      }
    }
  }

  static bool is_turned_back(const LinePair& pair, const std::vector<LinePair>& pairs) {
    return std::ranges::any_of(pairs, [&](const LinePair& other) {
      return pair.before == other.after && pair.after == other.before;
    });
  }

  // `made`: the lines that were changed in this way.
  void look_for_rewritten(const LineRewrite& rewrite, const std::vector<const LinePair*>& made) {
    struct Place {
      const SearchedFile* file;
      LineChange change;
    };
    std::vector<Place> places;
    for (const SearchedFile& file : files_) {
      const Document& document = file.file().document();
      if (document.language() != made.front()->change->document->language()) continue;
      int first = file.size(), last = -1;
      for (const LinePair* pair : made) {
        if (pair->change->document->uri() != document.uri()) continue;
        first = std::min(first, pair->line);
        last = std::max(last, pair->line);
      }
      if (last < 0 && rewrite.words() < kMinWordsElsewhere) continue;
      for (int line = 0; line < file.size() && !stop_.stop_requested(); ++line) {
        std::optional<std::string> after = rewrite.apply(file.line(line));
        if (!after || !file.is_unchanged(line, line + 1)) continue;
        const std::string before(file.line(line));
        if (is_known(std::span(&before, 1)) ||
            open_ends(std::span(&before, 1)) != open_ends(std::span(&*after, 1)))
          continue;
        if (first < line && line < last) return;  // passed over
        places.push_back({&file, {line, line + 1, {std::move(*after)}}});
      }
    }
    for (const Place& place : places) offer(*place.file, place.change);
  }

  // The next in reading order comes first, then the nearest above, then other documents.
  void offer(const SearchedFile& file, const LineChange& change) {
    const int latest = file.latest(), line = change.old_begin;
    const Order order(latest < 0, line < latest, std::abs(line - latest));
    if (best_ && best_order_ <= order) return;
    TextEdit edit = file.file().edit(change);
    if (is_unwanted_ && is_unwanted_(file.file().document(), edit)) return;
    best_ = CertainEdit{file.file().shared_document(), std::move(edit)};
    best_order_ = order;
  }

  using Order = std::tuple<bool, bool, int>;

  const std::vector<RecentChange>& recent_;
  const std::vector<SearchedFile>& files_;
  const std::set<std::string>& known_;
  const IsUnwanted& is_unwanted_;
  const std::stop_token& stop_;
  LiteralChanges literals_;
  std::optional<CertainEdit> best_;
  Order best_order_;
};

}  // namespace

std::optional<CertainEdit> find_repeated_change(
    const std::vector<RecentChange>& recent,
    const std::vector<std::shared_ptr<const Document>>& documents,
    const std::set<std::string>& known, const IsUnwanted& is_unwanted,
    const std::stop_token& stop) {
  if (recent.empty()) return std::nullopt;
  std::vector<SearchedFile> files;
  for (const auto& document : documents) {
    if (document->text().size() > kMaxBytesCompared) continue;
    Result<EditRegion> file = EditRegion::make(document, EditScope::kFile, {});
    if (file && !file->lines().empty()) files.emplace_back(std::move(*file), recent);
  }
  return Search(recent, files, known, is_unwanted, stop).find();
}

}  // namespace redraft
