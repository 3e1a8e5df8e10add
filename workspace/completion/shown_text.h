#pragma once

#include <string>
#include <string_view>

#include "workspace/completion/completion_shape.h"

namespace redraft {

// The visible part of a completion while it is written. It ends where the text is complete
// (CompletionLimit), or, at the probability gate, before the token at which the probability of all
// tokens so far falls below `least_probability`. Text after that point is not shown; text before it
// stays as it is.
class ShownText {
 public:
  // `least_probability`: 0 to 1; with 0 there is no gate.
  ShownText(const CompletionShape& shape, const CursorText& around, double least_probability);

  // Adds the next token: its bytes, and the natural logarithm of its probability (without a gate,
  // any number). False: nothing after this is shown.
  bool add(std::string_view bytes, double log_probability);
  // Call it when the model has ended the text.
  void finish() { limit_.finish(); }

  // Whether the gate ended it.
  bool is_gated() const { return gated_; }
  // The visible text so far, as the model wrote it.
  std::string_view written() const { return limit_.text(); }
  // The text that is worth inserting: see trimmed_completion(). If the last of several lines is
  // incomplete, it is left out: `cut_off` by the token limit, or ended by the gate. If the gate
  // ended the only line within a word, the text ends before that word; if a reserved word or
  // opening marks alone are left, nothing is. Empty: nothing is shown.
  std::string text(bool cut_off) const;

 private:
  // Whether a text is only the beginning of a statement, a list or a string.
  bool only_begins(std::string_view text) const;

  CompletionLimit limit_;
  CursorText around_;
  bool before_line_;
  std::string_view keywords_;
  double least_;  // logarithm; minus infinity without a gate
  double sum_ = 0;
  bool gated_ = false;
  bool within_word_ = false;  // whether the gate ended it within a word
  bool at_line_end_ = false;  // whether the gate ended it at the end of a line
};

}  // namespace redraft
