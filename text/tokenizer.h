#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/result.h"
#include "support/token.h"

namespace redraft {

class ChatRenderer;
enum class PreTokenizer;

// What a model file says about its tokenizer; not trusted until Tokenizer::make has checked it.
struct TokenizerSpec {
  std::string pre_tokenizer;        // GGUF tokenizer.ggml.pre: "qwen2", …
  std::vector<std::string> tokens;  // in the file's alphabet; index is the id
  std::vector<std::int32_t> types;  // GGUF token types: 1 normal, 3 control, 4 user defined,
                                    // 5 unused, 6 a byte spelled <0x0A>; empty: all normal
  std::vector<std::string> merges;  // "left right", best first
  bool ignore_merges = false;  // a word that is a token becomes that token, whatever its merges
  TokenId end_of_text = -1;    // GGUF eos_token_id
  bool add_bos = false;
  TokenId bos = -1;
  std::vector<TokenId> end_tokens;  // each of them ends an answer, as far as the files say
  std::string chat_template;        // Jinja; empty: none
  // A model of Gemma 4 that writes a thought before each answer, an empty one if thinking is off:
  // all but E2B and E4B. Some of their templates write it, others leave it to the model.
  bool answers_after_thought = false;
  std::shared_ptr<ChatRenderer> chat_renderer;  // runs it; null: nothing does
};

// Byte-pair encoding of bytes or, for Gemma 4, of characters, exactly as the `tokenizers` package
// does it without a normaliser and without added tokens. Where the package would find added tokens
// in the text, special or not, redraft writes them itself where it means them, so that no text can
// forge one. Immutable: any thread may use it. Any bytes that the vocabulary covers (Qwen's: all
// bytes) can be encoded and are decoded unchanged, valid UTF-8 or not; a byte outside a well-formed
// sequence counts as a symbol.
//
// Gemma 4's tokens have U+2581 where the text has a space. The package takes that character in a
// text for a space, too; here it gets the tokens of its three bytes, so that it comes back.
class Tokenizer {
 public:
  static Result<std::shared_ptr<const Tokenizer>> make(TokenizerSpec spec);
  ~Tokenizer();

  // Encodes ordinary text: the result never contains a special token, whatever the text spells.
  std::vector<TokenId> encode(std::string_view text) const;
  // encode() for one word: appends the tokens of the word that begins at `begin` < text.size() and
  // returns where it ends.
  std::size_t encode_word(std::string_view text, std::size_t begin,
                          std::vector<TokenId>& ids) const;
  // Whether the vocabulary has a token for every byte of `text`. encode() leaves out the others, as
  // the package does; SmolLM2 lacks some control characters and bytes of unassigned planes.
  bool covers(std::string_view text) const;
  // The bytes that a token stands for. Those of a user-defined token (Qwen's <tool_call>) are its
  // spelling, which encode() writes with other tokens. Empty for control tokens, unused tokens and
  // ids outside the vocabulary.
  std::string_view bytes(TokenId id) const;
  std::string decode(std::span<const TokenId> ids) const;
  // The id of a special token by its spelling ("<|im_end|>"), or -1.
  TokenId special(std::string_view spelling) const;
  bool is_special(TokenId id) const;
  // The longest spelling of a special token with which `text` begins; empty if there is none.
  std::string_view special_prefix(std::string_view text) const;
  // How reports show a token: its bytes, or the spelling of a special one.
  std::string display(TokenId id) const;
  int vocabulary_size() const;
  PreTokenizer pre_tokenizer() const;
  TokenId end_of_text() const;
  // The token that every prompt begins with, or -1.
  TokenId begin_of_text() const;
  // As in TokenizerSpec.
  std::span<const TokenId> end_tokens() const;
  const std::string& chat_template() const;
  bool answers_after_thought() const;
  // As in TokenizerSpec. Unlike all else here it has a state, which it guards itself.
  ChatRenderer* chat_renderer() const;

 private:
  struct Impl;
  explicit Tokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace redraft
