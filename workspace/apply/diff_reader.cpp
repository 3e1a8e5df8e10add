#include "workspace/apply/diff_reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "text/strings/trimmed.h"
#include "text/strings/word_list.h"
#include "workspace/apply/change_path.h"
#include "workspace/apply/ellipsis.h"

namespace redraft {
namespace {

constexpr std::string_view kBeginPatch = "*** Begin Patch", kEndPatch = "*** End Patch",
                           kUpdateFile = "*** Update File: ", kAddFile = "*** Add File: ",
                           kDeleteFile = "*** Delete File: ", kMoveTo = "*** Move to: ",
                           kEndOfFile = "*** End of File";

bool is_hunk_head(std::string_view line) { return line.starts_with("@@"); }

bool is_file_head(const ChangeLines& lines, std::size_t i) {
  return lines[i].starts_with("--- ") && i + 1 < lines.size() && lines[i + 1].starts_with("+++ ");
}

bool is_codex_file(std::string_view line) {
  return line.starts_with(kUpdateFile) || line.starts_with(kAddFile) ||
         line.starts_with(kDeleteFile);
}

// The path in "+++ b/src/a.cpp", without a time stamp behind it.
std::string path_in_head(std::string_view head) {
  head.remove_prefix(4);
  return plain_path(head.substr(0, head.find('\t')), true);
}

// The numbers of "@@ -12,7 +12,9 @@": where both sides begin, from 1, and how many lines they have.
struct HunkNumbers {
  int old_line = 0, n_old = 1, new_line = 0, n_new = 1;
};

std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// "12,7" or "12" behind `mark`.
bool take_range(std::string_view& text, char mark, int& line, int& count) {
  text = trimmed(text);
  if (!text.starts_with(mark)) return false;
  text.remove_prefix(1);
  const std::optional<int> first = take_number(text);
  if (!first) return false;
  line = *first;
  if (!text.starts_with(',')) return true;
  text.remove_prefix(1);
  const std::optional<int> second = take_number(text);
  if (second) count = *second;
  return second.has_value();
}

class DiffReader {
 public:
  DiffReader(const ChangeLines& lines, const ChangedFile& file) : lines_(lines), file_(file) {
    for (std::size_t i = 0; i < lines.size(); ++i)
      in_head_ |= is_hunk_head(lines[i]) || is_file_head(lines, i) || is_codex_file(lines[i]);
  }

  std::vector<Replaced> read() {
    for (std::size_t i = 0; i < lines_.size(); ++i) i += read_line(i);
    end_file();
    return std::move(hunks_);
  }

 private:
  // Returns how many further lines were read.
  std::size_t read_line(std::size_t i) {
    const std::string_view line = lines_[i];
    if (begins_file(i)) {
      end_file();
      files_ = {path_in_head(line), path_in_head(lines_[i + 1])};
      std::erase(files_, std::string());
      return 1;
    }
    if (is_codex_file(line)) {
      end_file();
      files_ = {plain_path(line.substr(line.find(':') + 1))};
      is_creation_ = line.starts_with(kAddFile);
      if (line.starts_with(kDeleteFile)) add_doubtful("the change deletes the file");
    } else if (line.starts_with(kMoveTo)) {
      files_.push_back(plain_path(line.substr(kMoveTo.size())));
    } else if (line.starts_with("diff --git ") || is_end(i)) {
      end_file();
    } else if (trimmed(line) == kEndOfFile) {
      hunk_.ends_file = true;
    } else if (is_hunk_head(line)) {
      begin_hunk(line);
    } else if (line.starts_with("\\ ")) {
      note_missing_newline();
    } else if (!in_head_) {
      add(line);
    }
    return 0;
  }

  bool begins_file(std::size_t i) const {
    if (!is_file_head(lines_, i)) return false;
    const bool has_hunk = i + 2 < lines_.size() && is_hunk_head(lines_[i + 2]);
    return has_hunk || n_old_left_ + n_new_left_ <= 0;
  }

  // The end of a patch, or the signature of a mail: "-- ", and the version of git.
  bool is_end(std::size_t i) const {
    const std::string_view line = lines_[i];
    if (line.starts_with(kEndPatch) || line.starts_with(kBeginPatch)) return true;
    if (line.starts_with("```") && !in_head_) return true;
    if (line != "-- " && line != "--") return false;
    const bool is_last = i + 1 == lines_.size();
    if (is_last) return n_old_left_ <= 0;
    const std::string_view next = lines_[i + 1];
    return !next.empty() && std::isdigit(static_cast<unsigned char>(next.front())) != 0 &&
           next.find('.') != std::string_view::npos && next.size() < 40;
  }

  void end_file() {
    end_hunk();
    check_numbers();
    first_of_file_ = hunks_.size();
    numbers_.clear();
    files_.clear();
    in_head_ = true;
    is_creation_ = false;
  }

  void begin_hunk(std::string_view head) {
    const bool adds_heading = !in_head_ && is_empty_hunk() && !hunk_.headings.empty();
    if (!adds_heading) end_hunk();
    in_head_ = false;
    head.remove_prefix(2);
    const std::size_t close = head.find("@@");
    std::string_view numbers = head.substr(0, close);
    HunkNumbers read;
    if (take_range(numbers, '-', read.old_line, read.n_old)) {
      has_numbers_ = take_range(numbers, '+', read.new_line, read.n_new);
      read_ = read;
      hunk_.line = std::max(read.old_line - 1, 0);
      n_old_left_ = has_numbers_ ? read.n_old : 0;
      n_new_left_ = has_numbers_ ? read.n_new : 0;
      head = close == std::string_view::npos ? std::string_view() : head.substr(close + 2);
    } else if (close != std::string_view::npos) {
      head = head.substr(close + 2);
    }
    head = trimmed(head);
    if (!head.empty() && head != "...") hunk_.headings.emplace_back(head);
  }

  bool is_empty_hunk() const {
    return hunk_.old_lines.empty() && hunk_.new_lines.empty() && !hunk_.line;
  }

  void add(std::string_view line) {
    const char mark = line.empty() ? ' ' : line.front();
    const bool is_marked = mark == ' ' || mark == '+' || mark == '-';
    const bool is_change = mark == '+' || mark == '-';
    // What follows a hunk that has all of its lines is prose, unless the numbers were wrong.
    if (has_numbers_ && n_old_left_ <= 0 && n_new_left_ <= 0 && !is_change && !is_marked) {
      in_head_ = true;
      return;
    }
    const std::string text(is_marked && !line.empty() ? line.substr(1) : line);
    if (!is_change && is_ellipsis(text, file_.language_id) && !file_.has_line(trimmed(text))) {
      std::vector<std::string> headings = hunk_.headings;
      end_hunk();
      hunk_.headings = std::move(headings);
      return;
    }
    if (is_change) mark_change();
    if (mark != '+') hunk_.old_lines.push_back(text);
    if (mark != '-') hunk_.new_lines.push_back(text);
    if (is_change) {
      hunk_.marked.back().old_end = static_cast<int>(hunk_.old_lines.size());
      hunk_.marked.back().new_end = static_cast<int>(hunk_.new_lines.size());
    }
    n_old_left_ -= mark != '+' ? 1 : 0;
    n_new_left_ -= mark != '-' ? 1 : 0;
    changes_ |= is_change;
    last_mark_ = mark;
  }

  // Begins another change, unless the last one goes on.
  void mark_change() {
    const auto n_old = static_cast<int>(hunk_.old_lines.size());
    const auto n_new = static_cast<int>(hunk_.new_lines.size());
    const bool goes_on = !hunk_.marked.empty() && hunk_.marked.back().old_end == n_old &&
                         hunk_.marked.back().new_end == n_new;
    if (!goes_on) hunk_.marked.push_back({n_old, n_old, n_new, n_new});
  }

  void note_missing_newline() {
    lacks_newline_before_ |= last_mark_ != '+';
    lacks_newline_after_ |= last_mark_ != '-';
  }

  // A hunk that changes nothing is dropped.
  void end_hunk() {
    const bool counts_fit = has_numbers_ && n_old_left_ == 0 && n_new_left_ == 0;
    if (!counts_fit) drop_blank_lines_behind();
    if (lacks_newline_before_ != lacks_newline_after_) {
      hunk_.final_newline =
          lacks_newline_after_ ? Replaced::FinalNewline::kRemoved : Replaced::FinalNewline::kAdded;
    }
    if (changes_) {
      hunk_.files = files_;
      hunk_.is_of_diff = true;
      if (is_creation_) hunk_.doubt = "the change creates the file, which is there already";
      if (counts_fit) numbers_.push_back(read_);
      hunks_.push_back(std::move(hunk_));
    }
    hunk_ = {};
    changes_ = has_numbers_ = lacks_newline_before_ = lacks_newline_after_ = false;
    n_old_left_ = n_new_left_ = 0;
    last_mark_ = ' ';
  }

  // Blank lines between a hunk and prose.
  void drop_blank_lines_behind() {
    while (!hunk_.old_lines.empty() && !hunk_.new_lines.empty() && hunk_.old_lines.back().empty() &&
           hunk_.new_lines.back().empty()) {
      hunk_.old_lines.pop_back();
      hunk_.new_lines.pop_back();
      const auto n_old = static_cast<int>(hunk_.old_lines.size());
      const auto n_new = static_cast<int>(hunk_.new_lines.size());
      if (!hunk_.marked.empty() &&
          (hunk_.marked.back().old_end > n_old || hunk_.marked.back().new_end > n_new))
        hunk_.marked.clear();
    }
  }

  void add_doubtful(const char* doubt) {
    Replaced hunk;
    hunk.files = files_;
    hunk.doubt = doubt;
    hunks_.push_back(std::move(hunk));
  }

  // Whether each hunk begins, in the new file, where those before it have moved it to.
  void check_numbers() {
    bool agree = numbers_.size() == hunks_.size() - first_of_file_;
    int moved = 0;
    for (const HunkNumbers& one : numbers_) {
      // An empty side states the line before it.
      const int begin = one.old_line + (one.n_old == 0 ? 1 : 0);
      const int new_begin = one.new_line + (one.n_new == 0 ? 1 : 0);
      agree &= new_begin == begin + moved && begin > 0;
      moved += one.n_new - one.n_old;
    }
    if (!agree) return;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      Replaced& hunk = hunks_[first_of_file_ + i];
      hunk.has_sure_numbers = true;
      hunk.new_line = numbers_[i].new_line - (numbers_[i].n_new == 0 ? 0 : 1);
      if (numbers_[i].n_old == 0) hunk.line = numbers_[i].old_line;
    }
  }

  const ChangeLines& lines_;
  const ChangedFile& file_;
  std::vector<std::string> files_;
  bool is_creation_ = false;
  bool in_head_ = false;  // outside of hunks
  std::vector<Replaced> hunks_;
  std::size_t first_of_file_ = 0;     // of hunks_
  std::vector<HunkNumbers> numbers_;  // of the file's hunks whose lines they count

  // The hunk that is read.
  Replaced hunk_;
  bool changes_ = false;
  bool has_numbers_ = false;
  HunkNumbers read_;
  int n_old_left_ = 0, n_new_left_ = 0;
  char last_mark_ = ' ';
  bool lacks_newline_before_ = false, lacks_newline_after_ = false;
};

}  // namespace

bool is_diff(const ChangeBlock& block, bool is_prose) {
  if (has_word("diff patch udiff", block.language)) return true;
  bool adds = false, removes = false, plain = false;
  for (std::size_t i = 0; i < block.lines.size(); ++i) {
    const std::string_view line = block.lines[i];
    if (is_file_head(block.lines, i)) return true;
    if (is_hunk_head(line) && (!is_prose || line.find("@@", 2) != std::string_view::npos))
      return true;
    if (line.empty()) continue;
    adds |= line.front() == '+';
    removes |= line.front() == '-';
    plain |= line.front() != '+' && line.front() != '-' && line.front() != ' ';
  }
  return adds && removes && !plain && !is_prose;
}

std::vector<Replaced> read_diff(const ChangeLines& lines, const ChangedFile& file) {
  return DiffReader(lines, file).read();
}

ChangeLines codex_patches(const ChangeLines& lines) {
  ChangeLines patches;
  bool inside = false;
  for (const std::string_view line : lines) {
    if (trimmed(line) == kBeginPatch || (!inside && is_codex_file(line))) inside = true;
    if (inside) patches.push_back(line);
    if (trimmed(line) == kEndPatch) inside = false;
  }
  return patches;
}

}  // namespace redraft
