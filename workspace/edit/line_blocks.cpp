#include "workspace/edit/line_blocks.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "text/strings/blank_text.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/edit/head_line.h"

namespace redraft {
namespace {

constexpr int kMaxDepth = 32;

// Marks of long comments, whose lines may begin at any column.
constexpr std::pair<std::string_view, std::string_view> kLongComments[] = {
    {"/*", "*/"}, {"<!--", "-->"}, {"{-", "-}"}, {"(*", "*)"}};
// What a line that belongs to the one below begins with.
constexpr std::string_view kLeading[] = {"//", "/*", "*",    "#",  "--", ";",
                                         "%",  "@",  "<!--", "#[", "{-", "(*"};

class Finder {
 public:
  Finder(std::span<const std::string_view> lines, std::size_t max_bytes)
      : lines_(lines), max_bytes_(max_bytes) {
    std::string_view close;  // of the long comment that the line stands in
    int columns = 0;
    for (const std::string_view line : lines) {
      const std::string_view text = trimmed(line);
      const bool inside = !close.empty();
      if (!inside) columns = columns_of(line);
      columns_.push_back(columns);
      is_leading_.push_back(inside || leads(text));
      std::size_t from = 0;
      if (!inside) {
        for (const auto& [open, end] : kLongComments) {
          if (!text.starts_with(open)) continue;
          close = end;
          from = open.size();
        }
      }
      if (!close.empty() && text.find(close, from) != std::string_view::npos) close = {};
    }
  }

  std::vector<LineBlock> find() {
    find({0, static_cast<int>(lines_.size())}, 0);
    return std::move(blocks_);
  }

 private:
  static bool leads(std::string_view text) {
    if (text.starts_with('[') && text.ends_with(']')) return true;
    return std::ranges::any_of(kLeading, [&](auto mark) { return text.starts_with(mark); });
  }
  std::string_view text(int line) const { return trimmed(lines_[static_cast<std::size_t>(line)]); }
  bool is_blank(int line) const { return text(line).empty(); }
  int columns(int line) const { return columns_[static_cast<std::size_t>(line)]; }
  bool is_leading(int line) const { return is_leading_[static_cast<std::size_t>(line)]; }

  void find(LineWindow range, int depth) {
    int above = range.first;  // where the lines begin that lead to the next block
    for (int line = range.first; line < range.last;) {
      if (is_blank(line)) {
        above = ++line;
        continue;
      }
      const int end = end_of(line, range.last);
      const bool is_block = end - line > 1;
      if (is_block) add({above, end}, line, depth);
      // A comment leads to what is below it.
      const bool leads_on = !is_block && is_leading(line) && end < range.last && !is_blank(end) &&
                            columns(end) == columns(line);
      line = end;
      if (!leads_on) above = end;
    }
  }

  void add(LineWindow lines, int header, int depth) {
    blocks_.push_back({lines, header});
    std::size_t bytes = 0;
    for (int line = lines.first; line < lines.last; ++line)
      bytes += lines_[static_cast<std::size_t>(line)].size() + 1;
    if (bytes > max_bytes_ && depth < kMaxDepth) find({header + 1, lines.last}, depth + 1);
  }

  // Behind the block that begins with `line`.
  int end_of(int line, int last) const {
    const int level = columns(line);
    int end = line + 1;
    if (is_leading(line)) return end;
    if (end < last && opens(end) && columns(end) == level) ++end;
    for (;;) {
      int deeper = end;
      while (deeper < last && (is_blank(deeper) || columns(deeper) > level)) ++deeper;
      while (deeper > end && is_blank(deeper - 1)) --deeper;
      if (deeper == end) return end;
      end = deeper;
      const bool is_closed =
          end < last && !is_blank(end) && columns(end) == level && (closes(end) || opens(end));
      if (!is_closed) return end;
      ++end;
    }
  }

  // The bracket that begins a body, on a line of its own.
  bool opens(int line) const { return text(line) == "{" || text(line) == "("; }

  // A bracket, a closing tag, or a lone word: "}", "} else {", "</div>", "end", "endif()".
  bool closes(int line) const {
    const std::string_view own = text(line);
    if (std::string_view("})]").find(own.front()) != std::string_view::npos) return true;
    if (own.starts_with("</") || own.starts_with("/>") || own == ">") return true;
    const std::size_t word =
        static_cast<std::size_t>(std::ranges::find_if_not(own, is_name_byte) - own.begin());
    const bool rest_is_marks = own.find_first_not_of("();:,.", word) == std::string_view::npos;
    return word > 0 && std::isalpha(static_cast<unsigned char>(own.front())) && rest_is_marks;
  }

  std::span<const std::string_view> lines_;
  std::size_t max_bytes_;
  std::vector<int> columns_;      // [line]
  std::vector<bool> is_leading_;  // [line]: a comment or an attribute
  std::vector<LineBlock> blocks_;
};

}  // namespace

std::vector<LineBlock> line_blocks(std::span<const std::string_view> lines, std::size_t max_bytes) {
  return Finder(lines, max_bytes).find();
}

}  // namespace redraft
