#include "decoding/drafting/efficientedit.h"

#include <algorithm>
#include <utility>

namespace redraft {

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

EfficientEditPlan::EfficientEditPlan(const DecoderName& name, const DecodeRequest& request,
                                     ModelSlot draft, int chunk_rows, std::stop_token stop)
    : name_(name),
      // A chunk's rows are its tokens and the context's last one.
      remainder_(request.original, std::max(1, chunk_rows - 1)),
      phase_begin_(request.prompt.size()),
      pass_begin_(request.prompt.size()) {
  if (name.reuse_only) return;
  model_ = std::make_unique<ModelSource>(draft, name.gamma, request.stop_tokens, std::move(stop));
}

Phase EfficientEditPlan::next(std::span<const TokenId> context) {
  const bool first = context.size() == phase_begin_;
  const bool was_reusing = std::exchange(reusing_, reuse_follows(context));
  if (was_reusing && !reusing_) phase_begin_ = context.size();
  pass_begin_ = context.size();
  if (!reusing_) return {.source = model_.get(), .policy = name_.generate_policy};
  return {.source = &remainder_,
          .policy = {},
          .keep_correction = name_.keep_correction,
          .continues_pass = was_reusing && !first};
}

bool EfficientEditPlan::reuse_follows(std::span<const TokenId> context) {
  if (reusing_) return remainder_.advance(context.subspan(pass_begin_)) && !remainder_.exhausted();
  const auto key = static_cast<std::size_t>(name_.key);
  if (context.size() - phase_begin_ < key) return false;
  return remainder_.resume_after(context.last(key)) && !remainder_.exhausted();
}

}  // namespace redraft
