#include "text/tokenizer.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <optional>

#include "text/byte_alphabet.h"
#include "text/byte_pair_merger.h"
#include "text/pre_tokenizer.h"
#include "text/unicode.h"
#include "text/word_table.h"

namespace redraft {
namespace {

// GGUF's token types.
enum TokenType : std::int32_t {
  kUndefined = 0,
  kNormal = 1,
  kControl = 3,
  kUserDefined = 4,
  kByte = 6
};

std::string named(TokenId id) { return "token " + std::to_string(id); }

// Bytes that can be part of a text: a vocabulary that lacks a token for one of them is not
// byte-level.
bool is_text_byte(int byte) {
  return byte == '\t' || byte == '\n' || byte == '\r' || (byte >= 0x20 && byte <= 0x7E) ||
         (byte >= 0x80 && byte <= 0xBF) || (byte >= 0xC2 && byte <= 0xF0);
}

Result<void> check_numbers(const TokenizerSpec& spec) {
  const std::size_t n_tokens = spec.tokens.size();
  if (n_tokens == 0) return Error("the vocabulary is empty");
  if (n_tokens > static_cast<std::size_t>(std::numeric_limits<TokenId>::max())) {
    return Error("the vocabulary has too many tokens");
  }
  if (spec.merges.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max() - 1)) {
    return Error("there are too many merges");
  }
  if (!spec.types.empty() && spec.types.size() != n_tokens) {
    return Error("there are " + std::to_string(n_tokens) + " tokens but " +
                 std::to_string(spec.types.size()) + " token types");
  }
  for (std::size_t i = 0; i < spec.types.size(); ++i) {
    if (spec.types[i] < kUndefined || spec.types[i] > kByte) {
      return Error(named(static_cast<TokenId>(i)) + " has the unknown type " +
                   std::to_string(spec.types[i]));
    }
  }
  const auto in_vocabulary = [&](TokenId id) {
    return id >= 0 && static_cast<std::size_t>(id) < n_tokens;
  };
  if (spec.end_of_text != -1 && !in_vocabulary(spec.end_of_text)) {
    return Error("the end-of-text " + named(spec.end_of_text) + " is outside the vocabulary");
  }
  for (const TokenId id : spec.end_tokens) {
    if (!in_vocabulary(id)) return Error("the end " + named(id) + " is outside the vocabulary");
  }
  if (spec.add_bos && !in_vocabulary(spec.bos)) {
    return Error("prompts are to begin with " + named(spec.bos) +
                 ", which is outside the vocabulary");
  }
  return {};
}

// The bytes that an ordinary token's or a merge's spelling stands for.
using FromSpelling = std::optional<std::string> (*)(std::string_view spelling);

// Every token's bytes. Ordinary tokens that are not spelled as they have to be can be decoded as
// they are but are never encoded. Tokens of single bytes are found by make_byte_tokens() only.
// Special and unused tokens keep their spelling.
Result<WordTable> make_words(const TokenizerSpec& spec, FromSpelling from_spelling) {
  WordTable words(spec.tokens.size());
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    const std::string& spelling = spec.tokens[i];
    const auto id = static_cast<TokenId>(i);
    const std::int32_t type = spec.types.empty() ? kNormal : spec.types[i];
    if (type == kByte) {
      const std::optional<std::string> byte = from_byte_spelling(spelling);
      words.add(byte ? *byte : spelling, false);
      continue;
    }
    const bool ordinary = type == kNormal;
    if (ordinary && spelling.empty()) return Error(named(id) + " is empty");
    const std::optional<std::string> bytes = ordinary ? from_spelling(spelling) : std::nullopt;
    const TokenId same = words.add(bytes ? *bytes : spelling, bytes.has_value());
    if (same >= 0) {
      return Error(named(same) + " and " + named(id) + " are both " + quoted_in_error(spelling));
    }
  }
  return words;
}

// The token of each byte, -1 for those without one. With `of_type`, these have a type of their own;
// otherwise they are the ordinary tokens of one byte.
Result<std::array<TokenId, 256>> make_byte_tokens(const TokenizerSpec& spec, const WordTable& words,
                                                  bool of_type) {
  std::array<TokenId, 256> tokens;
  tokens.fill(-1);
  for (std::size_t i = 0; of_type && i < spec.types.size(); ++i) {
    if (spec.types[i] != kByte) continue;
    const std::string_view bytes = words.bytes(static_cast<TokenId>(i));
    if (bytes.size() == 1) tokens[static_cast<unsigned char>(bytes[0])] = static_cast<TokenId>(i);
  }
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    TokenId& token = tokens[static_cast<std::size_t>(byte)];
    if (!of_type) token = words.find({&c, 1});
    if (token < 0 && is_text_byte(byte)) {
      return Error("the vocabulary has no token for the single byte " + std::to_string(byte) +
                   (of_type ? "" : ", so it is not a byte-level one"));
    }
  }
  return tokens;
}

// Whether a word has a line end and something else, so that it is part of no line.
bool crosses_lines(std::string_view word) {
  return word.find('\n') != word.npos && word.find_first_not_of('\n') != word.npos;
}

Result<std::vector<PairMerge>> make_merges(const std::vector<std::string>& lines,
                                           const WordTable& words, FromSpelling from_spelling,
                                           bool within_lines) {
  std::vector<PairMerge> merges;
  merges.reserve(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const auto fail = [&](const std::string& why) {
      return Error("merge " + std::to_string(i) + " " + quoted_in_error(line) + ": " + why);
    };
    const std::size_t space = line.find(' ');
    if (space == line.npos || line.find(' ', space + 1) != line.npos) {
      return fail("not two tokens with a space between them");
    }
    const auto left = from_spelling(line.substr(0, space));
    const auto right = from_spelling(line.substr(space + 1));
    if (!left || !right || left->empty() || right->empty()) {
      return fail(within_lines ? "not two tokens" : "not two tokens in the byte-level alphabet");
    }
    if (within_lines && crosses_lines(*left + *right)) return fail("it crosses the end of a line");
    const PairMerge merge{words.find(*left), words.find(*right), words.find(*left + *right)};
    if (merge.left < 0) return fail("its left side is not an ordinary token of the vocabulary");
    if (merge.right < 0) return fail("its right side is not an ordinary token of the vocabulary");
    if (merge.merged < 0) return fail("what it makes is not an ordinary token of the vocabulary");
    merges.push_back(merge);
  }
  return merges;
}

}  // namespace

struct Tokenizer::Impl {
  bool is_ordinary(TokenId id) const {
    return types.empty() || types[static_cast<std::size_t>(id)] == kNormal;
  }
  // Whether the token is text: ordinary, a byte, or one whose spelling is meant to be text, such as
  // Qwen's <tool_call>.
  bool is_written(TokenId id) const {
    if (is_ordinary(id)) return true;
    const std::int32_t type = types[static_cast<std::size_t>(id)];
    return type == kUserDefined || (type == kByte && merges_characters(pre_tokenizer));
  }
  bool contains(TokenId id) const { return id >= 0 && id < n_tokens; }
  void find_whole_words(bool ignore_merges);
  // Appends the tokens of a word.
  void merge(std::string_view word, std::vector<TokenId>& ids) const;

  PreTokenizer pre_tokenizer;
  WordTable words;
  std::array<TokenId, 256> byte_tokens;
  BytePairMerger merger;
  std::vector<std::int32_t> types;
  std::vector<bool> whole_words;  // [n_tokens] whether a word of exactly these bytes is this token
  std::map<std::string, TokenId, std::less<>> specials;
  int n_tokens;
  TokenId end_of_text;
  TokenId begin_of_text;
  std::vector<TokenId> end_tokens;
  std::string chat_template;
  bool answers_after_thought;
  std::shared_ptr<ChatRenderer> chat_renderer;
};

// Not every token is what its own bytes merge into. A word may be looked up only if merging would
// give the same, or if the vocabulary puts words before merges.
void Tokenizer::Impl::find_whole_words(bool ignore_merges) {
  whole_words.resize(static_cast<std::size_t>(n_tokens));
  std::vector<TokenId> merged;
  for (TokenId id = 0; id < n_tokens; ++id) {
    if (!is_ordinary(id)) continue;
    merged.clear();
    if (!ignore_merges) merge(words.bytes(id), merged);
    whole_words[static_cast<std::size_t>(id)] =
        ignore_merges || (merged.size() == 1 && merged[0] == id);
  }
}

void Tokenizer::Impl::merge(std::string_view word, std::vector<TokenId>& ids) const {
  if (!merges_characters(pre_tokenizer)) {
    merger.append(word, ids);
    return;
  }
  std::vector<TokenId> tokens;
  tokens.reserve(word.size());
  for (std::size_t i = 0; i < word.size();) {
    const std::string_view character = word.substr(i, character_at(word, i).length);
    i += character.size();
    if (const TokenId token = words.find(character); token >= 0) {
      tokens.push_back(token);
      continue;
    }
    for (const char c : character) {
      const TokenId token = byte_tokens[static_cast<unsigned char>(c)];
      if (token >= 0) tokens.push_back(token);
    }
  }
  merger.append(tokens, ids);
}

Result<std::shared_ptr<const Tokenizer>> Tokenizer::make(TokenizerSpec spec) {
  const auto pre_tokenizer = find_pre_tokenizer(spec.pre_tokenizer);
  if (!pre_tokenizer) return pre_tokenizer.error().in("tokenizer");
  if (const auto checked = check_numbers(spec); !checked) return checked.error().in("tokenizer");
  const bool characters = merges_characters(*pre_tokenizer);
  const FromSpelling from_spelling = characters ? from_marked_spaces : from_byte_alphabet;
  auto words = make_words(spec, from_spelling);
  if (!words) return words.error().in("tokenizer");
  const auto byte_tokens = make_byte_tokens(spec, *words, characters);
  if (!byte_tokens) return byte_tokens.error().in("tokenizer");
  auto merges = make_merges(spec.merges, *words, from_spelling, characters);
  if (!merges) return merges.error().in("tokenizer");

  auto impl = std::make_unique<Impl>(Impl{
      .pre_tokenizer = *pre_tokenizer,
      .words = *std::move(words),
      .byte_tokens = *byte_tokens,
      .merger = BytePairMerger(*byte_tokens, *std::move(merges)),
      .types = std::move(spec.types),
      .whole_words = {},
      .specials = {},
      .n_tokens = static_cast<int>(spec.tokens.size()),
      .end_of_text = spec.end_of_text,
      .begin_of_text = spec.add_bos ? spec.bos : -1,
      .end_tokens = std::move(spec.end_tokens),
      .chat_template = std::move(spec.chat_template),
      .answers_after_thought = spec.answers_after_thought,
      .chat_renderer = std::move(spec.chat_renderer),
  });
  impl->find_whole_words(spec.ignore_merges);
  for (std::size_t i = 0; i < impl->types.size(); ++i) {
    if (impl->types[i] != kControl && impl->types[i] != kUserDefined) continue;
    impl->specials.emplace(std::move(spec.tokens[i]), static_cast<TokenId>(i));
  }
  return std::shared_ptr<const Tokenizer>(new Tokenizer(std::move(impl)));
}

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::~Tokenizer() = default;

std::vector<TokenId> Tokenizer::encode(std::string_view text) const {
  std::vector<TokenId> ids;
  ids.reserve(text.size() / 3 + 8);  // source code has three to four bytes a token
  for (std::size_t begin = 0; begin < text.size();) begin = encode_word(text, begin, ids);
  return ids;
}

std::size_t Tokenizer::encode_word(std::string_view text, std::size_t begin,
                                   std::vector<TokenId>& ids) const {
  const std::size_t end = word_end(impl_->pre_tokenizer, text, begin);
  const std::string_view word = text.substr(begin, end - begin);
  const TokenId whole = impl_->words.find(word);
  if (whole >= 0 && impl_->whole_words[static_cast<std::size_t>(whole)]) {
    ids.push_back(whole);
  } else {
    impl_->merge(word, ids);
  }
  return end;
}

bool Tokenizer::covers(std::string_view text) const {
  for (const char c : text) {
    if (impl_->byte_tokens[static_cast<unsigned char>(c)] < 0) return false;
  }
  return true;
}

std::string_view Tokenizer::bytes(TokenId id) const {
  return impl_->contains(id) && impl_->is_written(id) ? impl_->words.bytes(id) : std::string_view();
}

std::string Tokenizer::decode(std::span<const TokenId> ids) const {
  std::string text;
  for (const TokenId id : ids) text += bytes(id);
  return text;
}

TokenId Tokenizer::special(std::string_view spelling) const {
  const auto found = impl_->specials.find(spelling);
  return found == impl_->specials.end() ? -1 : found->second;
}

bool Tokenizer::is_special(TokenId id) const {
  if (!impl_->contains(id) || impl_->types.empty()) return false;
  const std::int32_t type = impl_->types[static_cast<std::size_t>(id)];
  return type == kControl || type == kUserDefined;
}

std::string_view Tokenizer::special_prefix(std::string_view text) const {
  // The last spelling that is not behind `text` in the order is the longest prefix of it, or a
  // prefix of `text` is no longer than what the two have in common.
  while (!text.empty()) {
    auto place = impl_->specials.upper_bound(text);
    if (place == impl_->specials.begin()) return {};
    const std::string_view spelling = std::prev(place)->first;
    if (text.starts_with(spelling)) return spelling;
    const auto differ = std::ranges::mismatch(text, spelling);
    text = text.substr(0, static_cast<std::size_t>(differ.in1 - text.begin()));
  }
  return {};
}

std::string Tokenizer::display(TokenId id) const {
  return impl_->contains(id) ? std::string(impl_->words.bytes(id)) : std::string();
}

int Tokenizer::vocabulary_size() const { return impl_->n_tokens; }
PreTokenizer Tokenizer::pre_tokenizer() const { return impl_->pre_tokenizer; }
TokenId Tokenizer::end_of_text() const { return impl_->end_of_text; }
TokenId Tokenizer::begin_of_text() const { return impl_->begin_of_text; }
std::span<const TokenId> Tokenizer::end_tokens() const { return impl_->end_tokens; }
const std::string& Tokenizer::chat_template() const { return impl_->chat_template; }
bool Tokenizer::answers_after_thought() const { return impl_->answers_after_thought; }
ChatRenderer* Tokenizer::chat_renderer() const { return impl_->chat_renderer.get(); }

}  // namespace redraft
