#include "workspace/apply/change_blocks.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "indexing/syntax/syntax_tree.h"
#include "languages/languages.h"
#include "text/strings/blank_text.h"
#include "text/strings/lower_case.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "text/strings/word_list.h"
#include "workspace/apply/change_path.h"
#include "workspace/apply/diff_reader.h"
#include "workspace/apply/ellipsis.h"

namespace redraft {
namespace {

constexpr std::string_view kBlanks = " \t";
// How many fences may be the end of one block.
constexpr std::size_t kMaxEnds = 8;

struct Fence {
  std::size_t line = 0;  // of the change
  std::size_t length = 0;
  std::size_t indentation = 0;
  char mark = '`';
  std::string_view info;  // empty: it can end a block
};

std::vector<Fence> fences_of(const ChangeLines& lines) {
  std::vector<Fence> fences;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t length = fence_length(lines[i]);
    if (length == 0) continue;
    const std::string_view bare = trimmed(lines[i], kBlanks);
    const std::string_view info = trimmed(bare.substr(length), kBlanks);
    if (info.find('`') != std::string_view::npos) continue;  // code within a line
    fences.push_back({i, length, indentation_of(lines[i]).size(), bare.front(), info});
  }
  return fences;
}

std::string language_in(std::string_view info) {
  return lower_case(info.substr(0, info.find_first_of(" {:")));
}

bool is_fenced_prose(std::string_view language_id) {
  const Language* const language = find_language(language_id);
  return language != nullptr && language->content == Content::kFencedProse;
}

bool is_markdown(std::string_view name) {
  return has_word("markdown md mdx", name) || is_fenced_prose(name);
}

bool is_diff_name(std::string_view name) { return has_word("diff patch udiff", name); }

class BlockFinder {
 public:
  BlockFinder(const ChangeLines& lines, const ChangedFile& file)
      : lines_(lines), file_(file), fences_(fences_of(lines)) {}

  std::vector<ChangeBlock> all() {
    std::vector<ChangeBlock> blocks;
    for (std::size_t i = 0; i < fences_.size();) {
      const std::optional<std::size_t> end = end_of(i);
      const std::size_t begin_line = fences_[i].line + 1;
      const std::size_t end_line = end ? fences_[*end].line : lines_.size();
      ChangeBlock block{.language = language_in(fences_[i].info), .is_closed = end.has_value()};
      block.file = path_in_info(fences_[i].info);
      if (!block.file) block.file = path_above(lines_, fences_[i].line);
      block.lines.assign(at(begin_line), at(end_line));
      blocks.push_back(std::move(block));
      i = end ? *end + 1 : fences_.size();
    }
    return blocks;
  }

 private:
  ChangeLines::const_iterator at(std::size_t line) const {
    return lines_.begin() + static_cast<std::ptrdiff_t>(line);
  }

  // The fence that ends the block that fence `open` begins.
  std::optional<std::size_t> end_of(std::size_t open) const {
    std::vector<std::size_t> ends = possible_ends(open);
    if (ends.empty()) return std::nullopt;
    const std::string language = language_in(fences_[open].info);
    if (ends.size() == 1 || fences_[open].length > 3 || is_diff_name(language)) return ends.front();
    return is_fenced_prose(file_.language_id) ? end_of_prose(ends) : end_of_code(open, ends);
  }

  // The fences that end it, if those before come in pairs. A fence with a name opens one within it.
  std::vector<std::size_t> possible_ends(std::size_t open) const {
    const Fence& first = fences_[open];
    const bool is_diff = is_diff_name(language_in(first.info));
    std::vector<std::size_t> ends;
    int depth = 0;
    for (std::size_t i = open + 1; i < fences_.size() && ends.size() < kMaxEnds; ++i) {
      const Fence& fence = fences_[i];
      // The lines of a diff are indented by their mark.
      const std::size_t deepest = is_diff ? first.indentation : first.indentation + 3;
      if (fence.mark != first.mark || (is_diff && fence.indentation > deepest)) continue;
      if (!fence.info.empty()) {
        if (is_diff || first.length > 3) continue;
        // A block that was not closed before the next one, which is no part of it.
        ++depth;
      } else if (depth > 0) {
        --depth;
      } else if (fence.length >= first.length && fence.indentation <= deepest) {
        ends.push_back(i);
      }
    }
    // Every second one: what is between the others is a pair.
    std::vector<std::size_t> every_second;
    for (std::size_t i = 0; i < ends.size(); i += 2) every_second.push_back(ends[i]);
    return every_second;
  }

  // In code, a fence is within a string or a comment that ends behind it.
  std::size_t end_of_code(std::size_t open, const std::vector<std::size_t>& ends) const {
    for (const std::size_t end : ends) {
      if (parses(fences_[open].line + 1, fences_[end].line)) return end;
    }
    return ends.front();
  }

  bool parses(std::size_t begin, std::size_t end) const {
    std::vector<std::string> code;
    for (std::size_t i = begin; i < end; ++i)
      code.emplace_back(is_ellipsis(lines_[i], file_.language_id) ? std::string_view() : lines_[i]);
    const std::size_t less = least_indentation(code);
    auto text = std::make_shared<std::string>();
    for (const std::string& line : code) *text += line.substr(std::min(less, line.size())) + "\n";
    const auto tree = SyntaxTree::parse(std::move(text), file_.language_id);
    return tree && !tree->has_errors();
  }

  // In Markdown, a fence is within the text if the file has what is next to it.
  std::size_t end_of_prose(const std::vector<std::size_t>& ends) const {
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      if (!has_next_to(fences_[ends[i]].line)) return ends[i];
    }
    return ends.back();
  }

  // Whether the file has the lines right above and below a fence of the change.
  bool has_next_to(std::size_t line) const {
    const auto is_there = [&](std::size_t i) {
      return i < lines_.size() && !is_blank_text(lines_[i]) && file_.has_line(trimmed(lines_[i]));
    };
    std::size_t below = line + 1;
    while (below < lines_.size() && is_blank_text(lines_[below])) ++below;
    return is_there(below);
  }

  const ChangeLines& lines_;
  const ChangedFile& file_;
  std::vector<Fence> fences_;
};

// Whether the answer to a change of a text with fences is that text, and not prose around it: the
// file has lines that are outside of its fences.
bool is_text_itself(const ChangeLines& lines, const ChangedFile& file,
                    const std::vector<ChangeBlock>& blocks) {
  const auto is_outer = [](const ChangeBlock& block) {
    return is_markdown(block.language) || is_diff_name(block.language);
  };
  if (blocks.empty() || std::ranges::any_of(blocks, is_outer)) return blocks.empty();
  std::size_t n_blanks = 0, n_there = 0, n_outside = 0;
  const auto is_inside = [&](std::string_view line) {
    return std::ranges::any_of(blocks, [&](const ChangeBlock& block) {
      return !block.lines.empty() && line.data() >= block.lines.front().data() &&
             line.data() <= block.lines.back().data();
    });
  };
  for (const std::string_view line : lines) {
    if (is_blank_text(line) || fence_length(line) > 0) {
      ++n_blanks;
    } else if (!is_inside(line)) {
      ++n_outside;
      n_there += file.has_line(trimmed(line)) ? 1 : 0;
    }
  }
  if (n_there > 0) return true;
  const auto is_in_file = [&](const ChangeBlock& block) {
    return std::ranges::any_of(block.lines, [&](std::string_view line) {
      return !is_blank_text(line) && file.has_line(trimmed(line));
    });
  };
  return n_outside > 0 && !std::ranges::any_of(blocks, is_in_file);
}

// A comment on the first line that only states a path is no code. The head of a diff looks like a
// comment of SQL.
void take_path_from_comment(ChangeBlock& block, const ChangedFile& file) {
  if (is_diff(block, true)) return;
  const auto first = std::ranges::find_if_not(
      block.lines, [](std::string_view line) { return is_blank_text(line); });
  if (first == block.lines.end() || file.has_line(trimmed(*first))) return;
  const std::optional<std::string_view> comment = comment_text(trimmed(*first));
  if (!comment) return;
  std::optional<std::string> path = path_in_comment(*comment);
  if (!path) return;
  block.lines.erase(block.lines.begin(), first + 1);
  block.file = std::move(path);
}

}  // namespace

std::size_t fence_length(std::string_view line) {
  line = trimmed(line, kBlanks);
  if (line.empty() || (line.front() != '`' && line.front() != '~')) return 0;
  const std::size_t length = std::min(line.find_first_not_of(line.front()), line.size());
  return length >= 3 ? length : 0;
}

std::optional<std::string> path_above(const ChangeLines& lines, std::size_t line) {
  constexpr std::size_t kMaxLinesAbove = 2;
  for (std::size_t i = 1; i <= std::min(kMaxLinesAbove, line); ++i) {
    const std::string_view above = lines[line - i];
    if (!is_blank_text(above)) return path_on_line(above);
  }
  return std::nullopt;
}

std::vector<ChangeBlock> blocks_of(const ChangeLines& lines, const ChangedFile& file) {
  std::vector<ChangeBlock> blocks = BlockFinder(lines, file).all();
  if (is_fenced_prose(file.language_id) && is_text_itself(lines, file, blocks)) blocks.clear();
  if (blocks.empty()) blocks.push_back({.lines = lines, .is_fenced = false});
  // Commands for a terminal are no part of the file.
  const Language* const language = find_language(file.language_id);
  const bool is_shell = language != nullptr && language->content == Content::kShell;
  const auto is_for_shell = [&](const ChangeBlock& block) {
    return !is_shell && blocks.size() > 1 &&
           has_word("bash sh shell console zsh powershell", block.language);
  };
  std::erase_if(blocks, is_for_shell);
  for (ChangeBlock& block : blocks) take_path_from_comment(block, file);
  return blocks;
}

}  // namespace redraft
