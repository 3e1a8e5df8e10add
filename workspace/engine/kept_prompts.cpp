#include "workspace/engine/kept_prompts.h"

#include <memory>

#include "support/trace/trace.h"

namespace redraft {
namespace {

// Seconds of reading. Copying back has a cost of its own, and what is read soon again needs no
// disk.
constexpr double kMinRestored = 0.05;
constexpr double kMinSaved = 1;
// What a file may lack of a prompt before another is written: with each instruction the end of the
// prompt changes, and all of it would be written again.
constexpr double kMaxLacking = 0.25;
// The parts of a file that does not fit the context have a prompt each.
constexpr std::size_t kMaxRead = 4;

int tokens_in(double seconds, const CostCurve& cost) {
  return cost.tokens_read_in(seconds, KvEntry::kMaxTokens);
}

}  // namespace

bool KeptPrompts::offers_rows(const LanguageModel& model) {
  const std::unique_ptr<KvCache> cache = model.new_cache(1);
  const KvStorage* const storage = std::as_const(*cache).storage();
  return storage != nullptr && storage->bytes_per_slot() > 0 &&
         (storage->state() == nullptr || storage->state()->bytes() > 0);
}

void KeptPrompts::restore(std::span<const TokenId> tokens, const CostCurve& cost,
                          const std::stop_token& stop) {
  const KvCache* const known = pool_.find(model_, tokens);
  const int enough = (known ? known->usable_prefix(tokens) : 0) + tokens_in(kMinRestored, cost);
  if (static_cast<int>(tokens.size()) <= enough) return;
  const Span span("restore cache");
  const KvArchive::Match match = archive_.find(tokens);
  if (match.length <= enough) return;
  pool_.insert(model_, match.length, [&](KvCache& cache) {
    const auto beginning = tokens.first(static_cast<std::size_t>(match.length));
    const bool loaded =
        archive_.load(match, beginning, *cache.storage(), [&] { return !stop.stop_requested(); });
    if (loaded) cache.append(beginning, DraftTree());
    return loaded;
  });
}

void KeptPrompts::add_read(std::vector<TokenId> prompt) {
  read_.push_back(std::move(prompt));
  if (read_.size() > kMaxRead) read_.erase(read_.begin());
}

// Other jobs may run between two blocks and take the cache from the pool or cut it, so it is looked
// up for each. Whichever cache has the tokens has the same rows and state for them.
Result<void> KeptPrompts::save(std::span<const TokenId> tokens, const std::string& source,
                               const CostCurve& cost, const std::function<bool()>& go_on) {
  const KvCache* const known = pool_.find(model_, tokens);
  const int length = known ? known->usable_prefix(tokens) : 0;
  if (length <= tokens_in(kMinSaved, cost)) return {};
  const Span span("save cache");
  tokens = tokens.first(static_cast<std::size_t>(length));
  return archive_.save(tokens, source, tokens_in(kMaxLacking, cost), [&]() -> const KvStorage* {
    if (!go_on()) return nullptr;
    const KvCache* const cache = pool_.find(model_, tokens);
    return cache && cache->usable_prefix(tokens) == length ? cache->storage() : nullptr;
  });
}

}  // namespace redraft
