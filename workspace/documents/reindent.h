#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redraft {

// Reindents lines in the same way as one of them.
struct Reindent {
  std::string from, to;  // the beginning of their indentation, and its replacement

  // The change that gives `line` the indentation of `there`.
  static Reindent between(std::string_view line, std::string_view there);
  // nullopt: a line begins further to the left.
  std::optional<std::vector<std::string>> operator()(const std::vector<std::string>& lines) const;
  friend bool operator==(const Reindent&, const Reindent&) = default;
};

}  // namespace redraft
