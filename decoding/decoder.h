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

// A model and the memory of the sequence it works on. The cache may already hold a prefix of the
// prompt.
struct ModelSlot {
  LanguageModel* model = nullptr;  // not owned; null: there is none
  KvCache* cache = nullptr;        // not owned
};

// How a token came to be in the output.
struct EmittedToken {
  TokenId token;
  std::optional<DraftOrigin> origin;  // who guessed it; none: nobody, it is the target's own
  const char* phase;                  // Phase::name
  int pass;                           // from 1
  int rows;                           // of that pass, as in DecodeStatistics
  // How likely it was; null unless DecodeRequest::log_probabilities is set. Valid during the call.
  const EmittedLogProbability* log_probability = nullptr;
};

struct DecodeRequest {
  std::vector<TokenId> prompt;
  // What the output is expected to resemble: the buffer's tokens as they stand in the prompt, or a
  // prediction, which the prompt need not show. May be empty. What was drafted from it counts as
  // DraftOrigin::kReuse, or, with an earlier replacement applied, as kSubstitution.
  std::vector<TokenId> original = {};
  std::vector<Replacement> replacements = {};  // in it, as far as the request says them
  std::vector<TokenId> stop_tokens = {};       // never emitted; decoding ends before them
  int max_new_tokens = 512;
  // Greedy by default. Only lossless decoders sample.
  SamplingOptions sampling = {};
  // If set: DecodeResult and EmittedToken say how likely each token was, and which this many tokens
  // (0 to kMaxLikeliest) were likeliest. Only lossless decoders do. Costs a pass over a row of
  // logits for each token of the output, which takes about a millisecond; sampling costs the same.
  std::optional<int> log_probabilities = {};
  // If set: called after each chunk of the prefill and after each pass and its tokens, on the
  // decoding thread.
  std::function<void(const DecodeStatistics&)> on_progress = {};
  // If set: called after each pass of the target that read none of the prompt and no logits, with
  // its rows, the tokens of context below them and its seconds on the model's clock.
  std::function<void(int rows, int context, double seconds)> on_pass = {};
  // If set: called with each token before the sink is.
  std::function<void(const EmittedToken&)> on_emitted = {};
  // What the prompt does not show of the file that is being written, the nearest last; the same
  // object as before while it is the same. Null: nothing.
  std::shared_ptr<const std::vector<std::vector<TokenId>>> rest_of_file = {};
  // The other files that are open, the most recently changed first; the same object as before while
  // they are the same. Null: there are none.
  std::shared_ptr<const std::vector<std::vector<TokenId>>> open_files = {};
  // What decoders that retrieve look things up in; null: there is none. The text that is being
  // written must not be in them.
  std::shared_ptr<const Datastore> repository = {};  // the files of the project
  std::shared_ptr<const Datastore> common = {};      // code that many projects share
};

// Whether a decoder can decode with these of a request: each is in its range, and only a lossless
// decoder has any of them. The error names what is wrong. run() asks this, too.
Result<void> check_choices(const DecoderName& name, const SamplingOptions& sampling,
                           std::optional<int> log_probabilities);

enum class FinishReason { kStop, kLength, kSink, kCancelled };
const char* to_string(FinishReason reason);

// Takes each token as it becomes certain, in order, on the decoding thread. False ends the decode
// after this token.
using TokenSink = std::function<bool(TokenId)>;

struct DecodeResult {
  std::vector<TokenId> tokens;  // what the sink saw
  FinishReason finish_reason = FinishReason::kStop;
  DecodeStatistics statistics;
  // [tokens] if the request asked for them, otherwise empty. The same whatever is drafted.
  std::vector<EmittedLogProbability> log_probabilities = {};
};

// The loop: draft, verify, emit. One decode at a time; a Decoder may be used again.
class Decoder {
 public:
  // `draft` may be empty when the named decoder needs no draft model. `cost` prices a pass by its
  // rows. `memory` (not owned) is what lasts from request to request; null: the decoder has one of
  // its own, which knows no lines.
  static Result<std::unique_ptr<Decoder>> make(const DecoderName& name, ModelSlot target,
                                               ModelSlot draft, const CostCurve& cost,
                                               DecoderMemory* memory = nullptr);
  virtual ~Decoder() = default;
  // Prefills what the cache does not hold in chunks (see ChunkSizer), then decodes. `stop` is asked
  // before every forward pass. An error only when the prompt is empty or leaves no room in the
  // cache, or by check_choices(). Afterwards the target's cache holds a prefix of prompt and
  // output, also when cancelled, so that the next request can go on from it.
  virtual Result<DecodeResult> run(const DecodeRequest& request, const TokenSink& sink,
                                   std::stop_token stop) = 0;
};

}  // namespace redraft
