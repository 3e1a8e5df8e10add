#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/decoder.h"
#include "decoding/decoder_memory.h"
#include "decoding/device.h"
#include "decoding/kv_archive.h"
#include "decoding/language_model.h"
#include "decoding/prefix_pool.h"
#include "support/byte_range.h"
#include "support/result.h"
#include "support/token.h"
#include "text/prompt_encoder.h"
#include "text/tokenizer.h"
#include "workspace/documents/document.h"
#include "workspace/engine/file_rest.h"
#include "workspace/engine/kept_prompts.h"
#include "workspace/engine/pass_costs.h"
#include "workspace/engine/purpose.h"

namespace redraft {

struct EngineOptions {
  int context_limit = 16384;  // tokens of one sequence
  // Memory for the keys and values of past and current requests, for both models.
  std::size_t cache_bytes = std::size_t{512} << 20;
  // LoadControl::notice; may be empty.
  std::function<void(const std::string&)> notice = {};
};

// What decoders remember from request to request as sources of drafts.
enum class Remembering {
  kShared,  // shared by all requests of one purpose
  kNothing  // the request starts with nothing and leaves nothing: its text is private
};

// The models of one process with the KV caches that they keep between requests: only the part of a
// prompt that differs from earlier ones is read, and several documents stay warm. Used by one
// thread at a time (the decode thread).
class Engine {
 public:
  struct Model {
    std::string name;
    std::unique_ptr<LanguageModel> model;
    std::shared_ptr<const Tokenizer> tokenizer;
    // Where to find the cost of its passes; empty: measure it.
    std::function<CostCurve(LanguageModel&)> find_cost = {};
    // What to do with the cost once it has changed; empty: it never does.
    std::function<void(const CostCurve&, CostChange)> keep_cost = {};
    Device device = Device::cpu();
    std::string skipped_layers = {};  // DecoderMemory::skipped_layers()
    // What its files call it (general.name), which tells the formats that it was trained on; empty:
    // not known.
    std::string title = {};
    // Which weights these are: keys and values of others are not theirs (ModelStamp::weights()).
    std::string version = {};
    // Whether its files still are what was loaded; empty: they always are. Asked once per request.
    std::function<bool()> is_current = {};
    // What decodes instead of the decoder that a request names, because the model is not in this
    // process: then nothing is read ahead, kept or looked at row by row. Null: it is.
    std::shared_ptr<Decoder> elsewhere = {};
  };
  // `draft` may hold no model; if it holds one, its vocabulary must be the target's (otherwise an
  // error).
  static Result<std::unique_ptr<Engine>> make(Model target, Model draft,
                                              const EngineOptions& options = {});

  const Tokenizer& tokenizer() const { return *target_.tokenizer; }
  const std::shared_ptr<const Tokenizer>& shared_tokenizer() const { return target_.tokenizer; }
  // Remembers the last prompt's texts, so that a keystroke does not encode the whole document
  // again.
  PromptEncoder& prompt_encoder(Purpose purpose);
  // The tokens of documents that drafts may come from, for DecodeRequest::open_files; the last ones
  // are remembered.
  std::shared_ptr<const std::vector<std::vector<TokenId>>> open_files(
      const std::vector<std::shared_ptr<const Document>>& documents);
  // The tokens of a document but for a part of it, for DecodeRequest::rest_of_file: see FileRest.
  std::shared_ptr<const std::vector<std::vector<TokenId>>> rest_of_file(Purpose purpose,
                                                                        const Document& document,
                                                                        ByteRange shown);
  const std::string& target_name() const { return target_.name; }
  // The target's name and what its files call it, for whoever looks a format up by name.
  std::string target_names() const { return target_.title + "\n" + target_.name; }
  const std::string& draft_name() const { return draft_.name; }  // empty: none
  const Device& device() const { return target_.device; }        // the target's
  bool has_draft() const { return draft_.model != nullptr; }
  // Whether indexes hold tokens of this vocabulary, so that drafts and snippets can come from them;
  // true at first.
  bool reads_indexes() const { return reads_indexes_; }
  void set_reads_indexes(bool reads) { reads_indexes_ = reads; }
  bool is_elsewhere() const { return target_.elsewhere != nullptr; }
  const std::string& target_version() const { return target_.version; }
  // Whether the models' files still are what was loaded.
  bool is_current() const;
  int context_length() const { return context_length_; }
  // The cost of the target's passes, found or measured on the first call. Decodes correct it, each
  // before it begins; the reference stays valid.
  const CostCurve& cost_curve();
  // Whether it is worth measuring in an idle moment that is to be arranged (true once), and doing
  // so: before each pass it asks `go_on`, which may run other jobs or end it.
  bool ask_for_cost() { return costs_.ask_for_measurement(); }
  void measure_cost_again(const std::function<bool()>& go_on);

  // For tools that observe every decode, on the decode thread.
  struct DecodeObserver {
    std::function<void(Purpose, const DecoderName&, const DecodeRequest&)> on_begin;
    std::function<void(const EmittedToken&)> on_emitted;
    std::function<void(const DecodeResult&)> on_end;  // not after an error
  };
  void observe(DecodeObserver observer) { observer_ = std::move(observer); }

  // One decode may run within another's `on_progress` if their purposes differ.
  Result<DecodeResult> decode(Purpose purpose, const DecoderName& name,
                              const DecodeRequest& request, const TokenSink& sink,
                              std::stop_token stop, Remembering remembering = Remembering::kShared);
  // How many tokens at the beginning of `prompt` need not be read for it. What the archive has of
  // it is in the pool from then on.
  int known_tokens(std::span<const TokenId> prompt, const std::stop_token& stop = {});
  // Reads the beginning of a prompt that is expected, in chunks, so that the request itself need
  // not: `limit` tokens at most, besides those that are known. `on_chunk` is told after each chunk
  // how many tokens of `beginning` are known by then; more urgent work may run within it. True if
  // it came to the end.
  bool read_ahead(std::span<const TokenId> beginning, int limit,
                  const std::function<void(int known)>& on_chunk, const std::stop_token& stop);
  // The same for whole prompts that begin alike. What they share is read once, and each gets a
  // cache of its own.
  bool read_ahead(const std::vector<std::vector<TokenId>>& prompts,
                  const std::function<void(int known)>& on_chunk, const std::stop_token& stop);
  // What read_ahead() has done since the last call.
  struct ReadAheadWork {
    std::int64_t tokens = 0;
    double seconds = 0;  // of all threads
  };
  ReadAheadWork take_read_ahead_work() { return std::exchange(read_ahead_work_, {}); }
  // The `count` likeliest next tokens of the target, the likeliest first; none of one elsewhere.
  std::vector<TokenId> likeliest(std::span<const TokenId> context, int count);
  // What the target could have written instead of a token.
  struct Alternative {
    TokenId token;  // the second best, or the best if it wrote another
    float margin;   // of the logits of the best and the second best
  };
  // For each token of `output` after `prompt`, in passes of many rows each, which is how a prompt
  // is read; rows have the bits that they have in any other pass. `on_pass` is told after each what
  // it all cost so far; more urgent work may run within it. Nothing: it was stopped. Of a target
  // elsewhere there are none that are close.
  std::optional<std::vector<Alternative>> alternatives(
      std::span<const TokenId> prompt, std::span<const TokenId> output,
      const std::function<void(const DecodeStatistics&)>& on_pass, const std::stop_token& stop);
  // From now on the beginnings of prompts of edits come from `archive` too, and save() adds to it.
  // Without effect if the target's caches cannot leave its device. `on_problem` (may be empty) is
  // called if the disk fails.
  void set_archive(KvArchive archive, std::function<void(const Error&)> on_problem = {});
  // The prompts of edits (Remembering::kShared) since the last call, a few at most, for save();
  // none without an archive.
  std::vector<std::vector<TokenId>> take_read_prompts();
  // Writes what the caches hold of the beginning of `prompt` to the archive, if it is worth that.
  // `source` is the document that the prompt is about. For an idle moment: before each block of a
  // few milliseconds it asks `go_on`, which may run other jobs or end it.
  void save(std::span<const TokenId> prompt, const std::string& source,
            const std::function<bool()>& go_on);
  // Forgets all cached prefixes, so that a measurement starts cold.
  void clear_caches() { caches_.clear(); }
  // Likewise forgets what decoders keep from earlier requests.
  void forget_drafts() {
    for (DecoderMemory& memory : memories_.values) memory.forget();
  }
  PrefixPool::Statistics cache_statistics() const { return caches_.statistics(); }
  LanguageModel& target() { return *target_.model; }

 private:
  Engine(Model target, Model draft, int context_length, const EngineOptions& options);
  using OnChunkRead = std::function<void(int rows, double seconds)>;
  bool read_into(KvCache& cache, std::span<const TokenId> beginning, int limit,
                 const OnChunkRead& on_chunk, const std::stop_token& stop);
  bool read_ahead_into(KvCache& cache, std::span<const TokenId> beginning, int limit,
                       const std::function<void(int known)>& on_chunk, const std::stop_token& stop);
  Result<DecodeResult> run_observed(Decoder& decoder, Purpose purpose, const DecoderName& name,
                                    DecodeRequest request, const TokenSink& sink,
                                    std::stop_token stop);
  // Puts a cache from the archive into the pool, if it has one that is worth it.
  void restore_from_archive(std::span<const TokenId> tokens, const std::stop_token& stop);

  Model target_;
  Model draft_;
  int context_length_;
  bool reads_indexes_ = true;
  PrefixPool caches_;
  std::optional<KeptPrompts> kept_prompts_;  // none: there is no archive
  std::function<void(const Error&)> on_archive_problem_;
  std::shared_ptr<const LineTable> lines_;
  PerPurpose<DecoderMemory> memories_;
  PassCosts costs_;
  ReadAheadWork read_ahead_work_;
  std::optional<DecodeObserver> observer_;
  PerPurpose<PromptEncoder> prompt_encoders_;
  PerPurpose<FileRest> rests_;
  std::vector<std::shared_ptr<const Document>> open_documents_;
  std::shared_ptr<const std::vector<std::vector<TokenId>>> open_files_;  // their tokens
};

}  // namespace redraft
