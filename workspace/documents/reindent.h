#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redraft {

// Moves lines as far as one of them has to be moved.
struct Reindent {
  std::string from, to;  // what their indentation begins with, and what takes its place

  // What brings `line` as deep as `there`.
  static Reindent between(std::string_view line, std::string_view there);
  // Nothing: a line begins further to the left.
  std::optional<std::vector<std::string>> operator()(const std::vector<std::string>& lines) const;
  friend bool operator==(const Reindent&, const Reindent&) = default;
};

}  // namespace redraft
