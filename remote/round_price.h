#pragma once

#include <algorithm>

namespace redraft {

// Decides whether verification rounds pay off, from the measured times of rounds and streams.
//
// A server takes T seconds per token of a stream, plus some time to start one. A round takes R
// seconds, mostly on the network, and yields as many tokens as are right. So rounds for the next m
// tokens pay off if they take less than m * T; in the middle of a stream, if they and the start of
// the next stream do.
class RoundPrice {
 public:
  static constexpr int kFirstDraft = 32, kLongestDraft = 256;  // tokens

  // The length of the first draft if the last `run` tokens were those of the original.
  static int first_draft(int run) { return std::clamp(run, kFirstDraft, kLongestDraft); }
  // The length of the next draft after one that was completely right.
  static int longer(int draft) { return std::min(2 * draft, kLongestDraft); }

  void saw_round(double seconds);
  void saw_start(double seconds);              // from a stream's request to its first token
  void saw_tokens(double seconds, int count);  // between tokens of a stream
  // The result of the rounds between two streams. Each answer starts without it.
  void saw_visit(int accepted);
  void forget_visits() { reach_ = kUsualReach; }

  // `left` is how many tokens of the original may follow, `run` how many matched so far. Unknown
  // costs are worth a try.
  bool pays(int left, int run, bool is_streaming) const;
  // Whether a text of this many tokens is worth requesting its tokens from the server.
  bool is_worth_asking(int tokens) const;

 private:
  static constexpr double kUsualReach = 64;  // tokens

  double token() const;

  double round_ = 0, start_ = 0;  // seconds; 0 if unknown
  double token_seconds_ = 0, tokens_ = 0;
  double reach_ = kUsualReach;
};

}  // namespace redraft
