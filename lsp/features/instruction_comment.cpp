#include "lsp/features/instruction_comment.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

#include "text/strings/trimmed.h"

namespace redraft::lsp {
namespace {

constexpr std::string_view kWord = "redraft:";
// The comment marks and the blanks before the word. The limit keeps the search of a long line
// short.
constexpr std::size_t kMaxMarks = 8;
constexpr std::size_t kMaxInstruction = 2000;  // bytes; a longer text is not an instruction
constexpr std::string_view kClosings[] = {"*/", "-->", "*)", "}}", "%>"};

constexpr std::string_view kBlanks = " \t";

bool is_blank(char byte) { return kBlanks.find(byte) != std::string_view::npos; }

bool is_mark(char byte) { return std::ispunct(static_cast<unsigned char>(byte)) != 0; }

bool begins_with_word(std::string_view text) {
  return text.size() >= kWord.size() &&
         std::equal(kWord.begin(), kWord.end(), text.begin(), [](char wanted, char byte) {
           return wanted == std::tolower(static_cast<unsigned char>(byte));
         });
}

// Empty if the line contains no instruction.
std::string_view instruction_of(std::string_view line) {
  std::string_view text = trimmed(line, kBlanks);
  if (text.empty() || !is_mark(text.front())) return {};
  std::size_t marks = 0;
  while (marks < text.size() && (is_mark(text[marks]) || is_blank(text[marks]))) ++marks;
  if (marks > kMaxMarks || !begins_with_word(text.substr(marks))) return {};
  text = trimmed(text.substr(marks + kWord.size()), kBlanks);
  for (const std::string_view closing : kClosings) {
    if (text.ends_with(closing))
      text = trimmed(text.substr(0, text.size() - closing.size()), kBlanks);
  }
  return text.size() <= kMaxInstruction ? text : std::string_view();
}

std::string_view content(const Document& document, int line) {
  const std::size_t begin = document.lines().start(line);
  return std::string_view(document.text())
      .substr(begin, document.lines().content_end(line) - begin);
}

std::size_t first_text_of(const Document& document, int line) {
  if (line >= document.lines().line_count()) return document.text().size();
  const std::string_view text = content(document, line);
  const auto blanks = std::ranges::find_if_not(text, is_blank) - text.begin();
  return document.lines().start(line) + static_cast<std::size_t>(blanks);
}

std::optional<int> nearest_line(const Document& document, const std::string& instruction, int to) {
  std::optional<int> nearest;
  for (int line = 0; line < document.lines().line_count(); ++line) {
    const bool closer = !nearest || std::abs(line - to) < std::abs(*nearest - to);
    if (closer && instruction_of(content(document, line)) == instruction) nearest = line;
  }
  return nearest;
}

// `text` without the line of spaces that hid the comment from the model.
std::string without_blanks(std::string text, std::size_t n_blanks) {
  const std::string blanks(n_blanks, ' ');
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::size_t content_end = std::min(text.find_first_of("\r\n", begin), text.size());
    if (std::string_view(text).substr(begin, content_end - begin) == blanks)
      return text.erase(begin, end - begin);
    begin = end;
  }
  return text;
}

// Whether the line still consists of these spaces after the edits.
bool is_blank_still(std::size_t n_blanks, ByteRange line, std::string text,
                    std::vector<TextEdit> edits) {
  for (TextEdit& edit : edits)
    edit.range = {edit.range.begin - line.begin, edit.range.end - line.begin};
  text.replace(0, n_blanks, n_blanks, ' ');
  return apply_edits(text, edits).find_first_not_of(" \t\r\n") == std::string::npos;
}

}  // namespace

std::optional<InstructionComment> find_instruction(const Document& document, ByteRange range) {
  const LineIndex& lines = document.lines();
  const int last = lines.line_of(range.empty() ? range.end : range.end - 1);
  for (int line = lines.line_of(range.begin); line <= last; ++line) {
    const std::string_view text = content(document, line);
    const std::string_view instruction = instruction_of(text);
    if (instruction.empty()) continue;
    return InstructionComment{.line = line,
                              .instruction = std::string(instruction),
                              .below = first_text_of(document, line + 1)};
  }
  return std::nullopt;
}

std::vector<TextEdit> remove_comment(const Document& document, std::vector<TextEdit> edits,
                                     const std::string& instruction, int line) {
  const std::optional<int> found = nearest_line(document, instruction, line);
  if (!found || instruction.empty()) return edits;
  const ByteRange whole = {document.lines().start(*found), document.lines().start(*found + 1)};
  const auto touches = [&](const TextEdit& edit) {
    return edit.range.begin < whole.end && edit.range.end > whole.begin;
  };
  std::vector<TextEdit> touching;
  std::ranges::copy_if(edits, std::back_inserter(touching), touches);
  const bool are_within = std::ranges::all_of(
      touching, [&](const TextEdit& edit) { return whole.contains(edit.range); });
  const std::size_t n_blanks = document.lines().content_end(*found) - whole.begin;
  if (!are_within) {  // the model rewrote the line together with others
    for (TextEdit& edit : edits) {
      if (touches(edit) && edit.range.begin <= whole.begin)
        edit.new_text = without_blanks(std::move(edit.new_text), n_blanks);
    }
    return edits;
  }
  const std::string text = document.text().substr(whole.begin, whole.size());
  if (!touching.empty() && !is_blank_still(n_blanks, whole, text, touching)) return edits;
  std::erase_if(edits, touches);
  const auto next = std::ranges::find_if(
      edits, [&](const TextEdit& edit) { return edit.range.begin >= whole.end; });
  edits.insert(next, TextEdit{whole, ""});
  return edits;
}

}  // namespace redraft::lsp
