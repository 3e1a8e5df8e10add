#include "text/encoded_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "text/pre_tokenizer.h"
#include "text/unicode.h"

namespace redraft {
namespace {

constexpr std::size_t kChunkWords = 512;  // a chunk has up to twice as many

// The looks of earlier words beyond their ends: one that begins in white space goes through all of
// it, one that begins in capitals may go through these.
struct Looks {
  bool through_space = true;
  bool through_capitals = true;

  // The characters of [begin, end) that are before `limit` stop them.
  void stop(std::string_view text, std::size_t begin, std::size_t end, std::size_t limit) {
    for (std::size_t i = begin; i < end && i + kWordLookAhead <= limit && any();) {
      const Character character = character_at(text, i);
      if (character.kind != CharacterKind::kSpace) through_space = false;
      if (!before_case_change(character)) through_capitals = false;
      i += character.length;
    }
  }
  bool any() const { return through_space || through_capitals; }
};

template <typename T>
void append_range(std::vector<T>& out, const std::vector<T>& from, std::size_t begin,
                  std::size_t end) {
  out.insert(out.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
             from.begin() + static_cast<std::ptrdiff_t>(end));
}

}  // namespace

EncodedText::EncodedText(const Tokenizer& tokenizer, std::string_view text)
    : tokenizer_(&tokenizer) {
  update(text, {0, 0, text.size()});
}

std::size_t EncodedText::update(std::string_view text, const ChangedBytes& edit) {
  const WordPlace from = restart_place(text, edit.begin);
  WordPlace to = from;
  Chunk encoded;
  std::size_t end = from.byte;
  while (true) {
    if (end >= edit.new_end) {
      const std::size_t old_end = end - edit.new_end + edit.old_end;
      while (!at_end(to) && to.byte < old_end) step_forward(to);
      if (to.byte == old_end) break;
    }
    const std::size_t begin = end;
    const std::size_t n_tokens = encoded.tokens.size();
    end = tokenizer_->encode_word(text, begin, encoded.tokens);
    encoded.words.push_back({static_cast<std::uint32_t>(end - begin),
                             static_cast<std::uint32_t>(encoded.tokens.size() - n_tokens)});
  }
  splice(from, to, std::move(encoded));
  n_bytes_ = text.size();
  return end - from.byte;
}

void EncodedText::append_to(std::vector<TokenId>& out) const {
  std::size_t n_tokens = out.size();
  for (const Chunk& chunk : chunks_) n_tokens += chunk.tokens.size();
  out.reserve(n_tokens);
  for (const Chunk& chunk : chunks_) append_range(out, chunk.tokens, 0, chunk.tokens.size());
}

// The beginning of the word that contains the byte, or the end of the text.
EncodedText::WordPlace EncodedText::place_of_byte(std::size_t byte) const {
  WordPlace place;
  while (!at_end(place) && place.byte + chunks_[place.chunk].n_bytes <= byte) {
    place.byte += chunks_[place.chunk].n_bytes;
    ++place.chunk;
  }
  if (at_end(place)) return place;
  for (const Word& word : chunks_[place.chunk].words) {
    if (place.byte + word.n_bytes > byte) break;
    ++place.word;
    place.token += word.n_tokens;
    place.byte += word.n_bytes;
  }
  return place;
}

void EncodedText::step_forward(WordPlace& place) const {
  const Chunk& chunk = chunks_[place.chunk];
  place.byte += chunk.words[place.word].n_bytes;
  place.token += chunk.words[place.word].n_tokens;
  if (++place.word < chunk.words.size()) return;
  ++place.chunk;
  place.word = 0;
  place.token = 0;
}

void EncodedText::step_back(WordPlace& place) const {
  if (place.word == 0) {
    const Chunk& chunk = chunks_[--place.chunk];
    place.word = chunk.words.size();
    place.token = chunk.tokens.size();
  }
  const Word& word = chunks_[place.chunk].words[--place.word];
  place.byte -= word.n_bytes;
  place.token -= word.n_tokens;
}

// The last word from which encoding can restart without the words before it.
EncodedText::WordPlace EncodedText::restart_place(std::string_view text,
                                                  std::size_t edit_begin) const {
  WordPlace place = place_of_byte(edit_begin);
  std::size_t end = edit_begin;
  Looks looks{.through_capitals = looks_through_capitals(tokenizer_->pre_tokenizer())};
  while (true) {
    looks.stop(text, place.byte, end, edit_begin);
    if (place.byte == 0 || !looks.any()) return place;
    end = place.byte;
    step_back(place);
  }
}

// Puts the words of `replacement` in place of those of [from, to).
void EncodedText::splice(const WordPlace& from, const WordPlace& to, Chunk replacement) {
  Chunk merged;
  std::size_t next = to.chunk;  // the first chunk that stays as it is
  if (from.word > 0) {
    append_range(merged.words, chunks_[from.chunk].words, 0, from.word);
    append_range(merged.tokens, chunks_[from.chunk].tokens, 0, from.token);
  }
  append_range(merged.words, replacement.words, 0, replacement.words.size());
  append_range(merged.tokens, replacement.tokens, 0, replacement.tokens.size());
  const auto append_chunk = [&](const Chunk& chunk, std::size_t word, std::size_t token) {
    append_range(merged.words, chunk.words, word, chunk.words.size());
    append_range(merged.tokens, chunk.tokens, token, chunk.tokens.size());
  };
  if (to.word > 0) append_chunk(chunks_[next++], to.word, to.token);
  // Small chunks are merged with their neighbours, so that there are never many.
  if (merged.words.size() < kChunkWords / 2 && next < chunks_.size()) {
    append_chunk(chunks_[next++], 0, 0);
  }

  std::vector<Chunk> chunks;
  std::size_t word = 0;
  std::size_t token = 0;
  while (word < merged.words.size()) {
    const std::size_t n_left = merged.words.size() - word;
    const std::size_t words_end =
        n_left <= 2 * kChunkWords ? merged.words.size() : word + kChunkWords;
    Chunk chunk;
    std::size_t token_end = token;
    for (std::size_t i = word; i < words_end; ++i) {
      chunk.n_bytes += merged.words[i].n_bytes;
      token_end += merged.words[i].n_tokens;
    }
    append_range(chunk.words, merged.words, word, words_end);
    append_range(chunk.tokens, merged.tokens, token, token_end);
    chunks.push_back(std::move(chunk));
    word = words_end;
    token = token_end;
  }
  const auto first = chunks_.begin() + static_cast<std::ptrdiff_t>(from.chunk);
  const std::size_t n_replaced = next - from.chunk;
  const std::size_t n_moved = std::min(n_replaced, chunks.size());
  const auto moved_end = chunks.begin() + static_cast<std::ptrdiff_t>(n_moved);
  const auto gap = std::move(chunks.begin(), moved_end, first);
  if (n_moved < n_replaced) {
    chunks_.erase(gap, first + static_cast<std::ptrdiff_t>(n_replaced));
  } else {
    chunks_.insert(gap, std::make_move_iterator(moved_end), std::make_move_iterator(chunks.end()));
  }
}

}  // namespace redraft
