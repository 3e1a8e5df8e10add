#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/decoder_name.h"
#include "decoding/device.h"
#include "support/byte_range.h"
#include "support/result.h"
#include "support/token.h"
#include "text/prompt_encoder.h"
#include "text/tokenizer.h"
#include "workspace/documents/document.h"
#include "workspace/engine/file_rest.h"
#include "workspace/engine/prompt_size.h"
#include "workspace/engine/purpose.h"

namespace redraft {

// What decoders remember from request to request as sources of drafts.
enum class Remembering {
  kShared,  // shared by all requests of one purpose
  kNothing  // the request starts with nothing and leaves nothing: its text is private
};

// A decoder that an engine runs whichever decoder a request names.
struct OwnDecoder {
  std::string name;
  // Why its output may differ from plain decoding: a sentence for the user.
  std::string reason;

  friend bool operator==(const OwnDecoder&, const OwnDecoder&) = default;
};

// What an engine is.
struct EngineInfo {
  std::string target_name;
  std::string target_title = {};  // what its files call it; empty: unknown
  std::string draft_name = {};    // empty: there is no draft model
  Device device = Device::cpu();  // the target's
  int context_length = 0;         // tokens of one prompt and its answer
  // How many tokens make up a subword of a usual vocabulary; more than 1 if tokens are bytes.
  int tokens_per_subword = 1;
  // Whether decodes report the probabilities of tokens (DecodeRequest::log_probabilities).
  bool reports_probabilities = true;
  // Whether indexes hold tokens of this vocabulary, so that drafts and snippets can come from them.
  bool reads_indexes = true;
  std::optional<OwnDecoder> own_decoder = {};  // none: requests choose the decoder
};

// What the caches of an engine take: keys and values, and the states of hybrids.
struct CacheMemory {
  std::uint64_t bytes = 0;
  std::uint64_t limit = 0;

  friend bool operator==(const CacheMemory&, const CacheMemory&) = default;
};

// Writes text for requests: with models in this process (LocalEngine) or on a server
// (remote/remote_engine.h). Callers use both in the same way. What an engine cannot tell or need
// not do is a normal answer, which each function describes.
//
// Used by one thread at a time, the decode thread. Functions that run the model throw ModelFailure
// if its device or the connection fails; the engine must not be used afterwards.
class Engine {
 public:
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const std::string& target_name() const { return info_.target_name; }
  // The target's name and title, for whoever looks up a format by name.
  std::string target_names() const { return info_.target_title + "\n" + info_.target_name; }
  const std::string& draft_name() const { return info_.draft_name; }
  const Device& device() const { return info_.device; }
  int context_length() const { return info_.context_length; }
  int tokens_per_subword() const { return info_.tokens_per_subword; }
  bool reports_probabilities() const { return info_.reports_probabilities; }
  bool reads_indexes() const { return info_.reads_indexes; }
  const std::optional<OwnDecoder>& own_decoder() const { return info_.own_decoder; }
  // Nothing: the caches are elsewhere.
  virtual std::optional<CacheMemory> cache_memory() const { return {}; }
  // Whether the models' files still are what was loaded. True without files.
  virtual bool is_current() const { return true; }

  // Texts as tokens of the target.
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const std::shared_ptr<const Tokenizer>& shared_tokenizer() const { return tokenizer_; }
  // Remembers the last prompt's texts, so that a keystroke does not encode the whole document
  // again.
  PromptEncoder& prompt_encoder(Purpose purpose) { return prompt_encoders_[purpose]; }
  // The tokens of documents that drafts may come from, for DecodeRequest::open_files. The last ones
  // are remembered.
  std::shared_ptr<const std::vector<std::vector<TokenId>>> open_files(
      const std::vector<std::shared_ptr<const Document>>& documents);
  // The tokens of a document but for a part of it, for DecodeRequest::rest_of_file: see FileRest.
  std::shared_ptr<const std::vector<std::vector<TokenId>>> rest_of_file(Purpose purpose,
                                                                        const Document& document,
                                                                        ByteRange shown);

  // Writes the answer to a prompt, which must be shorter than the context. One decode may run
  // within another's `on_progress` if their purposes differ.
  Result<DecodeResult> decode(Purpose purpose, const DecoderName& name,
                              const DecodeRequest& request, const TokenSink& sink,
                              std::stop_token stop, Remembering remembering = Remembering::kShared);
  // For tools that observe every decode, on the decode thread.
  struct DecodeObserver {
    std::function<void(Purpose, const DecoderName&, const DecodeRequest&)> on_begin;
    std::function<void(const EmittedToken&)> on_emitted;
    std::function<void(const DecodeResult&)> on_end;  // not after an error
  };
  void observe(DecodeObserver observer) { observer_ = std::move(observer); }

  // The size of what a request shows and writes: the one that it names or, if it names none, the
  // one that was chosen for this machine and model. The first call without a name may have to
  // measure the machine; the choice then stays.
  PromptSize prompt_size(std::optional<PromptSize> named = {});
  // Nothing: no request has needed it so far.
  const std::optional<PromptSize>& chosen_prompt_size() const { return prompt_size_; }
  // Chooses this size instead.
  void set_prompt_size(PromptSize size) { prompt_size_ = size; }

  // How many tokens at the beginning of `prompt` need not be read ahead: they are known, or reading
  // ahead is of no use.
  virtual int known_tokens(std::span<const TokenId> prompt, const std::stop_token& stop) = 0;
  using OnChunk = std::function<void(int known)>;
  // Reads the beginning of a prompt that is expected, in chunks, so that the request itself need
  // not: `limit` tokens at most, besides those that are known. `on_chunk` is told after each chunk
  // how many tokens of `beginning` are known by then; more urgent work may run within it. True if
  // it came to the end.
  bool read_ahead(const std::vector<TokenId>& beginning, int limit, const OnChunk& on_chunk,
                  const std::stop_token& stop) {
    return read_prompts({&beginning, 1}, limit, on_chunk, stop);
  }
  // The same for whole prompts that begin alike. What they share is read once, and each gets a
  // cache of its own.
  bool read_ahead(const std::vector<std::vector<TokenId>>& prompts, const OnChunk& on_chunk,
                  const std::stop_token& stop) {
    return read_prompts(prompts, context_length(), on_chunk, stop);
  }

  // The `count` likeliest next tokens of the target, the likeliest first; empty if they are
  // unknown.
  virtual std::vector<TokenId> likeliest(std::span<const TokenId> context, int count) = 0;
  // What the target could have written instead of a token.
  struct Alternative {
    TokenId token;  // the second best, or the best if it wrote another; -1: unknown
    float margin;   // of the logits of the best and the second best; infinite: unknown
  };
  // For each token of `output` after `prompt`, in passes of many rows each, which is how a prompt
  // is read; rows have the bits that they have in any other pass. `on_pass` is told after each what
  // it all cost so far; more urgent work may run within it. Nothing: it was stopped.
  virtual std::optional<std::vector<Alternative>> alternatives(
      std::span<const TokenId> prompt, std::span<const TokenId> output,
      const std::function<void(const DecodeStatistics&)>& on_pass, const std::stop_token& stop) = 0;

  // The rest is for idle moments. An engine that has nothing to do then inherits these functions.

  // Measures what the first request would have to measure.
  virtual void prepare() {}
  // Whether it is worth measuring the cost in an idle moment that the caller then arranges. True
  // once, until measure_cost_again().
  virtual bool ask_for_cost() { return false; }
  // Before each pass it asks `go_on`, which may run other jobs or end it.
  virtual void measure_cost_again(const std::function<bool()>& /*go_on*/) {}
  // Whether it is worth checking in an idle moment, which the caller then arranges, if the model is
  // loaded as its makers meant it. True once for each load.
  virtual bool ask_for_check() { return false; }
  // Such a check (model_check.h), and remembers its result. After each pass it asks `go_on`, which
  // may run other jobs or end it.
  virtual void check_quickly(const std::function<bool()>& /*go_on*/) {}
  // What the last check of the target found, now or by an earlier process: sentences for the user.
  // Empty: no fault, or no check.
  virtual std::string known_fault() const { return {}; }
  // What read_ahead() has done since the last call.
  struct ReadAheadWork {
    std::int64_t tokens = 0;
    double seconds = 0;  // of all threads
  };
  virtual ReadAheadWork take_read_ahead_work() { return {}; }
  // The prompts of edits (Remembering::kShared) since the last call, a few at most, for save().
  virtual std::vector<std::vector<TokenId>> take_read_prompts() { return {}; }
  // Writes what is cached of the beginning of `prompt` to the disk, if it is worth that. `source`
  // is the document that the prompt is about. Before each block of a few milliseconds it asks
  // `go_on`, which may run other jobs or end it.
  virtual void save(std::span<const TokenId> /*prompt*/, const std::string& /*source*/,
                    const std::function<bool()>& /*go_on*/) {}

 protected:
  Engine(EngineInfo info, std::shared_ptr<const Tokenizer> tokenizer);

  // Whether a request may have this prompt: it is not empty and leaves room for an answer.
  bool fits(std::span<const TokenId> prompt) const {
    return !prompt.empty() && std::ssize(prompt) < context_length();
  }
  // Runs `decoder`, and tells the observer.
  Result<DecodeResult> run_observed(Decoder& decoder, Purpose purpose, const DecoderName& name,
                                    DecodeRequest request, const TokenSink& sink,
                                    std::stop_token stop);

  void set_reads_indexes(bool reads) { info_.reads_indexes = reads; }

 private:
  virtual PromptSize choose_prompt_size() = 0;
  // decode(); the prompt is shorter than the context.
  virtual Result<DecodeResult> run(Purpose purpose, const DecoderName& name,
                                   const DecodeRequest& request, const TokenSink& sink,
                                   std::stop_token stop, Remembering remembering) = 0;
  // read_ahead(). `limit` is for each prompt. False if a prompt does not fit.
  virtual bool read_prompts(std::span<const std::vector<TokenId>> prompts, int limit,
                            const OnChunk& on_chunk, const std::stop_token& stop) = 0;

  EngineInfo info_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::optional<PromptSize> prompt_size_;  // chosen; nothing: not yet
  std::optional<DecodeObserver> observer_;
  PerPurpose<PromptEncoder> prompt_encoders_;
  PerPurpose<FileRest> rests_;
  std::vector<std::shared_ptr<const Document>> open_documents_;
  std::shared_ptr<const std::vector<std::vector<TokenId>>> open_files_;  // their tokens
};

}  // namespace redraft
