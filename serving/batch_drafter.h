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

// A sequence of a server's batch after a step of the server.
struct BatchRow {
  std::span<const TokenId> tokens;  // prompt and output
  std::size_t written;              // how many of them the step wrote; 0: it only read the prompt
};

// Drafts for an engine of somebody else's that decodes many sequences at a time: what `redraft`
// drafts, as chains, since that is what such engines verify. They tell which tokens there are after
// a step, and nothing else: neither which request a row is of, nor what was predicted for tokens
// that were not accepted. One thread at a time.
class BatchDrafter {
 public:
  struct Options {
    // Of a step by its rows, in plain steps. What is measured corrects it.
    std::vector<CostCurve::Point> cost = {{1, 1}, {8, 1.02}, {32, 1.1}, {64, 1.3}};
    int longest = 28;                                      // tokens of a draft
    std::shared_ptr<const Tokenizer> tokenizer = nullptr;  // of the model; null: not known
    // Whether a draft may be copied from what was written in earlier sequences. How soon tokens
    // come then tells others that somebody had them written before.
    bool remembers = true;
    std::size_t most_tokens = std::numeric_limits<std::size_t>::max();  // of a sequence
    std::function<double()> clock = {};  // in seconds; empty: the system's
  };

  explicit BatchDrafter(Options options);
  ~BatchDrafter();

  // What may come next in each row: at most Options::longest tokens, none for a row that wrote
  // nothing. To be called after every step: a sequence that is not in a call is taken to have
  // ended.
  std::vector<std::vector<TokenId>> propose(std::span<const BatchRow> rows);

 private:
  class Sequence;

  // The sequence of the last call that `row` goes on with; null: it is new.
  std::unique_ptr<Sequence> take(const BatchRow& row, std::size_t index);
  std::unique_ptr<RedraftMemory> take_memory();
  void end_sequences();
  // A step takes `factor` times as long as cost_ says.
  void use_unit(double factor);

  Options options_;
  bool has_unit_ = false;  // whether cost_ is in seconds of this server
  CostCurve cost_;
  std::vector<std::unique_ptr<Sequence>> sequences_;      // of the last call, by row; null: none
  std::vector<std::unique_ptr<RedraftMemory>> memories_;  // of ended sequences, the latest last
  double proposed_at_ = 0;                                // when the last call ended
};

}  // namespace redraft
