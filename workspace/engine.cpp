#include "workspace/engine.h"

#include <algorithm>
#include <array>
#include <utility>

namespace redraft {
namespace {

// Spellings and a text on which two tokenizers of one family agree and those of two families do
// not.
constexpr std::array kSpecials{"<|im_start|>", "<|im_end|>", "<|endoftext|>"};
constexpr const char* kProbe =
    "def naïve_sum(xs: list[int]) -> int:\n\treturn sum(x for x in xs if x != 0x1F)  # 12345 — "
    "日本語 🙂\r\n\n\n    }\n";

bool same_vocabulary(const Tokenizer& a, const Tokenizer& b) {
  if (&a == &b) return true;
  if (a.vocabulary_size() != b.vocabulary_size()) return false;
  for (const char* spelling : kSpecials) {
    if (a.special(spelling) != b.special(spelling)) return false;
  }
  return a.encode(kProbe) == b.encode(kProbe);
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::make(Model target, Model draft, int context_limit) {
  if (!target.model || !target.tokenizer)
    return Error("no target model was given: an edit needs one");
  if (context_limit < 1)
    return Error("a context of " + std::to_string(context_limit) + " tokens holds nothing");
  if (draft.model) {
    if (!draft.tokenizer) return Error("draft model " + draft.name + " has no tokenizer");
    if (!same_vocabulary(*target.tokenizer, *draft.tokenizer)) {
      return Error("draft model " + draft.name + " has another vocabulary than target " +
                   target.name + ": take a smaller model of the same family, or none");
    }
  }
  std::unique_ptr<Engine> engine(new Engine);
  engine->context_length_ = std::min(context_limit, target.model->context_length());
  if (draft.model)
    engine->context_length_ = std::min(engine->context_length_, draft.model->context_length());
  engine->target_ = std::move(target);
  engine->draft_ = std::move(draft);
  engine->clear_caches();
  return engine;
}

PromptEncoder& Engine::prompt_encoder() {
  if (!prompt_encoder_) prompt_encoder_ = std::make_unique<PromptEncoder>(*target_.tokenizer);
  return *prompt_encoder_;
}

const CostCurve& Engine::cost_curve() {
  if (!cost_) {
    cost_ = std::make_unique<CostCurve>(target_.find_cost ? target_.find_cost(*target_.model)
                                                          : CostCurve::measure(*target_.model));
  }
  return *cost_;
}

Result<DecodeResult> Engine::decode(const DecoderName& name, const DecodeRequest& request,
                                    const TokenSink& sink, std::stop_token stop) {
  const int n_prompt = static_cast<int>(request.prompt.size());
  if (n_prompt >= context_length_) {
    return Error("the prompt needs " + std::to_string(n_prompt) +
                 " tokens and leaves no room for an answer: the context holds " +
                 std::to_string(context_length_));
  }
  const bool drafts = name.kind != DecoderName::Kind::kPlain;
  Result<std::unique_ptr<Decoder>> decoder =
      Decoder::make(name, {target_.model.get(), target_cache_.get()},
                    {draft_.model.get(), draft_cache_.get()}, drafts ? cost_curve() : CostCurve());
  if (!decoder) return decoder.error();
  return (*decoder)->run(request, sink, std::move(stop));
}

void Engine::clear_caches() {
  target_cache_ = target_.model->new_cache(context_length_);
  draft_cache_ = draft_.model ? draft_.model->new_cache(context_length_) : nullptr;
}

}  // namespace redraft
