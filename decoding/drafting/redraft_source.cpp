#include "decoding/drafting/redraft_source.h"

#include <algorithm>

namespace redraft {
namespace {

constexpr int kCopies = 3;  // places of the text that are offered for each draft

}  // namespace

RedraftSource::RedraftSource(const DecodeRequest& request, const CostCurve& cost,
                             const RedraftOptions& options)
    : options_(options),
      prompt_size_(request.prompt.size()),
      original_(request.original),
      priced_(cost) {
  for (const TokenId token : request.prompt) text_.append(token);
}

DraftTree RedraftSource::draft(std::span<const TokenId> context, int limit) {
  absorb(context);
  std::vector<Continuation> continuations;
  original_.add_continuations(context.subspan(prompt_size_), priced_.survival(), continuations);
  for (const SuffixIndex::Match& match : text_.find_recent(context, kCopies)) {
    continuations.push_back({text_.text().subspan(match.next), GuessKind::kCopy, match.length});
  }
  return priced_.choose(continuations, std::min(limit, options_.max_nodes.value_or(limit)),
                        static_cast<int>(context.size()));
}

void RedraftSource::absorb(std::span<const TokenId> context) {
  const std::size_t known = text_.text().size();
  priced_.learn(context.subspan(known));
  for (std::size_t size = known + 1; size <= context.size(); ++size) {
    text_.append(context[size - 1]);
    original_.advance(context.first(size).subspan(prompt_size_));
  }
}

}  // namespace redraft
