#include "tests/kit/scripted_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "decoding/acceptance.h"

namespace redraft {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x7fb5d329728ea185ULL;
  x ^= x >> 27;
  x *= 0x81dadef4bc2dd44dULL;
  return x ^ (x >> 33);
}

// What a recurrent model's layers would hold: a function of all tokens so far, which can only go
// forward.
class ScriptedState : public SequenceState {
 public:
  static constexpr std::size_t kMaxCopies = 3;

  void commit(std::span<const int> path) override {
    for (const int node : path) advance(in_flight_.at(static_cast<std::size_t>(node)));
    in_flight_.clear();
  }
  int known_at(int length) const override {
    if (length >= now_.length) return now_.length;
    int known = 0;
    for (const Copy& copy : copies_) {
      if (copy.length <= length) known = std::max(known, copy.length);
    }
    return known;
  }
  void restore(int length) override {
    now_ = at(length);
    in_flight_.clear();
    std::erase_if(copies_, [length](const Copy& copy) { return copy.length > length; });
  }
  void remember() override {
    std::erase_if(copies_, [this](const Copy& copy) { return copy.length == now_.length; });
    copies_.push_back(now_);
    if (copies_.size() > kMaxCopies) copies_.erase(copies_.begin());
  }
  std::size_t bytes() const override { return sizeof(std::uint64_t); }
  void copy_out(int length, std::span<std::byte> state) const override {
    const std::uint64_t hash = at(length).hash;
    std::memcpy(state.data(), &hash, state.size());
  }
  void copy_in(int length, std::span<const std::byte> state) override {
    now_ = {length, 0};
    std::memcpy(&now_.hash, state.data(), state.size());
    copies_.clear();
    in_flight_.clear();
  }

  void advance(TokenId token) { now_ = {now_.length + 1, after(now_.hash, token)}; }
  void set_draft(std::span<const TokenId> tokens) {
    in_flight_.assign(tokens.begin(), tokens.end());
  }
  void check(std::span<const TokenId> committed) const {
    std::uint64_t hash = 0;
    for (const TokenId token : committed) hash = after(hash, token);
    if (now_.length != std::ssize(committed) || now_.hash != hash)
      throw std::logic_error("KvCache: the state is not that of the committed tokens");
  }
  std::unique_ptr<ScriptedState> fork(int length) const {
    auto copy = std::make_unique<ScriptedState>();
    copy->now_ = at(length);
    return copy;
  }
  std::size_t copies_up_to(int length) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        copies_, [length](const Copy& copy) { return copy.length <= length; }));
  }

 private:
  struct Copy {
    int length = 0;
    std::uint64_t hash = 0;
  };
  static std::uint64_t after(std::uint64_t hash, TokenId token) {
    return mix(hash * 31 + static_cast<std::uint64_t>(token) + 1);
  }
  Copy at(int length) const {
    if (length == 0) return {};
    if (length == now_.length) return now_;
    for (const Copy& copy : copies_) {
      if (copy.length == length) return copy;
    }
    throw std::logic_error("SequenceState: a length for which it is not known");
  }

  Copy now_;
  std::vector<Copy> copies_;  // the oldest first
  std::vector<TokenId> in_flight_;
};

// Takes the place of a real model's keys and values: which token a slot holds, and at which
// position it was run.
struct ScriptedStorage : KvStorage {
  struct Slot {
    TokenId token = -1;
    int position = -1;
  };
  ScriptedStorage(int capacity, std::unique_ptr<ScriptedState> with)
      : slots(capacity), recurrent(std::move(with)) {}

  void move_slot(int from, int to) override {
    if (to > from) throw std::logic_error("KvCache: move_slot moved a slot up");
    slots.at(to) = slots.at(from);
  }
  std::unique_ptr<KvStorage> fork(int count) const override {
    auto copy = std::make_unique<ScriptedStorage>(static_cast<int>(slots.size()),
                                                  recurrent ? recurrent->fork(count) : nullptr);
    std::copy_n(slots.begin(), count, copy->slots.begin());
    return copy;
  }
  void discard(int from) override { std::fill(slots.begin() + from, slots.end(), Slot()); }
  std::size_t bytes(int count) const override {
    const std::size_t states = recurrent ? 1 + recurrent->copies_up_to(count) : 0;
    return ScriptedModel::kSlotBytes * static_cast<std::size_t>(count) +
           ScriptedModel::kStateBytes * states;
  }
  SequenceState* state() override { return recurrent.get(); }
  std::size_t bytes_per_slot() const override { return sizeof(Slot); }
  void copy_slots_out(int first, std::span<std::byte> rows) const override {
    if (rows.size() / sizeof(Slot) + first > slots.size())
      throw std::logic_error("KvStorage: copied slots that do not exist");
    std::memcpy(rows.data(), slots.data() + first, rows.size());
  }
  void copy_slots_in(int first, std::span<const std::byte> rows) override {
    if (rows.size() / sizeof(Slot) + first > slots.size())
      throw std::logic_error("KvStorage: copied slots that do not exist");
    std::memcpy(slots.data() + first, rows.data(), rows.size());
  }

  std::vector<Slot> slots;
  std::unique_ptr<ScriptedState> recurrent;  // null: the model has none
};

void check_committed(const KvCache& cache, const ScriptedStorage& storage) {
  for (int slot = 0; slot < cache.length(); ++slot) {
    if (storage.slots[slot].token != cache.tokens()[slot])
      throw std::logic_error("KvCache: a slot has another token");
    if (storage.slots[slot].position != slot)
      throw std::logic_error("KvCache: a position is not that of its slot");
  }
  if (storage.recurrent) storage.recurrent->check(cache.tokens());
}

void check_call(std::span<const TokenId> context, const DraftTree& draft, const KvCache& cache,
                int vocabulary, const PredictionNeeds& needs) {
  if (context.empty()) throw std::logic_error("forward: no context token");
  if (!needs.every_row && !draft.empty())
    throw std::logic_error("forward: a draft, but no predictions are requested");
  if (cache.length() + static_cast<int>(context.size()) + draft.size() > cache.capacity()) {
    throw std::logic_error("forward: more rows than the cache has room for");
  }
  const auto known = [vocabulary](TokenId token) { return token >= 0 && token < vocabulary; };
  if (!std::all_of(context.begin(), context.end(), known) ||
      !std::all_of(draft.tokens().begin(), draft.tokens().end(), known)) {
    throw std::logic_error("forward: a token outside the vocabulary");
  }
}

}  // namespace

std::uint64_t hash_of(std::uint64_t seed, std::span<const TokenId> tokens) {
  std::uint64_t hash = mix(seed + 0x9e3779b97f4a7c15ULL);
  for (const TokenId token : tokens)
    hash = mix(hash ^ (static_cast<std::uint64_t>(token) + 0x632be59bd9b4e019ULL));
  return hash;
}

ScriptedModel ScriptedModel::random(std::uint32_t seed, const RandomOptions& options) {
  return ScriptedModel(
      options.vocabulary, options.context_length,
      [seed, options](std::span<const TokenId> sequence) {
        const auto recent = sequence.last(std::min<std::size_t>(sequence.size(), options.order));
        const auto position = static_cast<TokenId>(sequence.size());
        std::uint64_t hash = hash_of(seed, recent);
        if (static_cast<int>(hash_of(seed, {&position, 1}) % 100) >= options.repetitiveness)
          hash = mix(hash ^ position);
        return static_cast<TokenId>(hash % options.vocabulary);
      });
}

ScriptedModel ScriptedModel::replay(int vocabulary, int prompt_size, std::vector<TokenId> reference,
                                    TokenId stop, int context_length) {
  return ScriptedModel(
      vocabulary, context_length,
      [prompt_size, reference = std::move(reference), stop](std::span<const TokenId> sequence) {
        if (static_cast<int>(sequence.size()) < prompt_size) return stop;
        const std::size_t written = sequence.size() - prompt_size;
        return written < reference.size() ? reference[written] : stop;
      });
}

ScriptedModel ScriptedModel::noisy(const ScriptedModel& model, std::uint32_t seed, int percent) {
  return ScriptedModel(
      model.vocabulary_, model.context_length_,
      [&model, seed, percent](std::span<const TokenId> sequence) {
        const TokenId right = model.next(sequence);
        const std::uint64_t hash =
            hash_of(seed, sequence.last(std::min<std::size_t>(sequence.size(), 4)));
        if (static_cast<int>(hash % 100) >= percent) return right;
        return static_cast<TokenId>((right + 1 + hash / 100 % 3) % model.vocabulary_);
      });
}

// The other tokens follow the best one in id order, at distances that depend on the sequence: from
// certainty to a near tie.
ScriptedModel::Ranking ScriptedModel::ranking(std::span<const TokenId> sequence, int k) const {
  Ranking ranking;
  const TokenId best = next(sequence);
  const std::uint64_t hash = hash_of(77, sequence.last(std::min<std::size_t>(sequence.size(), 3)));
  double logit = 9;
  for (int rank = 0; rank < k; ++rank) {
    ranking.ids.push_back((best + rank) % vocabulary_);
    ranking.logits.push_back(static_cast<float>(logit));
    logit -= 0.001 + std::pow(static_cast<double>((hash >> (8 * rank)) % 256) / 128, 3);
  }
  return ranking;
}

std::vector<float> ScriptedModel::logits(std::span<const TokenId> sequence) const {
  const auto recent = sequence.last(std::min<std::size_t>(sequence.size(), 3));
  std::vector<float> logits(static_cast<std::size_t>(vocabulary_));
  for (TokenId token = 0; token < vocabulary_; ++token) {
    const std::uint64_t hash = mix(hash_of(78, recent) + static_cast<std::uint64_t>(token));
    logits[static_cast<std::size_t>(token)] = -4 * static_cast<float>(hash % 1000) / 1000;
  }
  auto lead = static_cast<float>(1 + hash_of(79, recent) % 80) / 10;
  if (const double likely = certainty_ ? certainty_(sequence) : 0; likely > 0) {
    std::ranges::fill(logits, 0);
    lead = static_cast<float>(std::log((vocabulary_ - 1) * likely / (1 - likely)));
  }
  logits[static_cast<std::size_t>(next(sequence))] = lead;
  return logits;
}

std::unique_ptr<KvCache> ScriptedModel::new_cache(int capacity) const {
  return std::make_unique<KvCache>(
      capacity, std::make_unique<ScriptedStorage>(
                    capacity, has_state_ ? std::make_unique<ScriptedState>() : nullptr));
}

Predictions ScriptedModel::forward(std::span<const TokenId> context, const DraftTree& draft,
                                   KvCache& cache, const PredictionNeeds& needs) {
  auto& storage = dynamic_cast<ScriptedStorage&>(*cache.storage());
  check_call(context, draft, cache, vocabulary_, needs);
  check_committed(cache, storage);
  std::vector<TokenId> sequence(cache.tokens().begin(), cache.tokens().end());
  for (const TokenId token : context) {
    storage.slots[sequence.size()] = {token, static_cast<int>(sequence.size())};
    sequence.push_back(token);
    if (storage.recurrent) storage.recurrent->advance(token);
  }
  if (storage.recurrent) storage.recurrent->set_draft(draft.tokens());
  Predictions predictions;
  predict(sequence, needs, predictions);
  last_rows_.clear();
  last_gave_logits_ = needs.logits != nullptr;
  const auto keep_row = [&] {
    if (head_tokens_ > 0 && needs.every_row) last_rows_.push_back(sequence);
  };
  keep_row();
  const std::size_t committed = sequence.size();
  for (int node = 0; node < draft.size(); ++node) {
    const int depth = draft.depth(node);
    // In a chain, the path is the previous one and this token; for another branch, the path is
    // found by walking up from its leaf.
    sequence.resize(committed + depth + 1);
    for (int at = node, up = depth; at >= 0 && up >= 0; at = draft.parents()[at], --up) {
      sequence[committed + up] = draft.tokens()[at];
      if (draft.is_chain()) break;
    }
    storage.slots[committed + node] = {draft.tokens()[node], static_cast<int>(committed) + depth};
    predict(sequence, needs, predictions);
    keep_row();
  }
  cache.append(context, draft);
  return predictions;
}

void ScriptedModel::set_skipping(int layers, Script script, Likelihood likelihood) {
  skippable_layers_ = layers;
  skipping_script_ = std::move(script);
  likelihood_ = std::move(likelihood);
}

// A slot that a draft wrote has different keys and values than a pass would write. Its token is
// marked, which detects a caller that does not truncate the cache.
DraftedToken ScriptedModel::draft_step(std::span<const TokenId> context,
                                       const SkippedLayers& skipped, KvCache& cache) {
  if (skipped.layers() != skippable_layers_)
    throw std::logic_error("draft_step: layers of another model");
  check_call(context, DraftTree(), cache, vocabulary_, {});
  last_rows_.clear();
  auto& storage = dynamic_cast<ScriptedStorage&>(*cache.storage());
  std::size_t slot = static_cast<std::size_t>(cache.length());
  for (const TokenId token : context) {
    storage.slots[slot++] = {-1 - token, -1};
    if (storage.recurrent) storage.recurrent->advance(-1 - token);
  }
  cache.append(context, DraftTree());
  return {skipping_script_(cache.tokens()), likelihood_(cache.tokens())};
}

void ScriptedModel::set_head(int tokens, Script script, Likelihood likelihood) {
  head_tokens_ = tokens;
  head_script_ = std::move(script);
  head_likelihood_ = std::move(likelihood);
}

std::vector<HeadPlace> ScriptedModel::head_draft(int row, TokenId token, int most, KvCache& cache) {
  if (row < 0 || row >= static_cast<int>(last_rows_.size()))
    throw std::logic_error("head_draft: a row that the last pass did not predict");
  std::vector<TokenId> sequence = last_rows_[static_cast<std::size_t>(row)];
  if (!last_gave_logits_ && next(sequence) != token)
    throw std::logic_error("head_draft: not what the row predicted");
  if (!std::ranges::equal(cache.tokens(), sequence))
    throw std::logic_error("head_draft: the cache does not hold what is before the token");
  sequence.push_back(token);
  std::vector<HeadPlace> places;
  for (int i = 0; i < std::min(head_tokens_, most); ++i) {
    const TokenId best = head_script_(sequence);
    const float share = head_likelihood_(sequence);
    places.push_back({{best, share}, {(best + 1) % vocabulary_, (1 - share) / 2}});
    sequence.push_back(best);
  }
  return places;
}

Acceptance ScriptedModel::verify(std::span<const TokenId> context, const DraftTree& draft,
                                 KvCache& cache, const std::function<void()>& meanwhile,
                                 Predictions& predictions) {
  if (steps_ > 0 && meanwhile) meanwhile();
  return LanguageModel::verify(context, draft, cache, meanwhile, predictions);
}

void ScriptedModel::predict(std::span<const TokenId> sequence, const PredictionNeeds& needs,
                            Predictions& predictions) const {
  const TokenId best = next(sequence);
  if (!needs.scored.empty()) {
    const TokenId scored = needs.scored[predictions.argmax.size()];
    predictions.log_probability.push_back(
        std::log(scored == best ? 0.9F : 0.1F / static_cast<float>(vocabulary_ - 1)));
  }
  if (needs.logits) (*needs.logits)(static_cast<int>(predictions.argmax.size()), logits(sequence));
  predictions.argmax.push_back(best);
  if (needs.top_k == 0) return;
  const Ranking ranking = this->ranking(sequence, needs.top_k);
  predictions.top_ids.insert(predictions.top_ids.end(), ranking.ids.begin(), ranking.ids.end());
  predictions.top_logits.insert(predictions.top_logits.end(), ranking.logits.begin(),
                                ranking.logits.end());
}

}  // namespace redraft
