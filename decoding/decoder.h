#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/decoder_memory.h"
#include "decoding/decoder_name.h"
#include "decoding/kv_cache.h"
#include "decoding/language_model.h"
#include "decoding/replacement.h"
#include "decoding/sampling.h"
#include "decoding/statistics.h"
#include "indexing/store/datastore.h"
#include "support/result.h"
#include "support/token.h"

namespace redraft {

// A model and the KV cache of the sequence it works on. The cache may already hold a prefix of the
// prompt.
struct ModelSlot {
  LanguageModel* model = nullptr;  // not owned; null: no model
  KvCache* cache = nullptr;        // not owned
};

// A token of the output and where it came from.
struct EmittedToken {
  TokenId token;
  std::optional<DraftOrigin> origin;  // who guessed it; nullopt: the target's own token
  const char* phase;                  // Phase::name
  int pass;                           // from 1
  int rows;                           // of that pass, as in DecodeStatistics
  // The token's log probability; null unless DecodeRequest::log_probabilities is set. Valid during
  // the call.
  const EmittedLogProbability* log_probability = nullptr;
};

struct DecodeRequest {
  std::vector<TokenId> prompt;
  // How many of its tokens, from the first, other requests are likely to begin with. There the
  // cache remembers the state of a model that has one. 0: not known.
  int shared_beginning = 0;
  // Text that the output is expected to resemble: the buffer's tokens as they stand in the prompt,
  // or a prediction, which the prompt need not contain. May be empty. Tokens drafted from it count
  // as DraftOrigin::kReuse, or as kSubstitution where an earlier replacement was applied.
  std::vector<TokenId> original = {};
  std::vector<Replacement> replacements =
      {};  // replacements in `original`, as far as the request states them
  std::vector<TokenId> stop_tokens = {};  // never emitted; decoding ends before them
  int max_new_tokens = 512;
  // Greedy by default. Only lossless decoders sample.
  SamplingOptions sampling = {};
  // If set: DecodeResult and EmittedToken report the log probability of each token and of this many
  // likeliest tokens (0 to kMaxLikeliest). Only lossless decoders support it. It costs a pass over
  // one row of logits per output token, about a millisecond; sampling costs the same.
  std::optional<int> log_probabilities = {};
  // If set: called on the decoding thread after each chunk of the prefill, and after each pass and
  // its tokens.
  std::function<void(const DecodeStatistics&)> on_progress = {};
  // If set: called after each pass of the target that read no prompt and no logits, with its rows,
  // the context tokens below them and its seconds on the model's clock.
  std::function<void(int rows, int context, double seconds)> on_pass = {};
  // If set: called with each token, before the sink gets it.
  std::function<void(const EmittedToken&)> on_emitted = {};
  // The parts of the file being written that the prompt does not show, the nearest last. While they
  // do not change, pass the same object. Null: there are none.
  std::shared_ptr<const std::vector<std::vector<TokenId>>> rest_of_file = {};
  // The other open files, the most recently changed first. While they do not change, pass the same
  // object. Null: there are none.
  std::shared_ptr<const std::vector<std::vector<TokenId>>> open_files = {};
  // Where retrieving decoders look up tokens; null: nowhere. These must not contain the text that
  // is being written.
  std::shared_ptr<const Datastore> repository = {};  // the files of the project
  std::shared_ptr<const Datastore> common = {};      // code that many projects share
};

// Whether a decoder supports these options of a request: each must be in its range, and only a
// lossless decoder supports any of them. The error names what is wrong. run() checks this, too.
Result<void> check_choices(const DecoderName& name, const SamplingOptions& sampling,
                           std::optional<int> log_probabilities);

enum class FinishReason { kStop, kLength, kSink, kCancelled };
const char* to_string(FinishReason reason);

// Receives each token in order, on the decoding thread, as soon as it is certain. Returning false
// ends the decode after this token.
using TokenSink = std::function<bool(TokenId)>;

struct DecodeResult {
  std::vector<TokenId> tokens;  // the tokens that the sink received
  FinishReason finish_reason = FinishReason::kStop;
  DecodeStatistics statistics;
  // [tokens] if the request asked for them, otherwise empty. They do not depend on the drafts.
  std::vector<EmittedLogProbability> log_probabilities = {};
};

// The loop: draft, verify, emit. Runs one decode at a time; a Decoder may be used again.
class Decoder {
 public:
  // `draft` may be empty when the named decoder needs no draft model. `cost` prices a pass by its
  // rows. `memory` (not owned) lasts from request to request; null: the decoder makes its own,
  // which has no line table.
  static Result<std::unique_ptr<Decoder>> make(const DecoderName& name, ModelSlot target,
                                               ModelSlot draft, const CostCurve& cost,
                                               DecoderMemory* memory = nullptr);
  virtual ~Decoder() = default;
  // Prefills the part of the prompt that the cache lacks in chunks (see ChunkSizer), then decodes.
  // Checks `stop` before every forward pass. Fails only if the prompt is empty or leaves no room in
  // the cache, or by check_choices(). Afterwards, also when cancelled, the target's cache holds a
  // prefix of prompt and output, so that the next request can continue from it.
  virtual Result<DecodeResult> run(const DecodeRequest& request, const TokenSink& sink,
                                   std::stop_token stop) = 0;
};

}  // namespace redraft
