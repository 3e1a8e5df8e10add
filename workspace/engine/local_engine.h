#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/decoder_memory.h"
#include "decoding/device.h"
#include "decoding/kv_archive.h"
#include "decoding/language_model.h"
#include "decoding/prefix_pool.h"
#include "support/result.h"
#include "support/token.h"
#include "text/tokenizer.h"
#include "workspace/engine/check_verdict.h"
#include "workspace/engine/engine.h"
#include "workspace/engine/kept_prompts.h"
#include "workspace/engine/pass_costs.h"
#include "workspace/engine/purpose.h"

namespace redraft {

// How many states a cache of a hybrid or of a model with sliding windows holds: the present one,
// and three that it remembers.
inline constexpr std::size_t kStatesOfACache = 4;

struct EngineOptions {
  int context_limit = 16384;  // tokens of one sequence
  // Memory for the keys and values of past and current requests, for both models. The states of
  // models come on top: as many as one cache of each model holds.
  std::size_t cache_bytes = std::size_t{512} << 20;
  // LoadControl::notice; may be empty.
  std::function<void(const std::string&)> notice = {};
};

// The models of one process with the KV caches that they keep between requests: only the part of a
// prompt that differs from earlier ones is read, and several documents stay warm.
class LocalEngine final : public Engine {
 public:
  struct Model {
    std::string name;
    std::unique_ptr<LanguageModel> model;
    std::shared_ptr<const Tokenizer> tokenizer;
    // Where to find the cost of its passes; empty: measure it.
    std::function<CostCurve(LanguageModel&)> find_cost = {};
    // What to do with the cost once it has changed; empty: it never does.
    std::function<void(const CostCurve&, CostChange)> keep_cost = {};
    // Which size prompts have if requests name none. `speed` returns the tokens that the target
    // reads in a second, which may have to be measured. Empty: prompt_size_for().
    std::function<PromptSize(const std::function<int()>& speed)> choose_prompt_size = {};
    Device device = Device::cpu();
    std::string skipped_layers = {};  // DecoderMemory::skipped_layers()
    // What its files call it (general.name), which tells the formats that it was trained on; empty:
    // not known.
    std::string title = {};
    // Which weights these are: keys and values of others are not theirs (ModelStamp::weights()).
    std::string version = {};
    // Whether its files still are what was loaded; empty: they always are. Asked once per request.
    std::function<bool()> is_current = {};
  };
  // `draft` may hold no model; if it holds one, its vocabulary must be the target's (otherwise an
  // error).
  static Result<std::unique_ptr<LocalEngine>> make(Model target, Model draft,
                                                   const EngineOptions& options = {});

  std::optional<CacheMemory> cache_memory() const override;
  bool is_current() const override;
  // The cost of the target's passes, found or measured on the first call. Decodes correct it, each
  // before it begins.
  // The reference stays valid. Callers outside of this folder must not let prompts depend on it:
  // see prompt_size.h.
  const CostCurve& cost_curve() { return costs_.curve(*target_.model); }
  // The size of prompts is chosen by the first request that names none: whoever names one is not
  // told of a choice.
  void prepare() override { cost_curve(); }
  // What the archive has of `prompt` is in the pool from then on.
  int known_tokens(std::span<const TokenId> prompt, const std::stop_token& stop) override;
  std::vector<TokenId> likeliest(std::span<const TokenId> context, int count) override;
  std::optional<std::vector<Alternative>> alternatives(
      std::span<const TokenId> prompt, std::span<const TokenId> output,
      const std::function<void(const DecodeStatistics&)>& on_pass,
      const std::stop_token& stop) override;
  bool ask_for_cost() override { return costs_.ask_for_measurement(); }
  void measure_cost_again(const std::function<bool()>& go_on) override {
    costs_.measure_again(*target_.model, go_on);
  }
  bool ask_for_check() override;
  void check_quickly(const std::function<bool()>& go_on) override;
  std::string known_fault() const override { return check_ ? check_->fault : std::string(); }
  ReadAheadWork take_read_ahead_work() override { return std::exchange(read_ahead_work_, {}); }
  // None without an archive; save() adds to the archive.
  std::vector<std::vector<TokenId>> take_read_prompts() override;
  void save(std::span<const TokenId> prompt, const std::string& source,
            const std::function<bool()>& go_on) override;

  using Engine::set_reads_indexes;  // true at first
  const std::string& target_version() const { return target_.version; }
  LanguageModel& target() { return *target_.model; }
  // From now on the beginnings of prompts of edits come from `archive` too, and save() adds to it.
  // Without effect if the target's caches cannot leave its device. `on_problem` (may be empty) is
  // called if the disk fails.
  void set_archive(KvArchive archive, std::function<void(const Error&)> on_problem = {});
  // From now on known_fault() is that of `known`, what an earlier check of these weights found, or
  // a check is worth arranging if there was none. `keep` is called with its result.
  void set_check(std::optional<CheckVerdict> known, std::function<void(const CheckVerdict&)> keep) {
    check_ = std::move(known);
    keep_check_ = std::move(keep);
  }
  // The result of a check of the target, for known_fault() and `keep`.
  void keep_check(const CheckVerdict& verdict) {
    check_ = verdict;
    if (keep_check_) keep_check_(verdict);
  }
  // Forgets all cached prefixes, so that a measurement starts cold.
  void clear_caches() { caches_.clear(); }
  // Likewise forgets what decoders keep from earlier requests.
  void forget_drafts() {
    for (DecoderMemory& memory : memories_.values) memory.forget();
  }
  PrefixPool::Statistics cache_statistics() const { return caches_.statistics(); }

 private:
  LocalEngine(Model target, Model draft, int context_length, const EngineOptions& options);
  PromptSize choose_prompt_size() override;
  Result<DecodeResult> run(Purpose purpose, const DecoderName& name, const DecodeRequest& request,
                           const TokenSink& sink, std::stop_token stop,
                           Remembering remembering) override;
  bool read_prompts(std::span<const std::vector<TokenId>> prompts, int limit,
                    const OnChunk& on_chunk, const std::stop_token& stop) override;
  using OnChunkRead = std::function<void(int rows, double seconds)>;
  bool read_into(KvCache& cache, std::span<const TokenId> beginning, int limit,
                 const OnChunkRead& on_chunk, const std::stop_token& stop);
  // Puts a cache from the archive into the pool, if it has one that is worth it.
  void restore_from_archive(std::span<const TokenId> tokens, const std::stop_token& stop);

  Model target_;
  Model draft_;
  PrefixPool caches_;
  std::optional<KeptPrompts> kept_prompts_;  // none: there is no archive
  std::function<void(const Error&)> on_archive_problem_;
  std::shared_ptr<const LineTable> lines_;
  PerPurpose<DecoderMemory> memories_;
  PassCosts costs_;
  std::optional<CheckVerdict> check_;                    // none: there was no check
  std::function<void(const CheckVerdict&)> keep_check_;  // empty: the model is not checked
  bool check_arranged_ = false;
  ReadAheadWork read_ahead_work_;
};

// The same result for code that takes any engine.
Result<std::unique_ptr<Engine>> as_engine(Result<std::unique_ptr<LocalEngine>> local);

}  // namespace redraft
