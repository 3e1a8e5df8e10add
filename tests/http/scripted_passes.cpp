#include "tests/http/scripted_passes.h"

#include <utility>

#include "tests/kit/answer_script.h"
#include "tests/kit/scripted_model.h"
#include "workspace/engine/local_engine.h"

namespace redraft::http {
namespace {

constexpr int kContextLength = 1 << 14;

class CountingModel : public ScriptedModel {
 public:
  CountingModel(int vocabulary, Script script, std::shared_ptr<ScriptedPasses> passes)
      : ScriptedModel(vocabulary, kContextLength, std::move(script)), passes_(std::move(passes)) {}

  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    passes_->begin_pass();
    return ScriptedModel::forward(context, draft, cache, needs);
  }

 private:
  std::shared_ptr<ScriptedPasses> passes_;
};

}  // namespace

void ScriptedPasses::hold_before(int pass) {
  const std::scoped_lock lock(mutex_);
  hold_ = pass;
  changed_.notify_all();
}

void ScriptedPasses::release() {
  const std::scoped_lock lock(mutex_);
  hold_ = 0;
  changed_.notify_all();
}

void ScriptedPasses::wait_until_held() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return held_; });
}

int ScriptedPasses::passes() {
  const std::scoped_lock lock(mutex_);
  return passes_;
}

void ScriptedPasses::begin_pass() {
  std::unique_lock lock(mutex_);
  ++passes_;
  if (hold_ == 0 || passes_ < hold_) return;
  held_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return hold_ == 0 || passes_ < hold_; });
  held_ = false;
}

Result<std::unique_ptr<Engine>> scripted_engine(const std::shared_ptr<ScriptedPasses>& passes) {
  const std::shared_ptr<const Tokenizer> tokenizer = fill_tokenizer();
  LocalEngine::Model target;
  target.name = "scripted";
  target.tokenizer = tokenizer;
  target.find_cost = [](LanguageModel&) { return CostCurve({{1, 0.010}, {11, 0.020}}); };
  target.model = std::make_unique<CountingModel>(
      tokenizer->vocabulary_size(),
      [tokenizer, passes](std::span<const TokenId> sequence) {
        return is_fill_prompt(*tokenizer, sequence)
                   ? next_fill_token(*tokenizer, passes->fills, sequence)
                   : next_answer_token(*tokenizer, passes->answers, sequence);
      },
      passes);
  return as_engine(LocalEngine::make(std::move(target), {}, {.context_limit = kContextLength}));
}

}  // namespace redraft::http
