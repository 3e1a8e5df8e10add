#pragma once

#include <span>
#include <string>
#include <string_view>

namespace redraft {

// What lines are indented with, one level deep.
struct IndentUnit {
  int n_tabs = 0;    // lines that begin with a tab
  int n_spaces = 0;  // lines that begin with two spaces or more; not the " *" of a long comment
  int width = 0;     // spaces of a level; 0: no line tells it

  // A few lines of the other kind are text of strings, or aligned.
  bool only_tabs() const { return n_tabs > 8 * n_spaces; }
  bool only_spaces() const { return n_spaces > 8 * n_tabs; }
  bool is_mixed() const { return !only_tabs() && !only_spaces() && !is_unknown(); }
  bool is_unknown() const { return n_tabs == 0 && n_spaces == 0; }
};

IndentUnit indent_unit_of(std::span<const std::string_view> lines);

// Whether `line`, which is deeper than the line `above`, goes on with what that one began: after an
// operator or a comma, or before an operator or a member. Styles align such lines as they like, so
// they do not show what a level is.
bool continues_line(std::string_view above, std::string_view line);

// Whether a line begins with spaces that indent it.
bool begins_with_spaces(std::string_view line);

}  // namespace redraft
