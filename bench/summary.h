#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/record.h"
#include "decoding/statistics.h"

namespace redraft {

// What a decoder made of all tasks. Every ratio is to plain decoding of the same tasks in the same
// run; a mean is one of tasks, everything else is total by total.
struct DecoderSummary {
  std::string decoder;
  int turn = 0;          // of a dialogue; 0: all
  std::string category;  // of the tasks; empty: all
  int tasks = 0;
  DecodeStatistics statistics;  // summed
  SearchCounts searches;        // summed
  double seconds = 0;           // of decoding; of a replay priced
  double priced_seconds = 0;
  double tokens_per_second = 0;
  double mean_task_tokens_per_second = 0;
  double total_tokens_per_second = 0;  // with the prefill
  double speedup = 0;
  double mean_task_speedup = 0;
  double total_speedup = 0;  // with the prefill
  double priced_speedup = 0;
  double worst_priced_speedup = 0;
  std::string worst_task;
  int identical = 0;
  int judged = 0;  // tasks whose tests ran
  int passed = 0;
  int compared = 0;            // tasks with a reference
  double edit_similarity = 0;  // to it: their mean

  double rows_per_pass() const;
  // Draft tokens of that origin that were accepted per pass that tried some: the papers' tau1 (of
  // copies) and tau2 (of the draft model). 0 where there was none.
  double accepted_per_attempt(DraftOrigin origin) const;
  // Share of the output that came from drafts.
  double drafted_share() const;
  // Share of the output that was copied from prompt or output: CopySpec's "% copied".
  double copied_share() const;
  double ms_per_token() const;
};

// In the order in which decoders first appear; plain decoding is the first record of each task.
// `turn` 0 takes all records, otherwise those of that turn; an empty `category` takes all.
std::vector<DecoderSummary> summarize(std::span<const TaskRecord> records, int turn = 0,
                                      const std::string& category = {});

// The categories of the records, in alphabetical order; none: no record has one.
std::vector<std::string> categories_of(std::span<const TaskRecord> records);

// The plain record of the same task and turn as records[i].
const TaskRecord& plain_of(std::span<const TaskRecord> records, std::size_t i);

// How many times fewer seconds a token took than in `plain`; the pass that ends an output counts as
// a token, so that an empty output can be compared.
double relative_speed(double seconds, int tokens, double plain_seconds, int plain_tokens);

}  // namespace redraft
