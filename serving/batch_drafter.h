#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/drafting/redraft/redraft_memory.h"
#include "support/token.h"
#include "text/tokenizer.h"

namespace redraft {

// A sequence in a server's batch after a step of the server.
struct BatchRow {
  std::span<const TokenId> tokens;  // prompt and output
  std::size_t written;              // how many of them the step wrote; 0 if it only read the prompt
};

// Drafts for another engine that decodes many sequences at a time: redraft's drafts as chains,
// because such engines verify chains. After a step they report the tokens and nothing else: neither
// the request of a row nor the predictions for tokens that were not accepted. One thread at a time.
class BatchDrafter {
 public:
  struct Options {
    // The cost of a step by its rows, in plain steps. Measurements correct it.
    std::vector<CostCurve::Point> cost = {{1, 1}, {8, 1.02}, {32, 1.1}, {64, 1.3}};
    int longest = 28;                                      // tokens of a draft
    std::shared_ptr<const Tokenizer> tokenizer = nullptr;  // the model's; null if unknown
    // Whether a draft may be copied from the output of earlier sequences. The speed of an answer
    // then reveals to other clients that it was written before.
    bool remembers = true;
    std::size_t most_tokens = std::numeric_limits<std::size_t>::max();  // of a sequence
    std::function<double()> clock = {};  // in seconds; empty for the system's clock
  };

  explicit BatchDrafter(Options options);
  ~BatchDrafter();

  // The likely continuation of each row: at most Options::longest tokens, none for a row without
  // new tokens. Call this after every step: a sequence that is missing in a call counts as ended.
  std::vector<std::vector<TokenId>> propose(std::span<const BatchRow> rows);

 private:
  class Sequence;

  // The sequence of the last call that `row` continues; null if it is new.
  std::unique_ptr<Sequence> take(const BatchRow& row, std::size_t index);
  std::unique_ptr<RedraftMemory> take_memory();
  void end_sequences();
  // A step takes `factor` times the time of cost_.
  void use_unit(double factor);

  Options options_;
  bool has_unit_ = false;  // whether cost_ is in seconds of this server
  CostCurve cost_;
  std::vector<std::unique_ptr<Sequence>> sequences_;  // of the last call, by row; null if there is
                                                      // none
  std::vector<std::unique_ptr<RedraftMemory>> memories_;  // of ended sequences, the latest last
  double proposed_at_ = 0;                                // when the last call ended
};

}  // namespace redraft
