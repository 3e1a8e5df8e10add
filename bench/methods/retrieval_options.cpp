#include "bench/methods/retrieval_options.h"

#include <algorithm>

namespace redraft {

std::vector<DecoderOption> RetrievalOptions::declared() {
  return {
      DecoderOption::integer("n", 16, 1, 64, "longest end of the text to search for, in tokens"),
      DecoderOption::integer("min-n", 2, 1, 64, "shortest end that counts as found"),
      DecoderOption::integer("tokens", 10, 1, 64, "tokens of one continuation"),
      DecoderOption::integer("nodes", 64, 1, 1024, "tokens of a draft"),
      DecoderOption::integer("matches", 5000, 1, 100'000, "occurrences to look at")};
}

RetrievalOptions RetrievalOptions::from(const DecoderOptions& options) {
  return {.query = {.longest = options.integer("n"),
                    .shortest = std::min(options.integer("min-n"), options.integer("n")),
                    .length = options.integer("tokens"),
                    .most = options.integer("matches")},
          .nodes = options.integer("nodes")};
}

}  // namespace redraft
