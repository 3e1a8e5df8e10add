#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace redraft {

// A path pattern in git's wildcard language (gitignore(5)), byte by byte: `*`, `?` and `[…]` never
// match a slash; `**` between slashes matches any number of folders and at an end everything.
// A pattern that git calls malformed (an open class, a lone backslash at the end) matches nothing.
// Immutable: any thread may use it.
class Glob {
 public:
  explicit Glob(std::string_view pattern);
  // Takes at most time in proportion to the square of the text, whatever the pattern.
  bool matches(std::string_view text) const;

 private:
  enum class Kind : std::uint8_t { kByte, kAny, kClass, kStar, kStarStar, kFolders, kNever };
  struct Step {
    Kind kind;
    unsigned char byte = 0;     // of kByte
    std::size_t class_idx = 0;  // of kClass, into classes_
  };
  using ByteSet = std::bitset<256>;

  class Compiler;

  bool middle_matches(std::string_view text) const;
  void take(const Step& step, std::string_view text, std::string& reached) const;

  // What a text has to begin and to end with, and what has to match between the two. Most patterns
  // of real files have nothing or a single star there.
  std::string prefix_;
  std::vector<Step> middle_;
  std::string suffix_;
  std::size_t shortest_ = 0;  // bytes that the middle takes at least
  std::vector<ByteSet> classes_;
};

}  // namespace redraft
