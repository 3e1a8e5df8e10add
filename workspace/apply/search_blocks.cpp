#include "workspace/apply/search_blocks.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "text/strings/blank_text.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/apply/change_path.h"
#include "workspace/apply/ellipsis.h"
#include "workspace/apply/line_alignment.h"

namespace redraft {
namespace {

using Strings = std::vector<std::string>;

// How many ways of dividing a block are compared.
constexpr std::size_t kMaxDivisions = 64;
constexpr std::size_t kMinMark = 5, kMaxMark = 9;

// The text behind a run of `mark`; nullopt: the line does not begin with such a run.
std::optional<std::string_view> behind_mark(std::string_view line, char mark) {
  line = trimmed(line);
  const std::size_t length = std::min(line.find_first_not_of(mark), line.size());
  if (length < kMinMark || length > kMaxMark) return std::nullopt;
  return trimmed(line.substr(length));
}

bool has_mark(std::string_view line, char mark, std::string_view word, std::string_view other) {
  const std::optional<std::string_view> rest = behind_mark(line, mark);
  return rest && (rest->starts_with(word) || rest->starts_with(other));
}

bool opens(std::string_view line) {
  return has_mark(line, '<', "SEARCH", "ORIGINAL") || has_mark(line, '-', "SEARCH", "ORIGINAL");
}
bool closes(std::string_view line) {
  return has_mark(line, '>', "REPLACE", "UPDATED") || has_mark(line, '+', "REPLACE", "UPDATED");
}
bool divides(std::string_view line) { return behind_mark(line, '=') == std::string_view(); }

bool has_text(const Strings& lines) {
  return std::ranges::any_of(lines, [](const std::string& line) { return is_telling(line); });
}

// Whether the lines have a whole conflict of git: its first and its last mark.
bool has_whole_conflict(const Strings& lines) {
  const auto count = [&](char mark) {
    return std::ranges::count_if(lines, [&](const std::string& line) {
      return line.size() > 7 && line[7] == ' ' && behind_mark(line, mark).has_value();
    });
  };
  return count('<') > 0 && count('<') == count('>');
}

class Reader {
 public:
  Reader(const ChangeLines& lines, const ChangedFile& file, ProposedChange& change,
         ChangeLines& outside)
      : lines_(lines), file_(file), change_(change), outside_(outside) {}

  bool read() {
    const bool is_named = std::ranges::any_of(lines_, opens);
    bool found = false;
    for (std::size_t i = 0; i < lines_.size();) {
      const bool begins = is_named ? opens(lines_[i]) : is_conflict_mark(i, '<');
      if (!begins) {
        outside_.push_back(lines_[i++]);
        continue;
      }
      const std::size_t end = read_block(i, is_named);
      found |= end > i + 1 || is_named;
      if (end == i + 1) outside_.push_back(lines_[i]);
      i = end;
    }
    return found;
  }

 private:
  // A mark of git, which some assistants write in place of SEARCH and REPLACE.
  bool is_conflict_mark(std::size_t i, char mark) const {
    return lines_[i].starts_with(std::string(7, mark)) && !file_.has_line(trimmed(lines_[i]));
  }

  // Returns the line behind the block.
  std::size_t read_block(std::size_t begin, bool is_named) {
    std::vector<std::size_t> ends;
    for (std::size_t i = begin + 1; i < lines_.size(); ++i) {
      if (is_named ? closes(lines_[i]) : is_conflict_mark(i, '>')) ends.push_back(i);
      const bool is_next = opens(lines_[i]) && !file_.has_line(trimmed(lines_[i]));
      if (is_next && ends.empty()) return incomplete(i);
      if (is_next) break;
    }
    std::optional<Replaced> block;
    std::size_t end = 0;
    for (const std::size_t one : ends) {
      std::optional<Replaced> divided = divide(begin, one);
      if (!divided) continue;
      const bool fits = divided->doubt.empty();
      if (fits || !block) {
        block = std::move(divided);
        end = one;
      }
      if (fits) break;
    }
    if (!block && !is_named) return begin + 1;
    if (!block) return incomplete(ends.empty() ? lines_.size() : ends.front() + 1);
    state_file(begin, *block);
    add(std::move(*block));
    return end + 1;
  }

  std::size_t incomplete(std::size_t end) {
    change_.doubt = "a SEARCH block is incomplete: the change may be cut off";
    return end;
  }

  // Where the file is stated: above the block, or above the fence around it.
  void state_file(std::size_t begin, Replaced& block) {
    std::optional<std::string> path;
    std::size_t at = begin;
    constexpr int kMaxLinesAbove = 5;
    for (int n = 0; n < kMaxLinesAbove && at > 0 && !path; ++n) {
      const std::string_view above = lines_[--at];
      if (closes(above)) break;
      if (fence_length(above) > 0) {
        const std::string_view bare = trimmed(above);
        path = path_in_info(bare.substr(fence_length(above)));
        continue;
      }
      if (is_blank_text(above)) continue;
      path = path_on_line(above);
      if (!path && !above.starts_with('<')) break;
    }
    if (path) block.files = {*path};
  }

  void add(Replaced block) {
    std::vector<Replaced> parts = at_ellipses(block);
    std::ranges::move(parts, std::back_inserter(change_.replaced));
  }

  // An ellipsis on both sides represents lines that stay.
  std::vector<Replaced> at_ellipses(const Replaced& block) const {
    const auto split = [&](const Strings& lines) {
      std::vector<Strings> parts(1);
      for (const std::string& line : lines) {
        const bool is_dots = trimmed(line) == "..." || is_ellipsis(line, file_.language_id);
        if (is_dots && !file_.has_line(trimmed(line)))
          parts.emplace_back();
        else
          parts.back().push_back(line);
      }
      return parts;
    };
    std::vector<Strings> old_parts = split(block.old_lines), new_parts = split(block.new_lines);
    if (old_parts.size() == 1 || old_parts.size() != new_parts.size()) return {block};
    std::vector<Replaced> parts;
    for (std::size_t i = 0; i < old_parts.size(); ++i) {
      if (old_parts[i] == new_parts[i]) continue;
      Replaced part = block;
      part.old_lines = std::move(old_parts[i]);
      part.new_lines = std::move(new_parts[i]);
      if (i > 0) part.line = std::nullopt;
      parts.push_back(std::move(part));
    }
    return parts;
  }

  // The lines between `begin` and `end` as the two sides of a block; nullopt: nothing divides them.
  // Its doubt says that it is not clear where.
  std::optional<Replaced> divide(std::size_t begin, std::size_t end) const {
    Replaced head;
    const std::size_t first = behind_numbers(begin + 1, end, head);
    std::vector<Replaced> ways;
    for (std::size_t i = first; i < end && ways.size() < kMaxDivisions; ++i) {
      if (!divides(lines_[i])) continue;
      Replaced way = head;
      way.old_lines = texts(begin, first, i);
      way.new_lines = texts(begin, i + 1, end);
      ways.push_back(std::move(way));
    }
    if (ways.empty()) return std::nullopt;
    if (ways.size() == 1) return ways.front();
    return best(ways);
  }

  Replaced best(std::vector<Replaced>& ways) const {
    constexpr const char* kUnclear = "it is not clear where the SEARCH text of a block ends";
    const auto n_dividers = [](const Strings& lines) {
      return std::ranges::count_if(lines, divides);
    };
    std::vector<std::size_t> fitting, done;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const Replaced& way = ways[i];
      if (file_.count_of(way.old_lines) > 0) fitting.push_back(i);
      const bool is_even = n_dividers(way.old_lines) == n_dividers(way.new_lines);
      if (is_even && has_text(way.new_lines) && file_.count_of(way.new_lines) > 0)
        done.push_back(i);
    }
    // The file has the new text already, with more of the block than any old text that it has.
    if (done.size() == 1 && (fitting.empty() || fitting.back() < done.front()))
      return std::move(ways[done.front()]);
    if (fitting.empty()) {
      ways.front().doubt = kUnclear;
      return std::move(ways.front());
    }
    Replaced& longest = ways[fitting.back()];
    const bool is_clear = fitting.size() == 1 || has_whole_conflict(longest.old_lines) ||
                          n_dividers(longest.new_lines) > 0;
    if (!is_clear) longest.doubt = kUnclear;
    return std::move(longest);
  }

  // Reads the lines with numbers that Roo writes above the text.
  std::size_t behind_numbers(std::size_t begin, std::size_t end, Replaced& block) const {
    std::size_t at = begin;
    for (; at < end; ++at) {
      std::string_view line = trimmed(lines_[at]);
      if (!line.starts_with(":start_line:") && !line.starts_with(":end_line:")) break;
      if (!line.starts_with(":start_line:")) continue;
      line = trimmed(line.substr(line.rfind(':') + 1));
      int number = 0;
      const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), number);
      if (error == std::errc() && number > 0) block.line = number - 1;
    }
    const bool has_rule = at < end && at > begin && trimmed(lines_[at]) == "-------";
    return has_rule ? at + 1 : at;
  }

  // Without the indentation of the block's first mark, and without the backslash before lines that
  // look like marks.
  Strings texts(std::size_t mark, std::size_t begin, std::size_t end) const {
    const std::size_t deep = indentation_of(lines_[mark]).size();
    Strings texts;
    for (std::size_t i = begin; i < end; ++i) {
      std::string_view line = lines_[i];
      line.remove_prefix(std::min(deep, indentation_of(line).size()));
      const bool is_escaped = line.starts_with('\\') && line.size() > kMinMark &&
                              std::ranges::any_of(std::string_view("<=>-|"), [&](char sign) {
                                return line.substr(1).starts_with(std::string(kMinMark, sign));
                              });
      if (is_escaped && !file_.has_line(trimmed(line))) line.remove_prefix(1);
      texts.emplace_back(line);
    }
    return texts;
  }

  const ChangeLines& lines_;
  const ChangedFile& file_;
  ProposedChange& change_;
  ChangeLines& outside_;
};

}  // namespace

bool read_search_blocks(const ChangeLines& lines, const ChangedFile& file, ProposedChange& change,
                        ChangeLines& outside) {
  return Reader(lines, file, change, outside).read();
}

}  // namespace redraft
