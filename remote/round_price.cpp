#include "remote/round_price.h"

namespace redraft {
namespace {

constexpr double kNewest = 0.3;       // the weight of the newest value in a mean
constexpr double kMaxTokens = 1000;   // of a stream, that are remembered
constexpr int kMinTokens = 3;         // with fewer, their mean says nothing
constexpr double kUsualToken = 0.02;  // seconds, for a large model
constexpr int kWorthTrying = 16;      // tokens
constexpr int kQuestions = 4;         // round trips before the first token
constexpr double kUsualShare = 0.75;  // of an original that an answer repeats

void average(double& mean, double newest) {
  mean = mean > 0 ? mean + kNewest * (newest - mean) : newest;
}

}  // namespace

void RoundPrice::saw_round(double seconds) { average(round_, seconds); }

// A stream's start is a round trip too. So rounds that were slow once, because the server was busy,
// are tried again.
void RoundPrice::saw_start(double seconds) {
  average(start_, seconds);
  if (round_ > start_) average(round_, start_);
}

void RoundPrice::saw_tokens(double seconds, int count) {
  token_seconds_ += seconds;
  tokens_ += count;
  if (tokens_ < kMaxTokens) return;
  token_seconds_ /= 2;
  tokens_ /= 2;
}

void RoundPrice::saw_visit(int accepted) { reach_ += kNewest * (accepted - reach_); }

double RoundPrice::token() const {
  return tokens_ < kMinTokens ? kUsualToken : token_seconds_ / tokens_;
}

bool RoundPrice::pays(int left, int run, bool is_streaming) const {
  const double expected = std::min<double>(left, std::max<double>(reach_, run));
  if (round_ <= 0) return expected >= kWorthTrying;
  int rounds = 1, draft = first_draft(run), covered = draft;
  for (; covered < expected; ++rounds) covered += draft = longer(draft);
  const double next_start = is_streaming ? (start_ > 0 ? start_ : round_) : 0;
  return rounds * round_ + next_start < expected * token();
}

bool RoundPrice::is_worth_asking(int tokens) const {
  return kQuestions * round_ < kUsualShare * tokens * token();
}

}  // namespace redraft
