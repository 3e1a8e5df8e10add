#pragma once

#include <string>
#include <string_view>

#include "workspace/completion/completion_shape.h"

namespace redraft {

// A completion while it is written: how much of what the model writes is shown. It ends where the
// text is complete (CompletionLimit), or, at the probability gate, before the token with which the
// probability of all tokens so far falls below `least_probability`. What the model would have
// written behind that is not shown; what it wrote before it stays as it is.
class ShownText {
 public:
  // `suffix`: the text after the cursor; it outlives this object. `least_probability`: 0 to 1; with
  // 0 there is no gate.
  ShownText(const CompletionShape& shape, std::string_view suffix, double least_probability);

  // The next token: its bytes, and the natural logarithm of its probability (without a gate, any
  // number). False: nothing of what follows is shown.
  bool add(std::string_view bytes, double log_probability);
  // To be called when the model has ended the text.
  void finish() { limit_.finish(); }

  // Whether the gate ended it.
  bool is_gated() const { return gated_; }
  // What counts so far, as the model wrote it.
  std::string_view written() const { return limit_.text(); }
  // What is worth inserting: see trimmed_completion(). Of several lines, the last one is left out
  // if it is incomplete: `cut_off` by the token limit, or ended by the gate. Where the gate ended
  // the only line within a word, it ends before that. Empty: nothing is shown.
  std::string text(bool cut_off) const;

 private:
  CompletionLimit limit_;
  std::string_view suffix_;
  bool before_line_;
  double least_;  // logarithm; minus infinity without a gate
  double sum_ = 0;
  bool gated_ = false;
  bool within_word_ = false;  // the gate ended it there
  bool at_line_end_ = false;  // likewise
};

}  // namespace redraft
