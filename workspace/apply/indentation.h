#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redraft {

// What one level of indentation is: a tab (width 0), or so many spaces.
struct IndentStep {
  int width = 0;
  bool is_tab() const { return width == 0; }
  friend bool operator==(const IndentStep&, const IndentStep&) = default;
};

// The one that most lines which are one level deeper than the line before them use; nullopt: none.
// Lines that continue a statement do not count.
std::optional<IndentStep> indent_step_of(const std::vector<std::string_view>& lines);
std::optional<IndentStep> indent_step_of(const std::vector<std::string>& lines);

// Brings lines of a change to the indentation that the file has. It learns from lines that both
// have; deeper lines get the file's own unit for each further level.
class IndentMap {
 public:
  IndentMap(std::optional<IndentStep> from, std::optional<IndentStep> to) : from_(from), to_(to) {}

  // Both lines have the same text. Blank lines say nothing.
  void learn(std::string_view line, std::string_view there);
  // nullopt: the line's indentation cannot be told from those learned.
  std::optional<std::string> operator()(std::string_view line) const;
  std::optional<std::vector<std::string>> operator()(const std::vector<std::string>& lines) const;
  // Whether the indentation of a line is only guessed: neither a known one nor explained by what
  // the known ones have in common.
  bool is_guess(std::string_view line) const;

 private:
  struct Known {
    std::string from, to;
    bool is_certain = true;  // whether all lines with this indentation have the same in the file
  };
  bool has_same_depths() const;
  bool are_moved_alike() const;
  bool fits(IndentStep from, IndentStep to) const;
  std::optional<std::pair<IndentStep, IndentStep>> other_units() const;
  std::optional<std::string> converted(std::string_view deeper) const;

  std::optional<IndentStep> from_, to_;
  std::vector<Known> known_;
};

// The lines with each level as the unit `to` instead of `from`; what is not a whole level stays.
std::vector<std::string> with_unit(std::vector<std::string> lines, IndentStep from, IndentStep to);

}  // namespace redraft
