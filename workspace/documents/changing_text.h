// A text to which many successive changes are made, and why it is in pieces.
//
// "Replace all" arrives as thousands of changes in one message, each at a position in the text that
// the previous one left. In one string, each would move all bytes after it and need a new line
// index: 20,000 changes of 3 MB took seconds. Here the text is in pieces of some kilobytes, each
// with the counts that lead to a position in it, and a change touches one or two pieces. The search
// for the next position begins at the last change, and successive changes are near each other. So
// the cost of a list of changes is proportional to the length of the text and of the changes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/byte_range.h"

namespace redraft {

// Counts of a piece of text.
struct TextCounts {
  std::size_t bytes = 0;
  std::size_t line_ends = 0;   // "\n", "\r\n" or a lone "\r", as in LineIndex
  std::size_t characters = 0;  // bytes that begin a character of UTF-8
  std::size_t wide = 0;        // characters of four bytes: two units in UTF-16
};

// One thread. The text should be UTF-8; other bytes do no harm.
class ChangingText {
 public:
  explicit ChangingText(std::string_view text);

  std::size_t size() const { return size_; }
  std::size_t line_count() const { return line_ends_ + 1; }
  // offset < size(). Fast near the last position accessed.
  char operator[](std::size_t offset) const;
  // The range ends at or before size().
  std::string substr(std::size_t begin, std::size_t count) const;
  std::string text() const { return substr(0, size_); }
  // The byte offset of a 0-based line's first byte; line < line_count().
  std::size_t line_start(std::size_t line) const;
  // Where a line that begins at `start` is after `units` units: after the last character that ends
  // within `units`, at most before the line's terminator. `units_of` returns the number of units of
  // a character, and of a piece without line ends.
  template <typename UnitsOf>
  std::size_t walk(std::size_t start, std::size_t units, const UnitsOf& units_of) const;

  // The range ends at or before size().
  void replace(const ByteRange& range, std::string_view new_text);

  // The number of bytes examined or moved, and of pieces passed, so far. For tests of the cost of
  // changes.
  std::size_t work() const { return work_; }

 private:
  struct Piece {
    std::string text;  // never empty, unless it is the only piece
    TextCounts counts;
  };
  // A piece, and the counts of everything before it.
  struct Place {
    std::size_t piece = 0;
    std::size_t bytes = 0;
    std::size_t line_ends = 0;
  };

  static std::vector<Piece> pieces_of(std::string_view text);
  void step_forward() const;
  void step_back() const;
  // Moves place_ to the piece with this byte; size() is in the last piece.
  void seek(std::size_t offset) const;
  void count(std::size_t piece);
  void put(std::size_t first, std::size_t last, std::string_view text);

  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
  std::size_t line_ends_ = 0;
  mutable Place place_;  // where the last search ended
  mutable std::size_t work_ = 0;
};

template <typename UnitsOf>
std::size_t ChangingText::walk(std::size_t start, std::size_t units,
                               const UnitsOf& units_of) const {
  std::size_t at = start;
  while (at < size_) {
    seek(at);
    const Piece& piece = pieces_[place_.piece];
    const std::size_t piece_end = place_.bytes + piece.text.size();
    // A "\r" at the end may belong to a terminator whose "\n" is in the next piece.
    if (const std::size_t whole = units_of(piece.counts);
        at == place_.bytes && piece.counts.line_ends == 0 && piece.text.back() != '\r' &&
        whole <= units) {
      units -= whole;
      at = piece_end;
      continue;
    }
    while (at < piece_end) {
      const char lead = piece.text[at - place_.bytes];
      if (lead == '\n' || lead == '\r') return at;
      const auto byte = static_cast<unsigned char>(lead);
      const std::size_t width = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
      const std::size_t taken = units_of(TextCounts{width, 0, 1, width == 4 ? 1U : 0U});
      if (taken > units) return at;
      units -= taken;
      at += width;
      ++work_;
    }
  }
  return size_ < at ? size_ : at;
}

}  // namespace redraft
