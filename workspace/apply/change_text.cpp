#include "workspace/apply/change_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <span>
#include <utility>

#include "languages/languages.h"
#include "support/utf8/utf8.h"
#include "text/strings/blank_text.h"
#include "text/strings/lines.h"
#include "text/strings/lower_case.h"
#include "text/strings/trimmed.h"

namespace redraft {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kSearch = "<<<<<<<", kDivider = "=======", kReplace = ">>>>>>>";

// Without their line ends, "\n" or "\r\n".
Lines lines_of(std::string_view text) {
  Lines lines = split_lines(text);
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

// A part of the change that is read by itself: the lines within a fence, or all of them.
struct Block {
  std::string language;  // the language named by the fence, in lower case
  Lines lines;
};

// The length of the run of back-ticks or tildes that a line begins with, if it is a fence.
std::size_t fence_length(std::string_view line) {
  line = trimmed(line, kBlanks);
  if (line.empty() || (line.front() != '`' && line.front() != '~')) return 0;
  const std::size_t length = std::min(line.find_first_not_of(line.front()), line.size());
  return length >= 3 ? length : 0;
}

std::vector<Block> fenced_blocks(const Lines& lines) {
  std::vector<Block> blocks;
  std::string_view open;  // the fence
  for (const std::string_view line : lines) {
    const std::size_t length = fence_length(line);
    const std::string_view bare = trimmed(line, kBlanks);
    if (open.empty()) {
      if (length == 0) continue;
      open = bare.substr(0, length);
      const std::string_view info = trimmed(bare.substr(length), kBlanks);
      blocks.push_back({lower_case(info.substr(0, info.find_first_of(" {:"))), {}});
    } else if (length >= open.size() && length == bare.size() && bare.front() == open.front()) {
      open = {};
    } else {
      blocks.back().lines.push_back(line);
    }
  }
  return blocks;
}

// In a text file that has fences itself, only the fence around all of it counts.
std::vector<Block> blocks_of(const Lines& lines, const ChangedFile& file) {
  const auto first =
      std::ranges::find_if_not(lines, [](std::string_view line) { return is_blank_text(line); });
  const bool begins_with_fence = first != lines.end() && fence_length(*first) > 0;
  const Language* const language = find_language(file.language_id);
  const bool is_of_fences = language != nullptr && language->content == Content::kFencedProse;
  const bool has_fences = !is_of_fences || begins_with_fence;
  std::vector<Block> blocks = has_fences ? fenced_blocks(lines) : std::vector<Block>();
  if (blocks.empty()) return {{{}, lines}};
  // What is to be typed into a terminal is no part of the file.
  const bool is_shell = language != nullptr && language->content == Content::kShell;
  const auto is_for_shell = [&](const Block& block) {
    constexpr std::string_view kShells[] = {"bash", "sh", "shell", "console", "zsh", "powershell"};
    return !is_shell && blocks.size() > 1 &&
           std::ranges::find(kShells, block.language) != std::end(kShells);
  };
  std::erase_if(blocks, is_for_shell);
  return blocks;
}

bool is_hunk_head(std::string_view line) { return line.starts_with("@@"); }

bool is_file_head(const Lines& lines, std::size_t i) {
  return lines[i].starts_with("--- ") && i + 1 < lines.size() && lines[i + 1].starts_with("+++ ");
}

bool is_diff(const Block& block) {
  if (block.language == "diff" || block.language == "patch") return true;
  bool adds = false, removes = false, plain = false;
  for (std::size_t i = 0; i < block.lines.size(); ++i) {
    const std::string_view line = block.lines[i];
    if (is_hunk_head(line) || is_file_head(block.lines, i)) return true;
    if (line.empty()) continue;
    adds |= line.front() == '+';
    removes |= line.front() == '-';
    plain |= line.front() != '+' && line.front() != '-' && line.front() != ' ';
  }
  return adds && removes && !plain;
}

// The last component of "b/src/a.cpp", without a time stamp behind it.
std::string_view name_in_head(std::string_view head) {
  head = trimmed(head.substr(4).substr(0, head.substr(4).find('\t')));
  return head.substr(head.find_last_of('/') + 1);
}

// Parses "@@ -12,7 +12,9 @@ def main():": the number and the heading, if present.
void read_hunk_head(std::string_view head, Replaced& hunk) {
  head.remove_prefix(2);
  const std::size_t close = head.find("@@");
  const std::string_view numbers = head.substr(0, close);
  if (close == std::string_view::npos) {
    hunk.heading = trimmed(head);
  } else {
    hunk.heading = trimmed(head.substr(close + 2));
  }
  const std::size_t minus = numbers.find('-');
  if (minus == std::string_view::npos) return;
  int line = 0;
  const char* const end = numbers.data() + numbers.size();
  const auto [rest, error] = std::from_chars(numbers.data() + minus + 1, end, line);
  if (error != std::errc() || line < 1) return;
  hunk.line = line - 1;
  if (close == std::string_view::npos) hunk.heading.clear();
}

class DiffReader {
 public:
  DiffReader(const Lines& lines, const ChangedFile& file) : lines_(lines), file_(file) {}

  // Adds the hunks of the file; records the names of other files.
  void read(std::vector<Replaced>& hunks, std::vector<std::string>& others) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string_view line = lines_[i];
      if (is_file_head(lines_, i)) {
        begin_file(name_in_head(lines_[i + 1]) == "null" ? name_in_head(line)
                                                         : name_in_head(lines_[++i]));
      } else if (line.starts_with("diff --git ")) {
        in_head_ = true;
        end_hunk();
      } else if (is_hunk_head(line)) {
        in_head_ = false;
        end_hunk();
        read_hunk_head(line, hunk_);
      } else if (!in_head_ && !line.starts_with("\\ ")) {
        add(line);
      }
    }
    end_hunk();
    const bool names_it = std::ranges::any_of(
        hunks_, [&](const Named& one) { return one.file.empty() || one.file == file_.name; });
    const bool one_file = std::ranges::all_of(
        hunks_, [&](const Named& one) { return one.file == hunks_.front().file; });
    for (Named& one : hunks_) {
      const bool is_ours = one.file.empty() || one.file == file_.name || file_.name.empty();
      if (is_ours || (!names_it && one_file)) {
        hunks.push_back(std::move(one.hunk));
      } else {
        others.push_back(one.file);
      }
    }
  }

 private:
  struct Named {
    std::string file;
    Replaced hunk;
  };

  void begin_file(std::string_view name) {
    end_hunk();
    in_head_ = false;
    name_ = name;
  }

  void add(std::string_view line) {
    const char mark = line.empty() ? ' ' : line.front();
    const bool is_marked = mark == ' ' || mark == '+' || mark == '-';
    const std::string text(is_marked && !line.empty() ? line.substr(1) : line);
    if (mark != '+' && mark != '-' && is_ellipsis(text, file_.language_id) &&
        !file_.has_line(trimmed(text)))
      return end_hunk();
    if (mark != '+') hunk_.old_lines.push_back(text);
    if (mark != '-') hunk_.new_lines.push_back(text);
    changes_ |= mark == '+' || mark == '-';
  }

  // A hunk that changes nothing is dropped.
  void end_hunk() {
    const auto drop_last_blank = [](std::vector<std::string>& lines) { lines.pop_back(); };
    // Lines after a hunk in the middle of prose.
    while (!hunk_.old_lines.empty() && !hunk_.new_lines.empty() && hunk_.old_lines.back().empty() &&
           hunk_.new_lines.back().empty()) {
      drop_last_blank(hunk_.old_lines);
      drop_last_blank(hunk_.new_lines);
    }
    if (changes_) hunks_.push_back({name_, std::move(hunk_)});
    hunk_ = {};
    changes_ = false;
  }

  const Lines& lines_;
  const ChangedFile& file_;
  std::string name_;
  bool in_head_ = false;
  bool changes_ = false;
  Replaced hunk_;
  std::vector<Named> hunks_;
};

// Adds the SEARCH and REPLACE blocks; false if there are none.
bool read_search_blocks(const Lines& lines, std::vector<Replaced>& found) {
  enum class In { kNone, kOld, kNew };
  In in = In::kNone;
  Replaced one;
  const std::size_t n_before = found.size();
  for (const std::string_view line : lines) {
    if (in == In::kNone && line.starts_with(kSearch)) {
      in = In::kOld;
    } else if (in == In::kOld && line.starts_with(kDivider)) {
      in = In::kNew;
    } else if (in == In::kNew && line.starts_with(kReplace)) {
      in = In::kNone;
      found.push_back(std::exchange(one, {}));
    } else if (in != In::kNone) {
      (in == In::kOld ? one.old_lines : one.new_lines).emplace_back(line);
    }
  }
  return found.size() > n_before;
}

std::optional<CodeSnippet> snippet_of(const Lines& lines, const ChangedFile& file) {
  CodeSnippet snippet;
  for (const std::string_view line : lines) {
    if (snippet.lines.empty() && is_blank_text(line)) continue;
    const bool stays = is_ellipsis(line, file.language_id) && !file.has_line(trimmed(line));
    snippet.lines.push_back({std::string(line), stays});
  }
  while (!snippet.lines.empty() && is_blank_text(snippet.lines.back().text))
    snippet.lines.pop_back();
  const bool says_something = std::ranges::any_of(
      snippet.lines, [](const CodeSnippet::Line& line) { return !line.is_ellipsis; });
  return says_something ? std::optional(std::move(snippet)) : std::nullopt;
}

// The text within the marks of a comment; nullopt: it is not a comment.
std::optional<std::string_view> comment_text(std::string_view line) {
  constexpr std::pair<std::string_view, std::string_view> kMarks[] = {
      {"{/*", "*/}"}, {"/*", "*/"}, {"<!--", "-->"}, {"{-", "-}"}, {"//", ""},
      {"#", ""},      {"--", ""},   {";", ""},       {"%", ""},    {"(*", "*)"}};
  for (const auto& [open, close] : kMarks) {
    if (!line.starts_with(open)) continue;
    line.remove_prefix(open.size());
    if (line.ends_with(close)) line.remove_suffix(close.size());
    return trimmed(line, " \t/#-;%*");
  }
  return std::nullopt;
}

bool begins_with_dots(std::string_view text) {
  return text.starts_with("...") || text.starts_with("\u2026") || text.starts_with("[...");
}
bool ends_with_dots(std::string_view text) {
  return text.ends_with("...") || text.ends_with("\u2026") || text.ends_with("...]");
}

bool speaks_of_the_rest(std::string_view text) {
  constexpr std::string_view kWords[] = {
      "existing code",   "rest of",         "remaining code", "unchanged",    "remains the same",
      "remain the same", "same as before",  "stays the same", "code here",    "omitted",
      "other methods",   "other functions", "no changes",     "previous code"};
  const std::string small = lower_case(text);
  return std::ranges::any_of(
      kWords, [&](std::string_view words) { return small.find(words) != std::string::npos; });
}

}  // namespace

bool is_ellipsis(std::string_view line, std::string_view language_id) {
  line = trimmed(line);
  const std::optional<std::string_view> comment = comment_text(line);
  if (!comment) {
    const bool is_dots = line == "..." || line == "\u2026";
    const bool is_framed = begins_with_dots(line) && ends_with_dots(line);
    const Language* const language = find_language(language_id);
    const bool is_code = language != nullptr && language->has_ellipsis_statement;
    return (is_dots && !is_code) || (is_framed && !is_dots && speaks_of_the_rest(line));
  }
  if (begins_with_dots(*comment)) {
    constexpr std::size_t kLongest = 100;  // longer comments are explanations
    return comment->size() <= kLongest;
  }
  constexpr std::size_t kLongest = 60;
  return comment->size() <= kLongest && speaks_of_the_rest(*comment);
}

bool stands_for_code(std::string_view line) {
  const std::optional<std::string_view> comment = comment_text(trimmed(line));
  if (!comment || !begins_with_dots(*comment)) return false;
  return trimmed(*comment, ".\u2026[] ").empty() || speaks_of_the_rest(*comment);
}

Result<ProposedChange> parse_change(std::string_view text, const ChangedFile& file) {
  if (text.size() > kMaxChangeBytes)
    return Error("the change has " + std::to_string(text.size()) + " bytes; the limit is " +
                 std::to_string(kMaxChangeBytes) + " bytes");
  if (const auto invalid = first_invalid_utf8(text))
    return Error("the change is not UTF-8 text at byte " + std::to_string(*invalid));
  if (text.find('\0') != std::string_view::npos) return Error("the change has a NUL byte");
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const Lines lines = lines_of(text);
  ProposedChange change;
  std::vector<std::string> others;
  // Their marks are not fences, and may be inside or outside of one.
  if (read_search_blocks(lines, change.replaced)) return change;
  for (const Block& block : blocks_of(lines, file)) {
    if (is_diff(block)) {
      DiffReader(block.lines, file).read(change.replaced, others);
    } else if (std::optional<CodeSnippet> snippet = snippet_of(block.lines, file)) {
      change.snippets.push_back(std::move(*snippet));
    }
  }
  if (!change.replaced.empty() || !change.snippets.empty()) return change;
  if (!others.empty())
    return Error("the change is for " + others.front() + ", not for " + file.name);
  return Error(trimmed(text).empty() ? "the change is empty: copy some code first"
                                     : "the change contains no code");
}

}  // namespace redraft
