#include "bench/markdown.h"

#include <algorithm>
#include <cassert>
#include <sstream>
#include <utility>

#include "support/utf8/utf8.h"

namespace redraft {
namespace {

constexpr std::ptrdiff_t kColumns = 100;

std::ptrdiff_t width_of(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); });
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += ' ';
    for (const char c : cell) {
      if (c == '|') line += '\\';
      line += c;
    }
    line += " |";
  }
  return line + "\n";
}

}  // namespace

void MarkdownTable::add_column(std::string title, bool is_number) {
  titles_.push_back(std::move(title));
  numbers_.push_back(is_number);
}

void MarkdownTable::add_row(std::vector<std::string> cells) {
  assert(cells.size() == titles_.size());
  rows_.push_back(std::move(cells));
}

std::string MarkdownTable::text() const {
  std::string text = line_of(titles_) + "|";
  for (const bool is_number : numbers_) text += is_number ? "---:|" : "---|";
  text += "\n";
  for (const std::vector<std::string>& row : rows_) text += line_of(row);
  return text;
}

std::string wrapped(const std::string& text) {
  const std::string indentation = text.starts_with("- ") ? "  " : "";
  std::istringstream words(text);
  std::string out;
  std::string line;
  for (std::string word; words >> word;) {
    const bool fits = line.empty() || width_of(line) + 1 + width_of(word) <= kColumns;
    if (!fits) {
      out += line + "\n";
      line = indentation + word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return out + line;
}

}  // namespace redraft
