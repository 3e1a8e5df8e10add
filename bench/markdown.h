#pragma once

#include <string>
#include <vector>

namespace redraft {

// A table in Markdown. A cell's `|` is escaped.
class MarkdownTable {
 public:
  void add_column(std::string title, bool is_number = true);
  // One cell per column.
  void add_row(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<std::string> titles_;
  std::vector<bool> numbers_;
  std::vector<std::vector<std::string>> rows_;
};

// `text` in lines of at most 100 columns, as far as its words allow; further lines of a list item
// ("- …") are indented like its first.
std::string wrapped(const std::string& text);

}  // namespace redraft
