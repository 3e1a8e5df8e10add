#include "workspace/documents/changing_text.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace redraft {
namespace {

// The size of a new piece in bytes, and the size at which it is divided. Searching within a piece
// and searching for a piece should take about the same time in a text of some megabytes.
constexpr std::size_t kNewPiece = 1024;
constexpr std::size_t kLongestPiece = 2048;

// `next` is the byte after the text; it decides whether a "\r" at the end is a line end.
TextCounts counts_of(std::string_view text, char next) {
  TextCounts counts{.bytes = text.size()};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const char behind = i + 1 < text.size() ? text[i + 1] : next;
    counts.line_ends += static_cast<std::size_t>(byte == '\n' || (byte == '\r' && behind != '\n'));
    counts.characters += static_cast<std::size_t>((byte & 0xC0) != 0x80);
    counts.wide += static_cast<std::size_t>(byte >= 0xF0);
  }
  return counts;
}

// Where to cut `text` at about kNewPiece: not within a character.
std::size_t first_piece(std::string_view text) {
  if (text.size() <= kLongestPiece) return text.size();
  std::size_t cut = kNewPiece;
  const auto inside = [&] { return (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80; };
  for (int i = 0; i < 3 && inside(); ++i) --cut;
  return cut;
}

}  // namespace

ChangingText::ChangingText(std::string_view text) : pieces_(pieces_of(text)), size_(text.size()) {
  if (pieces_.empty()) pieces_.emplace_back();
  for (std::size_t i = 0; i < pieces_.size(); ++i) count(i);
}

std::vector<ChangingText::Piece> ChangingText::pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  while (!text.empty()) {
    const std::size_t size = first_piece(text);
    pieces.push_back({std::string(text.substr(0, size)), {}});
    text.remove_prefix(size);
  }
  return pieces;
}

void ChangingText::count(std::size_t piece) {
  Piece& counted = pieces_[piece];
  const char next = piece + 1 < pieces_.size() ? pieces_[piece + 1].text.front() : '\0';
  line_ends_ -= counted.counts.line_ends;
  counted.counts = counts_of(counted.text, next);
  line_ends_ += counted.counts.line_ends;
  work_ += counted.text.size();
}

void ChangingText::step_forward() const {
  const TextCounts& passed = pieces_[place_.piece++].counts;
  place_.bytes += passed.bytes;
  place_.line_ends += passed.line_ends;
  ++work_;
}

void ChangingText::step_back() const {
  const TextCounts& passed = pieces_[--place_.piece].counts;
  place_.bytes -= passed.bytes;
  place_.line_ends -= passed.line_ends;
  ++work_;
}

void ChangingText::seek(std::size_t offset) const {
  assert(offset <= size_);
  while (offset < place_.bytes) step_back();
  while (place_.piece + 1 < pieces_.size() &&
         offset >= place_.bytes + pieces_[place_.piece].counts.bytes)
    step_forward();
}

char ChangingText::operator[](std::size_t offset) const {
  seek(offset);
  return pieces_[place_.piece].text[offset - place_.bytes];
}

std::string ChangingText::substr(std::size_t begin, std::size_t count) const {
  std::string result;
  result.reserve(count);
  seek(begin);
  const Place start = place_;
  std::size_t skip = begin - start.bytes;
  for (std::size_t i = start.piece; result.size() < count; ++i, skip = 0)
    result.append(pieces_[i].text, skip, count - result.size());
  work_ += count;
  return result;
}

std::size_t ChangingText::line_start(std::size_t line) const {
  assert(line < line_count());
  if (line == 0) return 0;
  // Goes to the piece with the end of the previous line.
  while (line <= place_.line_ends) step_back();
  while (line > place_.line_ends + pieces_[place_.piece].counts.line_ends) step_forward();
  const std::string& text = pieces_[place_.piece].text;
  const bool is_last = place_.piece + 1 == pieces_.size();
  const char next = is_last ? '\0' : pieces_[place_.piece + 1].text.front();
  std::size_t left = line - place_.line_ends;
  std::size_t i = 0;
  for (; left > 0; ++i) {
    const char behind = i + 1 < text.size() ? text[i + 1] : next;
    if (text[i] == '\n' || (text[i] == '\r' && behind != '\n')) --left;
  }
  work_ += i;
  return place_.bytes + i;
}

void ChangingText::replace(const ByteRange& range, std::string_view new_text) {
  assert(range.begin <= range.end && range.end <= size_);
  seek(range.begin);
  const std::size_t first = place_.piece;
  const std::size_t skip = range.begin - place_.bytes;
  std::size_t last = first;
  std::size_t end = skip + range.size();  // counted from the beginning of piece `last`
  while (last + 1 < pieces_.size() && end > pieces_[last].text.size())
    end -= pieces_[last++].text.size();
  size_ = size_ - range.size() + new_text.size();
  work_ += new_text.size() + (last - first);
  if (first == last && pieces_[first].text.size() + new_text.size() <= kLongestPiece) {
    std::string& text = pieces_[first].text;
    text.replace(skip, range.size(), new_text);
    if (!text.empty() || pieces_.size() == 1) {
      count(first);
      if (first > 0) step_back(), count(first - 1);
      return;
    }
    put(first, last, {});
    return;
  }
  std::string joined = pieces_[first].text.substr(0, skip);
  joined += new_text;
  joined.append(pieces_[last].text, end);
  put(first, last, joined);
}

// Replaces the pieces [first, last] with others that contain `text`. place_ is at `first`.
void ChangingText::put(std::size_t first, std::size_t last, std::string_view text) {
  // place_ must not be after the changed piece, because its counts would be wrong.
  if (first > 0) step_back();
  std::vector<Piece> pieces = pieces_of(text);
  for (std::size_t i = first; i <= last; ++i) line_ends_ -= pieces_[i].counts.line_ends;
  const auto begin = pieces_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = pieces_.begin() + static_cast<std::ptrdiff_t>(last) + 1;
  const std::size_t n_new = pieces.size();
  const std::size_t n_kept = std::min(n_new, last + 1 - first);
  if (n_new != last + 1 - first) work_ += pieces_.size() - last;
  // The pieces after it are not moved if their number stays the same.
  std::move(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(n_kept), begin);
  const auto rest = begin + static_cast<std::ptrdiff_t>(n_kept);
  if (n_new > n_kept) {
    pieces_.insert(end,
                   std::make_move_iterator(pieces.begin() + static_cast<std::ptrdiff_t>(n_kept)),
                   std::make_move_iterator(pieces.end()));
  } else {
    pieces_.erase(rest, end);
  }
  if (pieces_.empty()) pieces_.emplace_back();
  for (std::size_t i = first > 0 ? first - 1 : 0; i < std::min(first + n_new, pieces_.size()); ++i)
    count(i);
}

}  // namespace redraft
