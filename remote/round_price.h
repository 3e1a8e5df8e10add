#pragma once

#include <algorithm>

namespace redraft {

// Whether rounds of verification pay, by what they and streams took before.
//
// A server takes T seconds for a token of a stream, and a while to start one; a round takes R, most
// of it on the way, and gives as many tokens as are right. So rounds for the next m tokens pay if
// they take less than m * T, and in the middle of a stream, if that and the start of the next
// stream do.
class RoundPrice {
 public:
  static constexpr int kFirstDraft = 32, kLongestDraft = 256;  // tokens

  // How long the first draft is where the last `run` tokens were those of the original.
  static int first_draft(int run) { return std::clamp(run, kFirstDraft, kLongestDraft); }
  // And the next, when all of one was right.
  static int longer(int draft) { return std::min(2 * draft, kLongestDraft); }

  void saw_round(double seconds);
  void saw_start(double seconds);              // from a stream's request to its first token
  void saw_tokens(double seconds, int count);  // between tokens of a stream
  // What the rounds between two streams came to. A new answer knows nothing of it.
  void saw_visit(int accepted);
  void forget_visits() { reach_ = kUsualReach; }

  // `left`: tokens of the original that may follow; `run`: how many were the same so far. What is
  // not known yet is worth trying.
  bool pays(int left, int run, bool is_streaming) const;
  // Whether a text of so many tokens is worth asking the server for its tokens.
  bool is_worth_asking(int tokens) const;

 private:
  static constexpr double kUsualReach = 64;  // tokens

  double token() const;

  double round_ = 0, start_ = 0;  // seconds; 0: not known
  double token_seconds_ = 0, tokens_ = 0;
  double reach_ = kUsualReach;
};

}  // namespace redraft
