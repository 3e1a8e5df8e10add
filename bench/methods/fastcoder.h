#pragma once

#include <cstddef>
#include <memory>
#include <random>
#include <span>
#include <utility>

#include "bench/methods/continuation_cache.h"
#include "bench/methods/missing_table.h"
#include "bench/methods/retrieval_options.h"
#include "bench/methods/retrieval_tree.h"
#include "decoding/decoder_memory.h"
#include "decoding/draft_source.h"
#include "decoding/line_table.h"

namespace redraft {

struct FastCoderOptions {
  RetrievalOptions retrieval;
  double alpha = 1;      // weight of an occurrence in the repository
  double beta = 1;       // weight of an occurrence in common code
  bool cache = true;     // CACHE
  int opens_at = 50;     // sequences that CACHE needs before it opens
  int every = 20;        // tokens of output in each sequence
  bool strategy = true;  // skip token and missing table
  double p = 0.5;        // probability of retrieval at the first token of a line that is not blank
  int seed = 0;
};

// The state that FastCoder keeps from request to request.
class FastCoderState : public DecoderMemory::State {
 public:
  explicit FastCoderState(const FastCoderOptions& options)
      : cache(options.opens_at, options.retrieval.query.shortest) {}

  ContinuationCache cache;
  MissingTable missing;
};

// The stores that FastCoder searches; either may be null.
struct FastCoderStores {
  std::shared_ptr<const Datastore> repository;
  std::shared_ptr<const Datastore> common;
};

// FastCoder (section IV, algorithm 1): drafts come from CACHE once it is open. If CACHE finds
// nothing, they come from the repository and common code, unless the same search failed before, or
// the next token begins a line and the random number decides against it.
class FastCoderSource : public DraftSource {
 public:
  // The output begins after the `prompt_size` tokens of the prompt. `lines` may be null: then no
  // token counts as the beginning of a line. `lines` and `state` outlive the source.
  FastCoderSource(const FastCoderOptions& options, FastCoderStores stores, std::size_t prompt_size,
                  const LineTable* lines, FastCoderState& state);

  DraftTree draft(std::span<const TokenId> context, int limit) override;

 private:
  WeighedContinuations ask_cache(std::span<const TokenId> context);
  // Learns the fate of the last draft, and what was written since.
  void learn(std::span<const TokenId> context);
  DraftTree retrieve(std::span<const TokenId> context, int limit);
  bool worth_a_search(std::span<const TokenId> context);

  FastCoderOptions options_;
  FastCoderStores stores_;
  const LineTable* lines_;
  FastCoderState& state_;
  std::mt19937 random_;
  std::size_t written_begin_;  // in the context: start of the output that is in no sequence yet
  DraftTree retrieved_;        // the last draft, if it came from a store
  std::size_t draft_begin_ = 0;
};

}  // namespace redraft
