#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/record.h"
#include "decoding/statistics.h"

namespace redraft {

// A decoder's results over all tasks. Every ratio is to plain decoding of the same tasks in the
// same run. A mean is over tasks; everything else is total by total.
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
  double total_tokens_per_second = 0;  // including the prefill
  double speedup = 0;
  double mean_task_speedup = 0;
  double total_speedup = 0;  // including the prefill
  double priced_speedup = 0;
  double worst_priced_speedup = 0;
  std::string worst_task;
  int identical = 0;
  int judged = 0;  // tasks whose tests ran
  int passed = 0;
  int compared = 0;            // tasks with a reference
  double edit_similarity = 0;  // the mean similarity to the reference

  double rows_per_pass() const;
  // Draft tokens of that origin that were accepted per pass that tried some: the papers' tau1 (of
  // copies) and tau2 (of the draft model). 0 if there were none.
  double accepted_per_attempt(DraftOrigin origin) const;
  // Share of the output that came from drafts.
  double drafted_share() const;
  // Share of the output that was copied from prompt or output: CopySpec's "% copied".
  double copied_share() const;
  double ms_per_token() const;
};

// In the order in which decoders first appear; plain decoding is the first record of each task.
// `turn` 0 uses all records, otherwise those of that turn; an empty `category` uses all.
std::vector<DecoderSummary> summarize(std::span<const TaskRecord> records, int turn = 0,
                                      const std::string& category = {});

// The categories of the records, in alphabetical order; empty: no record has one.
std::vector<std::string> categories_of(std::span<const TaskRecord> records);

// The plain record of the same task and turn as records[i].
const TaskRecord& plain_of(std::span<const TaskRecord> records, std::size_t i);

// The seconds per token of `plain` divided by those of this output. The pass that ends an output
// counts as a token, so that an empty output can be compared.
double relative_speed(double seconds, int tokens, double plain_seconds, int plain_tokens);

}  // namespace redraft
