#include "bench/skip_meter.h"

#include <algorithm>
#include <span>
#include <utility>

#include "bench/methods/selfspec.h"
#include "decoding/draft_tree.h"

namespace redraft {
namespace {

constexpr std::size_t kChunk = 64;
// From one draft to the next: a whole draft, and the token that the target adds.
constexpr int kDistance = SelfSpecOptions().tokens + 1;

}  // namespace

bool SkipMeter::add(std::vector<TokenId> prompt, const std::vector<TokenId>& output,
                    const std::stop_token& stop) {
  if (prompt.empty() || output.size() < 2) return true;
  Text text{std::move(prompt), 0, nullptr};
  text.prompt_size = static_cast<int>(text.tokens.size());
  text.tokens.insert(text.tokens.end(), output.begin(), output.end());
  text.cache = model_.new_cache(static_cast<int>(text.tokens.size()));
  for (std::span<const TokenId> rest = text.tokens; !rest.empty();) {
    if (stop.stop_requested()) return false;
    const auto chunk = rest.first(std::min(kChunk, rest.size()));
    model_.forward(chunk, DraftTree(), *text.cache, {.every_row = false});
    rest = rest.subspan(chunk.size());
  }
  texts_.push_back(std::move(text));
  return true;
}

std::optional<SkipScore> SkipMeter::measure(const SkippedLayers& skipped,
                                            const std::stop_token& stop) const {
  SkipScore score{.share = model_.layer_skipping()->drafting_share(skipped)};
  for (const Text& text : texts_) {
    measure(text, skipped, stop, score);
    if (stop.stop_requested()) return std::nullopt;
  }
  return score;
}

// From the last place to the first: a draft overwrites what the target has of the text from there
// on, and reads only what is before it.
void SkipMeter::measure(const Text& text, const SkippedLayers& skipped, const std::stop_token& stop,
                        SkipScore& score) const {
  const std::unique_ptr<KvCache> cache = text.cache->fork(text.cache->length());
  SelfSpecSource source({}, {&model_, cache.get()}, skipped, {}, stop);
  const std::span<const TokenId> tokens = text.tokens;
  const int places = static_cast<int>(tokens.size()) - 1 - text.prompt_size;
  for (int place = (places - 1) / kDistance; place >= 0 && !stop.stop_requested(); --place) {
    const int at = text.prompt_size + place * kDistance;  // the last token that is known
    cache->truncate(at);
    const auto follows = tokens.subspan(static_cast<std::size_t>(at) + 1);
    const DraftTree draft = source.draft(tokens.first(static_cast<std::size_t>(at) + 1),
                                         static_cast<int>(follows.size()));
    Predictions written;
    written.argmax.assign(follows.begin(), follows.end());
    source.observe({draft, written, 1 + draft.size(), 0});
    const auto differ = std::ranges::mismatch(draft.tokens(), follows);
    const int accepted = static_cast<int>(differ.in1 - draft.tokens().begin());
    const double step = curve_.seconds(1, at);
    ++score.drafts;
    score.drafted += draft.size();
    score.accepted += accepted;
    score.seconds += draft.size() * score.share * step + curve_.seconds(1 + draft.size(), at);
    score.plain_seconds += (1 + accepted) * step;
  }
}

}  // namespace redraft
