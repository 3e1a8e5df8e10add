#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace redraft {

// A path pattern in git's wildcard language (gitignore(5)), byte by byte: `*`, `?` and `[…]` never
// match a slash; `**` between slashes matches any number of folders, and at an end everything. A
// malformed pattern (an unclosed class, a trailing backslash) matches nothing. Immutable: any
// thread may use it.
class Glob {
 public:
  explicit Glob(std::string_view pattern);
  // Takes at most quadratic time in the length of the text, whatever the pattern.
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

  // The fixed beginning and end of a matching text, and the pattern for the middle. In most
  // patterns of real files the middle is empty or a single star.
  std::string prefix_;
  std::vector<Step> middle_;
  std::string suffix_;
  std::size_t shortest_ = 0;  // minimum length of the middle in bytes
  std::vector<ByteSet> classes_;
};

}  // namespace redraft
