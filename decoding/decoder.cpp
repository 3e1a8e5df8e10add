// Why drafting makes decoding fast and cannot change the output
//
// A pass of the target reads all weights, whether it carries one row or eight. So in each turn of
// the loop in Decode::decode() a source guesses how the output continues, and one pass computes for
// every guessed token what the target itself would have written there.
//
// An example. The buffer holds "total = count + 1", the instruction says to rename count to n, and
// "total =" is written.
//
//   next     The plan chooses who guesses and which rule accepts: its source, the strict rule.
//   draft    A tree of six tokens: " count", " +", " 1", and beside that branch " n", " +", " 1".
//   verify   One pass of seven rows: one for "=" and one for each drafted token, which sees the
//            text and its own ancestors in the tree, not the other branch. Each row predicts the
//            token after it: "=" says " n", that " n" says " +", its " +" says " 1", its " 1" says
//            the line break. The first branch is computed too, but "=" did not say " count".
//   accept   The longest path from the root on which each token is what the row before it says:
//            " n", " +", " 1". The last row's own prediction, the line break, comes for free.
//   emit     Four tokens, one by one, because the sink may end the output at any of them. The
//            cache keeps the rows of "=" and of that path and discards the other branch.
//
// Plain decoding runs those four rows in four passes, each on top of the same tokens as here. That
// alone would make the outputs equal only up to rounding. But the kernels compute a row to the same
// bits whatever else is in the pass, so each argmax is the same token and the output has the same
// bytes. The guesses only affect the time and the statistics (decode_clock.h).

#include "decoding/decoder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "decoding/chunk_sizer.h"
#include "decoding/decode_clock.h"
#include "decoding/decoder_definition.h"
#include "decoding/phase.h"
#include "decoding/sampler.h"
#include "decoding/verifier.h"
#include "support/trace/trace.h"

namespace redraft {
namespace {

// The draft without the nodes that could only follow a stop token. Under the strict rule the stop
// token itself goes too, because the target's own prediction says as much.
DraftTree cut_at_stop_tokens(const DraftTree& draft, std::span<const TokenId> stop_tokens,
                             bool lossless) {
  const auto is_stop = [&](TokenId token) {
    return std::find(stop_tokens.begin(), stop_tokens.end(), token) != stop_tokens.end();
  };
  if (std::none_of(draft.tokens().begin(), draft.tokens().end(), is_stop)) return draft;
  DraftTree cut;
  std::vector<int> index_in_cut(draft.size(), -1);
  std::vector<bool> open(draft.size(), false);  // a node that may have children
  for (int node = 0; node < draft.size(); ++node) {
    const int parent = draft.parents()[node];
    if (parent >= 0 && !open[parent]) continue;
    const bool stop = is_stop(draft.tokens()[node]);
    if (stop && lossless) continue;
    index_in_cut[node] = cut.add(draft.tokens()[node], parent < 0 ? -1 : index_in_cut[parent],
                                 draft.origins()[node]);
    open[node] = !stop;
  }
  return cut;
}

// One decode: the sequence so far and everything that grows with it.
class Decode {
 public:
  Decode(ModelSlot target, const DecodeRequest& request, const TokenSink& sink,
         std::stop_token stop, ChunkSizer chunks)
      : target_(target),
        request_(request),
        sink_(sink),
        stop_(std::move(stop)),
        chunks_(chunks),
        verifier_(*target.model, *target.cache),
        sampler_(request.sampling, request.log_probabilities),
        clock_(request.on_progress),
        context_(request.prompt) {}

  DecodeResult run(PhasePlan& plan);

 private:
  void decode(PhasePlan& plan);
  bool prefill();
  bool read_chunk(int rows);
  DraftTree draft(const Phase& phase);
  bool read_rest_apart(const DraftTree& draft);
  Acceptance verify(const DraftTree& draft, const Phase& phase);
  Acceptance run_pass(const DraftTree& draft, const Phase& phase);
  void emit(const DraftTree& draft, const Acceptance& accepted, const Phase& phase);
  void emit(TokenId token, int row, const Phase& phase, std::optional<DraftOrigin> origin);

  // Tokens of the prompt before its last one that the cache lacks.
  int unread() const {
    return static_cast<int>(request_.prompt.size()) - 1 - target_.cache->length();
  }
  int emitted() const { return static_cast<int>(context_.size() - request_.prompt.size()); }
  bool read_up_to(int length);  // of the prompt; false when stopped
  bool has_no_room() const {
    return emitted() >= request_.max_new_tokens ||
           static_cast<int>(context_.size()) > target_.cache->capacity();
  }
  bool is_stop(TokenId token) const;

  ModelSlot target_;
  const DecodeRequest& request_;
  const TokenSink& sink_;
  std::stop_token stop_;
  ChunkSizer chunks_;
  Verifier verifier_;
  Sampler sampler_;
  DecodeClock clock_;
  std::vector<TokenId> context_;  // prompt and output
  std::vector<EmittedLogProbability> log_probabilities_;
  std::optional<FinishReason> finished_;
  bool asked_ = false;  // whether the phase's source was asked, for the current pass
};

DecodeResult Decode::run(PhasePlan& plan) {
  const Span span("decode", "prompt_tokens", std::ssize(request_.prompt));
  decode(plan);
  // Discards what the last pass accepted beyond the end of the output.
  target_.cache->truncate(
      static_cast<int>(std::min<std::size_t>(target_.cache->length(), context_.size())));
  DecodeResult result;
  result.tokens.assign(context_.begin() + static_cast<std::ptrdiff_t>(request_.prompt.size()),
                       context_.end());
  result.finish_reason = finished_.value_or(FinishReason::kCancelled);
  result.statistics = clock_.statistics();
  result.log_probabilities = std::move(log_probabilities_);
  return result;
}

// The method. If stopped, returns early without setting finished_.
void Decode::decode(PhasePlan& plan) {
  if (!prefill()) return;
  clock_.begin_decoding();
  while (!finished_) {
    if (has_no_room()) {
      finished_ = FinishReason::kLength;
      return;
    }
    const Phase phase = plan.next(context_);
    const DraftTree draft = this->draft(phase);
    if (!read_rest_apart(draft) || stop_.stop_requested()) return;
    const Acceptance accepted = verify(draft, phase);
    emit(draft, accepted, phase);
    clock_.end_pass();
  }
}

// Reads all of the prompt but the last chunk, and at least what other requests begin with. False
// when stopped.
bool Decode::prefill() {
  const int cached = target_.cache->truncate_to_common_prefix(
      std::span(request_.prompt).first(request_.prompt.size() - 1));
  clock_.found_in_cache(static_cast<int>(request_.prompt.size()), cached);
  if (!target_.cache->can_be_cut_anywhere()) {
    const int last = static_cast<int>(request_.prompt.size()) - 1;
    const int shared = std::min(request_.shared_beginning, last);
    if (!read_up_to(shared)) return false;
    if (target_.cache->length() == shared) target_.cache->remember();
  }
  while (unread() > chunks_.rows()) {
    if (!read_chunk(chunks_.rows())) return false;
  }
  target_.cache->remember();  // where the next request may part from this one
  return true;
}

bool Decode::read_up_to(int length) {
  while (target_.cache->length() < length) {
    if (!read_chunk(std::min(chunks_.rows(), length - target_.cache->length()))) return false;
  }
  return true;
}

bool Decode::read_chunk(int rows) {
  if (stop_.stop_requested()) return false;
  const Span span("read", "tokens", rows);
  const auto chunk = std::span(request_.prompt).subspan(target_.cache->length(), rows);
  clock_.begin_chunk();
  target_.model->forward(chunk, DraftTree(), *target_.cache, PredictionNeeds{.every_row = false});
  chunks_.measured(rows, clock_.end_chunk(rows));
  return true;
}

// The draft, limited so that the cache and the token limit have room for it and for the target's
// own token after it.
DraftTree Decode::draft(const Phase& phase) {
  const int room = target_.cache->capacity() - static_cast<int>(context_.size());
  const int limit = std::min(room, request_.max_new_tokens - emitted() - 1);
  asked_ = phase.source && limit > 0;
  if (!asked_) return {};
  const Span span("draft");
  clock_.begin_draft();
  DraftTree draft = cut_at_stop_tokens(phase.source->draft(context_, limit), request_.stop_tokens,
                                       phase.lossy == nullptr);
  clock_.end_draft();
  return draft;
}

// A pass runs the part of the context that the cache lacks together with the draft and reads the
// weights once for both. That is cheaper, unless a cancel would have to wait too long. False when
// stopped.
bool Decode::read_rest_apart(const DraftTree& draft) {
  const int rest = unread();
  return rest <= 0 || rest + 1 + draft.size() <= chunks_.rows() || read_chunk(rest);
}

// Runs one pass of the target. Returns the accepted part of the draft and the target's own next
// token.
Acceptance Decode::verify(const DraftTree& draft, const Phase& phase) {
  const int read = std::max(0, unread());
  const int context = target_.cache->length();
  Span span("verify");
  clock_.begin_pass();
  Acceptance accepted = run_pass(draft, phase);
  clock_.verified(draft, verifier_.rows(), read, phase.continues_pass);
  span.set("rows", verifier_.rows());
  span.set("drafted", draft.size());
  span.set("accepted", std::ssize(accepted.path));
  if (request_.on_pass && read == 0 && !sampler_.reads_logits())
    request_.on_pass(verifier_.rows(), context, verifier_.seconds());
  if (phase.source)
    phase.source->observe({draft, verifier_.predictions(), verifier_.rows(), verifier_.seconds()});
  return accepted;
}

Acceptance Decode::run_pass(const DraftTree& draft, const Phase& phase) {
  if (sampler_.reads_logits()) {
    sampler_.begin_pass(draft, emitted());
    return verifier_.verify(context_, draft, sampler_);
  }
  return verifier_.verify(context_, draft, phase.lossy, [&] {
    if (asked_) phase.source->look_ahead();
  });
}

void Decode::emit(const DraftTree& draft, const Acceptance& accepted, const Phase& phase) {
  int row = 0;  // the row that predicted the token
  for (std::size_t i = 0; i < accepted.path.size() && !finished_; ++i) {
    const int node = accepted.path[i];
    emit(accepted.tokens[i], row, phase, draft.origins()[node]);
    row = node + 1;
  }
  const TokenId correction = accepted.tokens.back();
  if (!finished_ && (phase.keep_correction || draft.empty() || is_stop(correction)))
    emit(correction, row, phase, std::nullopt);
}

// A stop token ends the decode before it; the last requested token ends it after it.
void Decode::emit(TokenId token, int row, const Phase& phase, std::optional<DraftOrigin> origin) {
  if (is_stop(token)) {
    finished_ = FinishReason::kStop;
    return;
  }
  clock_.emitted(origin);
  const EmittedLogProbability* log_probability = sampler_.log_probability(row);
  if (log_probability) log_probabilities_.push_back(*log_probability);
  if (request_.on_emitted) {
    request_.on_emitted({.token = token,
                         .origin = origin,
                         .phase = phase.name,
                         .pass = clock_.statistics().passes,
                         .rows = clock_.rows_of_pass(),
                         .log_probability = log_probability});
  }
  context_.push_back(token);
  if (sink_ && !sink_(token)) {
    finished_ = FinishReason::kSink;
  } else if (emitted() >= request_.max_new_tokens) {
    finished_ = FinishReason::kLength;
  }
}

bool Decode::is_stop(TokenId token) const {
  return std::find(request_.stop_tokens.begin(), request_.stop_tokens.end(), token) !=
         request_.stop_tokens.end();
}

// Every named decoder is this loop with its own plan.
class PhasedDecoder : public Decoder {
 public:
  PhasedDecoder(DecoderName name, ModelSlot target, ModelSlot draft, const CostCurve& cost,
                DecoderMemory* memory)
      : name_(std::move(name)),
        target_(target),
        draft_(draft),
        cost_(cost),
        memory_(memory ? *memory : own_memory_),
        chunks_(cost) {}

  Result<DecodeResult> run(const DecodeRequest& request, const TokenSink& sink,
                           std::stop_token stop) override {
    if (request.prompt.empty()) return Error("the prompt is empty: there is nothing to continue");
    if (static_cast<int>(request.prompt.size()) >= target_.cache->capacity()) {
      return Error("the prompt has " + std::to_string(request.prompt.size()) +
                   " tokens and leaves no room in a context of " +
                   std::to_string(target_.cache->capacity()) +
                   "; edit a smaller range or raise the context length");
    }
    const Result<void> checked = check_choices(name_, request.sampling, request.log_probabilities);
    if (!checked) return checked.error();
    const std::unique_ptr<PhasePlan> plan = name_.definition().make_plan(
        {name_, name_.options(), request, target_, draft_, cost_, memory_, stop});
    return Decode(target_, request, sink, stop, chunks_).run(*plan);
  }

 private:
  DecoderName name_;
  ModelSlot target_;
  ModelSlot draft_;
  CostCurve cost_;
  DecoderMemory own_memory_;
  DecoderMemory& memory_;
  ChunkSizer chunks_;
};

}  // namespace

const char* to_string(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kSink:
      return "sink";
    case FinishReason::kCancelled:
      break;
  }
  return "cancelled";
}

Result<void> check_choices(const DecoderName& name, const SamplingOptions& sampling,
                           std::optional<int> log_probabilities) {
  if (Result<void> checked = check(sampling); !checked) return checked;
  const int likeliest = log_probabilities.value_or(0);
  if (likeliest < 0 || likeliest > kMaxLikeliest) {
    return Error("the " + std::to_string(likeliest) +
                 " likeliest tokens cannot be reported: ask for 0 to " +
                 std::to_string(kMaxLikeliest) + " can");
  }
  if (name.lossless()) return {};
  const Error refused("decoder '" + name.text +
                      "' is lossy: it accepts tokens that the target would not write");
  if (!sampling.greedy())
    return Error(refused.message() + "; to sample, choose a lossless decoder");
  if (log_probabilities)
    return Error(refused.message() + "; for log probabilities, choose a lossless decoder");
  return {};
}

Result<std::unique_ptr<Decoder>> Decoder::make(const DecoderName& name, ModelSlot target,
                                               ModelSlot draft, const CostCurve& cost,
                                               DecoderMemory* memory) {
  if (!target.model || !target.cache)
    return Error("decoder '" + name.text + "' needs a target model");
  if (name.needs_draft_model() && (!draft.model || !draft.cache)) {
    return Error("decoder '" + name.text + "' needs a draft model: give one with --draft");
  }
  if (draft.model && draft.model->vocabulary_size() != target.model->vocabulary_size()) {
    return Error("draft model " + draft.model->name() + " has a different vocabulary than target " +
                 target.model->name());
  }
  const DecoderMemory none;
  const Result<void> fit =
      name.definition().fits(name.options(), *target.model, memory ? *memory : none);
  if (!fit) return fit.error().in("decoder '" + name.text + "'");
  return {std::make_unique<PhasedDecoder>(name, target, draft, cost, memory)};
}

}  // namespace redraft
