#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/decoder.h"
#include "decoding/decoder_memory.h"
#include "decoding/language_model.h"
#include "decoding/prefix_pool.h"
#include "decoding/text/prompt_encoder.h"
#include "decoding/text/tokenizer.h"
#include "support/result.h"
#include "support/token.h"
#include "workspace/documents/document.h"

namespace redraft {

struct EngineOptions {
  int context_limit = 16384;  // tokens of one sequence
  // Memory for the keys and values of requests done and under way, of both models.
  std::size_t cache_bytes = std::size_t{512} << 20;
  // LoadControl::notice; may be empty.
  std::function<void(const std::string&)> notice = {};
};

// What a request is for. Each purpose has a memory of its own: what is written differs, and a
// completion may run between two passes of an edit.
enum class Purpose { kEdit, kCompletion, kNextEdit };
inline constexpr int kPurposes = 3;

// What decoders remember from request to request, to draft from.
enum class Remembering {
  kShared,  // all requests of one purpose
  kNothing  // this one begins with nothing and leaves nothing: its text is for nobody else
};

// The models of one process with the KV caches they keep between requests: a prompt pays only for
// what differs from those before it, and several documents stay warm. Used by one thread at a time
// (the decode thread).
class Engine {
 public:
  struct Model {
    std::string name;
    std::unique_ptr<LanguageModel> model;
    std::shared_ptr<const Tokenizer> tokenizer;
    // Where the cost of its passes is known from; empty: it is measured.
    std::function<CostCurve(LanguageModel&)> find_cost = {};
    std::string device = "cpu";  // where it runs, as --device has it
  };
  // `draft` may hold no model; if it does, its vocabulary must be the target's (an error
  // otherwise).
  static Result<std::unique_ptr<Engine>> make(Model target, Model draft,
                                              const EngineOptions& options = {});

  const Tokenizer& tokenizer() const { return *target_.tokenizer; }
  // Remembers the last prompt's texts, so that a keystroke is not the whole buffer to encode.
  PromptEncoder& prompt_encoder(Purpose purpose);
  // The tokens of documents that drafts may come from, for DecodeRequest::open_files; the last ones
  // are remembered.
  std::shared_ptr<const std::vector<std::vector<TokenId>>> open_files(
      const std::vector<std::shared_ptr<const Document>>& documents);
  const std::string& target_name() const { return target_.name; }
  const std::string& draft_name() const { return draft_.name; }  // empty: none
  const std::string& device() const { return target_.device; }   // the target's
  bool has_draft() const { return draft_.model != nullptr; }
  int context_length() const { return context_length_; }
  // Cost of the target's passes, found or measured once when first asked for.
  const CostCurve& cost_curve();

  // For those who look inside every decode, on the decoding thread.
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
  // The target's `count` likeliest next tokens, the likeliest first.
  std::vector<TokenId> likeliest(std::span<const TokenId> context, int count);
  // Forgets all cached prefixes, so that a measurement starts cold.
  void clear_caches() { caches_.clear(); }
  // Likewise what decoders have kept from earlier requests.
  void forget_drafts() {
    for (DecoderMemory& memory : memories_) memory.forget();
  }
  PrefixPool::Statistics cache_statistics() const { return caches_.statistics(); }
  LanguageModel& target() { return *target_.model; }

 private:
  Engine(Model target, Model draft, int context_length, const EngineOptions& options);

  Model target_;
  Model draft_;
  int context_length_;
  PrefixPool caches_;
  std::shared_ptr<const LineTable> lines_;
  std::array<DecoderMemory, kPurposes> memories_;
  std::unique_ptr<CostCurve> cost_;
  std::optional<DecodeObserver> observer_;
  std::array<PromptEncoder, kPurposes> prompt_encoders_;
  std::vector<std::shared_ptr<const Document>> open_documents_;
  std::shared_ptr<const std::vector<std::vector<TokenId>>> open_files_;  // their tokens
};

}  // namespace redraft
