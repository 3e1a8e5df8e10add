#include "workspace/next_edit/next_edit_prompt.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "text/strings/joined.h"

namespace redraft {
namespace {

using Change = NextEditQuestion::Change;
using RelatedText = NextEditQuestion::RelatedText;
using Lines = std::vector<std::string>;

constexpr const char* kCut = "...";

// Joins lines without the last line's ending.
template <typename Range>
std::string without_last_end(const Range& lines) {
  return joined(lines, "\n");
}

template <typename Range>
std::string with_endings(const Range& lines) {
  std::string text = without_last_end(lines);
  return std::ranges::empty(lines) ? text : text + '\n';
}

// Leaves out the middle of many lines.
Lines shortened_to(const Lines& lines, int most) {
  const auto count = static_cast<int>(lines.size());
  if (count <= most) return lines;
  const int head = most / 2, tail = most - head - 1;
  Lines kept(lines.begin(), lines.begin() + head);
  kept.emplace_back(kCut);
  kept.insert(kept.end(), lines.end() - tail, lines.end());
  return kept;
}

std::string hunk_of(const Change& change, int most) {
  const auto side = [&](const Lines& lines, std::size_t first) {
    return std::to_string(first) + "," +
           std::to_string(change.above.size() + lines.size() + change.below.size());
  };
  const std::size_t first = static_cast<std::size_t>(change.line) - change.above.size() + 1;
  std::string text = "@@ -" + side(change.before, first) + " +" + side(change.after, first) + " @@";
  const auto add = [&](char sign, const Lines& lines) {
    for (const std::string& line : lines) text += std::string("\n") + sign + line;
  };
  add(' ', change.above);
  add('-', shortened_to(change.before, most));
  add('+', shortened_to(change.after, most));
  add(' ', change.below);
  return text;
}

// A range of the file's lines.
struct LineRange {
  int begin = 0, end = 0;
};

// Grows a range by as many surrounding lines as fit: a line above, a line below, and so on.
LineRange grown(std::span<const std::string_view> lines, LineRange range, std::size_t bytes) {
  const auto size = [&](int line) { return lines[static_cast<std::size_t>(line)].size() + 1; };
  std::size_t used = 0;
  for (int line = range.begin; line < range.end; ++line) used += size(line);
  for (bool up = true, down = true; up || down;) {
    up = up && range.begin > 0 && used + size(range.begin - 1) <= bytes;
    if (up) used += size(--range.begin);
    down = down && range.end < std::ssize(lines) && used + size(range.end) <= bytes;
    if (down) used += size(range.end++);
  }
  return range;
}

// Writes one prompt.
class Writer {
 public:
  Writer(const NextEditFormat& format, const NextEditQuestion& question)
      : format_(format), question_(question), window_(window()), context_(context()) {
    const auto lines = part(window_);
    prompt_.first_line = window_.begin;
    prompt_.end_line = window_.end;
    prompt_.window.assign(lines.begin(), lines.end());
    prompt_.cursor_line = question.cursor_line - window_.begin;
    if (format.answer == NextEditFormat::Answer::kSpan)
      prompt_.marks =
          region_marks(prompt_.window, format.min_region_lines, format.max_region_lines);
    prompt_.prefilled = prefilled();
  }

  NextEditPrompt write() {
    const std::vector<const Change*> changes = shown_changes();
    const std::vector<const RelatedText*> related = shown_related();
    for (const PromptBlock& block : format_.blocks) {
      switch (block.each) {
        case PromptBlock::For::kPrompt:
          render(block.text, question_.path, nullptr, nullptr);
          break;
        case PromptBlock::For::kSurroundings:
          if (!surroundings().empty()) render(block.text, question_.path, nullptr, nullptr);
          break;
        case PromptBlock::For::kRelatedFile:
          each(block, related,
               [&](const RelatedText& text) { render(block.text, text.path, &text, nullptr); });
          break;
        case PromptBlock::For::kChange:
          each(block, changes,
               [&](const Change& change) { render(block.text, change.path, nullptr, &change); });
          break;
      }
    }
    const std::span<const std::string> window(prompt_.window);
    text_ += with_endings(window.first(static_cast<std::size_t>(prompt_.prefilled)));
    flush();
    prompt_.draft = draft();
    return std::move(prompt_);
  }

 private:
  template <typename Item, typename Render>
  void each(const PromptBlock& block, const std::vector<const Item*>& items, const Render& render) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      add(i == 0 ? block.before : block.between);
      render(*items[i]);
    }
    if (!items.empty()) add(block.behind);
  }

  std::span<const std::string_view> part(LineRange range) const {
    return question_.lines.subspan(static_cast<std::size_t>(range.begin),
                                   static_cast<std::size_t>(range.end - range.begin));
  }
  LineRange within_file(int begin, int end) const {
    return {std::max(begin, 0), std::min(end, static_cast<int>(question_.lines.size()))};
  }

  LineRange window() const {
    const NextEditFormat::Window& rule = format_.window;
    const int line = question_.cursor_line;
    if (rule.bytes > 0) return grown(question_.lines, {line, line + 1}, rule.bytes);
    return within_file(line - rule.lines_above, line + rule.lines_below + 1);
  }
  // The window with the surrounding lines that are shown.
  LineRange context() const {
    const std::size_t bytes = format_.window.context_bytes;
    LineRange range = window_;
    const auto size = [&](int line) {
      return question_.lines[static_cast<std::size_t>(line)].size() + 1;
    };
    for (std::size_t used = 0; range.begin > 0; --range.begin) {
      used += size(range.begin - 1);
      if (used > bytes) break;
    }
    for (std::size_t used = 0; range.end < std::ssize(question_.lines); ++range.end) {
      used += size(range.end);
      if (used > bytes) break;
    }
    return range;
  }
  std::string surroundings() const {
    const int lines = format_.window.surrounding_lines;
    const LineRange around = within_file(window_.begin - lines, window_.end + lines);
    std::string text = with_endings(part({around.begin, window_.begin}));
    text += with_endings(part({window_.end, around.end}));
    if (!text.empty()) text.pop_back();
    return text;
  }

  // The number of lines that the prompt already contains. A line end and the blank lines after it
  // are one token, so the prompt does not end before a blank line.
  int prefilled() const {
    if (format_.prefill == NextEditFormat::Prefill::kNone) return 0;
    int count = prompt_.cursor_line;
    while (count > 0 && prompt_.window[static_cast<std::size_t>(count)].empty()) --count;
    return count;
  }

  std::vector<const Change*> shown_changes() const {
    const NextEditFormat::History& rule = format_.history;
    std::vector<const Change*> shown;
    int of_file = 0, of_others = 0;
    std::size_t bytes = 0;
    for (auto change = question_.changes.rbegin(); change != question_.changes.rend(); ++change) {
      const bool is_here = change->path == question_.path;
      int& count = is_here ? of_file : of_others;
      if (count >= (is_here ? rule.of_file : rule.of_others)) continue;
      bytes += without_last_end(shortened_to(change->before, rule.lines)).size() +
               without_last_end(shortened_to(change->after, rule.lines)).size();
      if (bytes > rule.bytes || std::ssize(shown) >= rule.most) break;
      ++count;
      shown.push_back(&*change);
    }
    if (!rule.newest_first) std::ranges::reverse(shown);
    return shown;
  }
  std::vector<const RelatedText*> shown_related() const {
    std::vector<const RelatedText*> shown;
    std::size_t bytes = 0;
    for (auto text = question_.related.rbegin(); text != question_.related.rend(); ++text) {
      bytes += text->text.size();
      if (bytes > format_.related_bytes) break;
      shown.push_back(&*text);
    }
    std::ranges::reverse(shown);
    return shown;
  }

  // The window before the last change that touches it; a file's changes come in the order of lines.
  std::string was() const {
    const auto end_of = [](const Change& each) {
      return each.line + static_cast<int>(each.after.size());
    };
    const auto last =
        std::find_if(question_.changes.rbegin(), question_.changes.rend(), [&](const Change& each) {
          return each.path == question_.path && end_of(each) >= window_.begin &&
                 each.line <= window_.end;
        });
    if (last == question_.changes.rend()) return without_last_end(prompt_.window);
    const int begin = last->line, end = end_of(*last);
    Lines lines;
    for (int line = window_.begin; line < std::min(begin, window_.end); ++line)
      lines.emplace_back(question_.lines[static_cast<std::size_t>(line)]);
    lines.insert(lines.end(), last->before.begin(), last->before.end());
    for (int line = std::max(end, window_.begin); line < window_.end; ++line)
      lines.emplace_back(question_.lines[static_cast<std::size_t>(line)]);
    return without_last_end(lines);
  }

  // The window with the marks of regions and, if requested, of the cursor.
  std::string marked(bool with_cursor) const {
    std::string text;
    const Lines& window = prompt_.window;
    std::size_t mark = 0;
    const auto add_marks = [&](int line) {
      for (; mark < prompt_.marks.size() && prompt_.marks[mark] <= line; ++mark)
        text += region_mark(mark + 1);
    };
    for (int line = 0; line < std::ssize(window); ++line) {
      if (line > 0) text += '\n';
      add_marks(line);
      const std::string& whole = window[static_cast<std::size_t>(line)];
      if (with_cursor && line == prompt_.cursor_line) {
        const std::size_t column = std::min(question_.cursor_column, whole.size());
        text.append(whole, 0, column).append(format_.cursor).append(whole, column);
      } else {
        text += whole;
      }
    }
    add_marks(static_cast<int>(window.size()));
    return text;
  }

  std::string draft() const {
    if (format_.answer == NextEditFormat::Answer::kSpan) return marked(false);
    const std::span<const std::string> window(prompt_.window);
    return std::string(format_.opening) +
           without_last_end(window.subspan(static_cast<std::size_t>(prompt_.prefilled))) +
           std::string(format_.closing);
  }

  static std::string range_text(int first, int end) {
    return ":" + std::to_string(first + 1) + ":" + std::to_string(end);
  }

  std::string value(std::string_view name, const std::string& path, const RelatedText* related,
                    const Change* change) const {
    if (name == "path") return path;
    if (name == "range") {
      if (related == nullptr) return range_text(window_.begin, window_.end);
      return related->first_line < 0 ? "" : range_text(related->first_line, related->end_line);
    }
    if (name == "text" && related) return without_ending(related->text);
    const int most = format_.history.lines;
    if (name == "before" && change) return without_last_end(shortened_to(change->before, most));
    if (name == "after" && change) return without_last_end(shortened_to(change->after, most));
    if (name == "diff" && change) return hunk_of(*change, most);
    if (name == "around") return surroundings();
    if (name == "start") return context_.begin == 0 ? std::string(format_.file_start) : "";
    if (name == "above") return with_endings(part({context_.begin, window_.begin}));
    if (name == "below") return with_endings(part({window_.end, context_.end}));
    if (name == "was") return was();
    if (name == "window") return without_last_end(prompt_.window);
    assert(name == "marked");  // is_well_formed()
    return marked(true);
  }
  static std::string without_ending(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }

  void add(std::string_view text) {
    while (!text.empty()) {
      if (const std::string_view token = token_at(text); !token.empty()) {
        flush();
        prompt_.parts.push_back({std::string(token), true});
        text.remove_prefix(token.size());
      } else {
        text_ += text.front();
        text.remove_prefix(1);
      }
    }
  }
  std::string_view token_at(std::string_view text) const {
    const auto at = [&](const auto& spellings) {
      const auto found = std::ranges::find_if(spellings, [&](std::string_view spelling) {
        return !spelling.empty() && text.starts_with(spelling);
      });
      return found == spellings.end() ? std::string_view() : *found;
    };
    const std::string_view token = at(format_.tokens);
    return token.empty() ? at(format_.marks) : token;
  }
  void flush() {
    if (!text_.empty()) prompt_.parts.push_back({std::exchange(text_, {}), false});
  }
  // The text that replaces a name is literal, even if it contains braces.
  void render(std::string_view block, const std::string& path, const RelatedText* related,
              const Change* change) {
    for (std::size_t open = block.find('{'); open != std::string_view::npos;
         open = block.find('{')) {
      const std::size_t close = block.find('}', open);
      assert(close != std::string_view::npos);  // is_well_formed()
      add(block.substr(0, open));
      text_ += value(block.substr(open + 1, close - open - 1), path, related, change);
      block.remove_prefix(close + 1);
    }
    add(block);
  }

  const NextEditFormat& format_;
  const NextEditQuestion& question_;
  LineRange window_, context_;
  NextEditPrompt prompt_;
  std::string text_;  // text that is not yet a part
};

template <typename Range>
bool has_reserved(const NextEditFormat& format, const Range& lines) {
  return std::ranges::any_of(lines, [&](const auto& line) { return is_reserved(format, line); });
}

bool is_hostile(const NextEditFormat& format, const NextEditQuestion& question) {
  const auto bad_path = [&](const std::string& path) {
    return is_reserved(format, path) || path.find('\n') != std::string::npos;
  };
  return bad_path(question.path) || has_reserved(format, question.lines) ||
         std::ranges::any_of(question.changes,
                             [&](const Change& change) {
                               return bad_path(change.path) ||
                                      has_reserved(format, change.before) ||
                                      has_reserved(format, change.after) ||
                                      has_reserved(format, change.above) ||
                                      has_reserved(format, change.below);
                             }) ||
         std::ranges::any_of(question.related, [&](const RelatedText& text) {
           return bad_path(text.path) || is_reserved(format, text.text);
         });
}

}  // namespace

bool is_reserved(const NextEditFormat& format, std::string_view text) {
  return std::ranges::any_of(format.reserved, [&](std::string_view reserved) {
    return !reserved.empty() && text.find(reserved) != std::string_view::npos;
  });
}

Result<NextEditPrompt> make_next_edit_prompt(const NextEditFormat& format,
                                             const NextEditQuestion& question) {
  if (question.cursor_line < 0 || question.cursor_line >= std::ssize(question.lines))
    return Error("the cursor is not in the file");
  if (is_hostile(format, question)) {
    return Error("the code contains text that is reserved in the model's format (" +
                 std::string(format.name) + ")");
  }
  return Writer(format, question).write();
}

Result<std::vector<PromptPart>> as_tokens(const NextEditFormat& format, const Tokenizer& tokenizer,
                                          std::vector<PromptPart> parts) {
  for (const std::string_view spelling : format.tokens) {
    if (!spelling.empty() && tokenizer.special(spelling) < 0) {
      return Error("the format " + std::string(format.name) + " needs the token " +
                   std::string(spelling) + ", which the model does not have");
    }
  }
  for (PromptPart& part : parts) part.control = part.control && tokenizer.special(part.text) >= 0;
  return parts;
}

std::vector<TokenId> answer_ends(const NextEditFormat& format, const Tokenizer& tokenizer) {
  std::vector<TokenId> ends = end_of_turn_tokens(tokenizer);
  const auto add = [&](TokenId id) {
    if (id >= 0 && std::ranges::find(ends, id) == ends.end()) ends.push_back(id);
  };
  for (const std::string_view spelling : format.stops) {
    if (!spelling.empty()) add(tokenizer.special(spelling));
  }
  add(tokenizer.end_of_text());
  return ends;
}

}  // namespace redraft
