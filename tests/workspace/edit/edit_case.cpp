#include "tests/workspace/edit/edit_case.h"

#include <charconv>
#include <fstream>
#include <map>
#include <sstream>

#include "workspace/documents/document.h"

namespace redraft {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";
constexpr std::string_view kMarkSpelling = "⟨BOM⟩";
constexpr std::string_view kCrLf = "␍␊";
constexpr std::string_view kCr = "␍";
constexpr std::string_view kNothing = "␄";

bool strip(std::string_view suffix, std::string_view* line) {
  if (!line->ends_with(suffix)) return false;
  line->remove_suffix(suffix.size());
  return true;
}

// The inverse of spelled().
std::string read_text(const std::string& spelling) {
  std::string text;
  std::istringstream lines(spelling);
  for (std::string raw; std::getline(lines, raw);) {
    if (!raw.starts_with('|')) continue;
    std::string_view line = std::string_view(raw).substr(1);
    if (line.starts_with(kMarkSpelling)) {
      text += kMark;
      line.remove_prefix(kMarkSpelling.size());
    }
    const char* ending = "\n";
    if (strip(kNothing, &line)) {
      ending = "";
    } else if (strip(kCrLf, &line)) {
      ending = "\r\n";
    } else if (strip(kCr, &line)) {
      ending = "\r";
    }
    text += line;
    text += ending;
  }
  return text;
}

std::optional<ByteRange> read_range(std::string_view text) {
  ByteRange range;
  const char* end = text.data() + text.size();
  const auto begin_read = std::from_chars(text.data(), end, range.begin);
  if (begin_read.ec != std::errc() || begin_read.ptr == end) return std::nullopt;
  if (std::from_chars(begin_read.ptr + 1, end, range.end).ec != std::errc()) return std::nullopt;
  return range;
}

std::string line_of(const std::string& section) { return section.substr(0, section.find('\n')); }

}  // namespace

std::string spelled(const std::string& text) {
  std::string result;
  const LineIndex lines(text);
  for (int i = 0; i < lines.line_count(); ++i) {
    std::string_view content =
        std::string_view(text).substr(lines.start(i), lines.content_end(i) - lines.start(i));
    const std::string_view ending = std::string_view(text).substr(
        lines.content_end(i), lines.start(i + 1) - lines.content_end(i));
    if (content.empty() && ending.empty()) break;
    result += '|';
    if (i == 0 && content.starts_with(kMark)) {
      result += kMarkSpelling;
      content.remove_prefix(kMark.size());
    }
    result += content;
    result += ending.empty()     ? kNothing
              : ending == "\r\n" ? kCrLf
              : ending == "\r"   ? kCr
                                 : std::string_view();
    result += '\n';
  }
  return result;
}

Result<EditCase> read_edit_case(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error("cannot be read: " + file.string());
  EditCase edit_case;
  std::map<std::string, std::string> sections;
  std::string* section = nullptr;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("=== hunk ")) {
      const std::optional<ByteRange> range = read_range(line.substr(9));
      if (!range) return Error(file.string() + ": no range in \"" + line + "\"");
      edit_case.hunks.push_back({static_cast<int>(edit_case.hunks.size()), {*range, {}}, {}});
      section = &(sections[line] = {});
    } else if (line.starts_with("=== ")) {
      section = &(sections[line.substr(4)] = {});
    } else if (section) {
      *section += line + "\n";
    }
  }
  for (const char* needed : {"instruction", "before", "after"}) {
    if (!sections.contains(needed)) return Error(file.string() + ": no section \"" + needed + "\"");
  }
  edit_case.instruction = line_of(sections["instruction"]);
  if (sections.contains("range")) edit_case.range = read_range(line_of(sections["range"]));
  if (sections.contains("answer")) edit_case.answer = read_text(sections["answer"]);
  edit_case.before = read_text(sections["before"]);
  edit_case.after = read_text(sections["after"]);
  for (Hunk& hunk : edit_case.hunks) {
    const ByteRange range = hunk.edit.range;
    hunk.edit.new_text = read_text(
        sections["=== hunk " + std::to_string(range.begin) + "-" + std::to_string(range.end)]);
  }
  return edit_case;
}

void write_edit_case(const std::filesystem::path& file, const EditCase& edit_case) {
  std::ofstream stream(file, std::ios::binary);
  const auto range_text = [](ByteRange range) {
    return std::to_string(range.begin) + "-" + std::to_string(range.end);
  };
  stream << "=== instruction\n" << edit_case.instruction << "\n";
  if (edit_case.range) stream << "=== range\n" << range_text(*edit_case.range) << "\n";
  stream << "=== before\n" << spelled(edit_case.before);
  if (edit_case.answer) stream << "=== answer\n" << spelled(*edit_case.answer);
  stream << "=== after\n" << spelled(edit_case.after);
  for (const Hunk& hunk : edit_case.hunks) {
    stream << "=== hunk " << range_text(hunk.edit.range) << "\n" << spelled(hunk.edit.new_text);
  }
}

}  // namespace redraft
