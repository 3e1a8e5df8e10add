#include "bench/methods/remainder_source.h"

#include <algorithm>
#include <utility>

#include "decoding/chunk_sizer.h"
#include "decoding/decoder_definition.h"

namespace redraft {
namespace {

constexpr double kChunkTolerance = 0.1;  // how much more a row may cost than in the best chunk

}  // namespace

DraftTree RemainderSource::draft(std::span<const TokenId>, int limit) {
  const auto rest = std::span(original_).subspan(position_);
  drafted_ =
      std::min({rest.size(), static_cast<std::size_t>(chunk_), static_cast<std::size_t>(limit)});
  return DraftTree::chain(rest.first(drafted_), DraftOrigin::kReuse);
}

bool RemainderSource::advance(std::span<const TokenId> written) {
  const std::size_t expected = std::exchange(drafted_, 0);
  for (const TokenId token : written) {
    if (exhausted() || original_[position_] != token) return false;
    ++position_;
  }
  return written.size() >= expected;
}

bool RemainderSource::resume_after(std::span<const TokenId> key) {
  const auto begin = original_.begin() + static_cast<std::ptrdiff_t>(position_);
  const auto found = std::search(begin, original_.end(), key.begin(), key.end());
  if (found == original_.end()) return false;
  position_ = static_cast<std::size_t>(found - original_.begin()) + key.size();
  return true;
}

int reuse_chunk(const PlanInputs& inputs) {
  // The rows of a chunk are its tokens and the last token of the context.
  const auto context = static_cast<int>(inputs.request.prompt.size());
  const int most = priced_chunk_rows(inputs.cost, context);
  return std::max(1, inputs.cost.efficient_rows(most, kChunkTolerance, context) - 1);
}

}  // namespace redraft
