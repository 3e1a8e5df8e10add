// What a model thinks before it answers
//
// Prompts switch thinking off where the model's chat template can do that. Some templates cannot,
// and some models think all the same. The thought is at the beginning of the answer and ends with a
// tag. If the template opens the thought, the opening tag is in the prompt and not in the answer.
//
//   prompt          … <|im_start|>assistant⏎           prompt   … <|im_start|>assistant⏎<think>⏎
//   answer          <think>⏎A loop …⏎</think>⏎⏎for     answer   A loop …⏎</think>⏎⏎for
//   thought, text   "A loop …", "for"                            the same
//
// Families have other tags for the same (kAllTags in the source): Gemma 4's thought channel,
// Mistral's and Seed's tags, and gpt-oss's analysis, which is a message of its own before the final
// one.
//
// The answer with its thought is what the model wrote: figures, hashes and comparisons mean all of
// it. Only what reads the answer's text takes the thought off.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/token.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace redraft {

enum class AnswerBeginning : std::uint8_t {
  kNoThought,  // the answer has no thought: tags in it are text
  kMayThink,   // it may begin with white space and the opening tag
  kThinks      // the prompt has opened a thought, with <think>
};

// How an answer to this prompt of a chat begins: kThinks or kMayThink. A tag counts only at the end
// of the prompt, after all messages.
AnswerBeginning beginning_of_answer(std::span<const PromptPart> parts);

// How the rest of an answer begins after its beginning `begun`; the same if that is blank,
// otherwise kThinks or kNoThought.
AnswerBeginning beginning_of_rest(AnswerBeginning beginning, std::string_view begun);

// Appends the beginning of the answer to the prompt of a chat, and returns how the rest begins. If
// the prompt opens a thought, `begun` may go on with it, open it once more (the second tag is left
// out) or be text: then the thought is ended before it.
AnswerBeginning begin_answer(const Tokenizer& tokenizer, std::string_view begun,
                             std::vector<PromptPart>& parts);

// Whether the text begins with an opening tag, apart from white space.
bool begins_with_thought(std::string_view text);
bool mentions_thought(std::string_view text);  // has an opening tag anywhere

// The bytes of a token of an answer: those of Tokenizer::bytes(), but of control tokens that are
// tags of thoughts or parts of them the spelling. A view into the tokenizer or a constant.
std::string_view answer_bytes(const Tokenizer& tokenizer, TokenId token);

struct ThoughtTags;

// Divides an answer that arrives piece by piece. The result depends only on the bytes, not on how
// they are cut into pieces.
class ThoughtSplitter {
 public:
  // Parts of the thought and of the text that follow on the earlier ones. The thought has no white
  // space at its ends, the text no empty lines before it if there was a thought. Text comes only
  // after the whole thought.
  struct Pieces {
    std::string thought, text;
  };

  explicit ThoughtSplitter(AnswerBeginning beginning);

  Pieces add(std::string_view bytes);
  // No bytes follow: gives out what was held back.
  Pieces end();
  // Whether the thought has begun and not ended. Stays true after end() if it never ended.
  bool thinking() const { return state_ == State::kThinking; }
  bool has_thought() const { return has_thought_; }  // it has begun
  // How many of the answer's bytes come before its text; nullopt: the text has not begun.
  std::optional<std::size_t> text_begin() const;

 private:
  enum class State : std::uint8_t { kDeciding, kThinking, kBetween, kAfter };

  bool decide();
  bool think(std::string& thought);
  void take_thought(std::size_t size, std::string& thought);
  void drop(std::size_t size);

  bool skip_header();

  State state_;
  bool has_thought_;
  const ThoughtTags* tags_;    // of the thought, once it has begun
  bool gave_thought_ = false;  // Pieces had some of it
  std::string held_;           // not given out yet
  std::size_t dropped_ = 0;    // bytes before held_
  std::size_t text_begin_ = 0;
};

}  // namespace redraft
