#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/token.h"
#include "text/tokenizer.h"

namespace redraft {

// The tokens of a text that changes in places: exactly Tokenizer::encode of the whole text, at the
// cost of the changed place and the words around it.
//
// Why this is exact. Words are split off one after the other, and where a word ends depends only on
// the text from the word's beginning on. So
//   - after an edit: once a new word ends where a word of the old text ended, every later word is
//     the same, because it is split off from the same bytes;
//   - before it: a word looks no further than kWordLookAhead bytes past c, the first character
//     after it that is not white space (see word_end). Suppose a word contains such a character,
//     and kWordLookAhead bytes after that character the edit has not begun yet. Then no word
//     before this one has seen a changed byte: they stay, and encoding restarts at this one. Where
//     words look through capitals (looks_through_capitals), there must be such a character that is
//     no capital, too.
//
// An example: in "a = b\nfoo(x)" the x becomes yy. The word "foo" contains a character that is not
// white space, 'f', four bytes before the edit, so "a", " =", " b" and "\n" stay. Encoding restarts
// at "foo" and goes on until a new word ends where an old one did.
//
// A word's tokens depend on its bytes alone. Two kinds of work are not bounded by the size of the
// edit: what makes one long word (a run of letters, or a run of white space, which the expressions
// look through) and, where digits are grouped in threes, a run of digits.
//
// Words are kept in chunks, so that an edit moves one chunk and not everything after it.
class EncodedText {
 public:
  // `tokenizer` outlives this. Texts must be shorter than 4 GiB.
  EncodedText(const Tokenizer& tokenizer, std::string_view text);

  // Bytes [begin, old_end) of the old text have become [begin, new_end) of the new one.
  struct ChangedBytes {
    std::size_t begin;
    std::size_t old_end;
    std::size_t new_end;
  };
  // `text` is the whole text after the edit and equals the old one outside of it. Returns how many
  // bytes were encoded again.
  std::size_t update(std::string_view text, const ChangedBytes& edit);

  std::size_t n_bytes() const { return n_bytes_; }
  void append_to(std::vector<TokenId>& out) const;

 private:
  struct Word {
    std::uint32_t n_bytes;
    std::uint32_t n_tokens;
  };
  struct Chunk {
    std::vector<Word> words;
    std::vector<TokenId> tokens;  // of all its words
    std::size_t n_bytes = 0;
  };
  // The beginning of a word, or the end of the text.
  struct WordPlace {
    std::size_t chunk = 0;
    std::size_t word = 0;   // in its chunk; less than its size except at the end of the text
    std::size_t token = 0;  // in its chunk
    std::size_t byte = 0;   // in the text
  };

  WordPlace place_of_byte(std::size_t byte) const;
  void step_forward(WordPlace& place) const;
  void step_back(WordPlace& place) const;
  bool at_end(const WordPlace& place) const { return place.chunk == chunks_.size(); }
  WordPlace restart_place(std::string_view text, std::size_t edit_begin) const;
  void splice(const WordPlace& from, const WordPlace& to, Chunk replacement);

  const Tokenizer* tokenizer_;
  std::vector<Chunk> chunks_;  // none is empty
  std::size_t n_bytes_ = 0;
};

}  // namespace redraft
