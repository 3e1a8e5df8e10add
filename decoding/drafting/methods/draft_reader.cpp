#include "decoding/drafting/methods/draft_reader.h"

#include <chrono>

namespace redraft {

bool DraftReader::catch_up(std::span<const TokenId> context) {
  slot_.cache->truncate_to_common_prefix(context.first(context.size() - 1));
  for (;;) {
    const auto rest = context.subspan(static_cast<std::size_t>(slot_.cache->length()));
    const auto rows = static_cast<std::size_t>(chunks_.rows());
    if (rest.size() <= rows) return true;
    if (stop_.stop_requested()) return false;
    const auto start = std::chrono::steady_clock::now();
    slot_.model->forward(rest.first(rows), DraftTree(), *slot_.cache,
                         PredictionNeeds{.every_row = false});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    chunks_.measured(static_cast<int>(rows), took.count());
  }
}

}  // namespace redraft
