#include "tests/bench/bench_kit.h"

#include <stdexcept>

#include "tests/kit/byte_tokenizer.h"

namespace redraft {
namespace {

constexpr int kContext = 1 << 16;
constexpr double kDraftCost = 0.25;

CostCurve test_curve() { return CostCurve({{1, 0.010}, {4, 0.010}, {8, 0.030}}); }

class UnfaithfulModel : public ReplayModel {
 public:
  UnfaithfulModel(ReplayModel model, TokenId after)
      : ReplayModel(std::move(model)), after_(after) {}

  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    Predictions predictions = ReplayModel::forward(context, draft, cache, needs);
    for (std::size_t node = 0; node < draft.tokens().size(); ++node) {
      if (draft.tokens()[node] == after_) predictions.argmax[node + 1] = kWrongByte;
    }
    return predictions;
  }

 private:
  TokenId after_;
};

std::unique_ptr<ReplayModel> make_target(int vocabulary, const ReplayEngineOptions& options) {
  ReplayModel model("target", vocabulary, kContext, options.target_agreement);
  if (!options.unfaithful_after) return std::make_unique<ReplayModel>(std::move(model));
  return std::make_unique<UnfaithfulModel>(std::move(model), *options.unfaithful_after);
}

}  // namespace

ReplayEngine replay_engine(const ReplayEngineOptions& options) {
  const std::shared_ptr<const Tokenizer> tokenizer = byte_tokenizer();
  ReplayEngine out;
  auto model = make_target(tokenizer->vocabulary_size(), options);
  auto guesses = std::make_unique<ReplayModel>("draft", tokenizer->vocabulary_size(), kContext,
                                               options.draft_agreement);
  model->set_price(test_curve(), 1);
  guesses->set_price(test_curve(), kDraftCost);
  out.models = {model.get(), guesses.get()};
  LocalEngine::Model target{"target", std::move(model), tokenizer};
  target.find_cost = [](LanguageModel&) { return test_curve(); };
  Result<std::unique_ptr<LocalEngine>> engine = LocalEngine::make(
      std::move(target), {"draft", std::move(guesses), tokenizer}, {.context_limit = kContext});
  if (!engine) throw std::logic_error(engine.error().message());
  out.engine = std::move(*engine);
  return out;
}

BenchTask edit_task(const std::string& id, const std::string& before, const std::string& after) {
  BenchTask task;
  task.kind = TaskKind::kEdits;
  task.id = id;
  task.language = "python";
  task.file_name = "main.py";
  task.instruction = "Do what " + id + " says.";
  task.file = EditText{before, after};
  return task;
}

RunPlan replay_plan(std::vector<BenchTask> tasks, const std::vector<std::string>& decoders) {
  RunPlan plan;
  plan.tasks = std::move(tasks);
  plan.step.replay = true;
  plan.curve = test_curve();
  for (const std::string& text : decoders) {
    const Result<DecoderName> name = parse_decoder_name(text);
    if (!name) throw std::logic_error(name.error().message());
    plan.decoders.push_back(*name);
  }
  return plan;
}

RunReport run_plan(const RunPlan& plan, int agreement) {
  const ReplayEngine replay = replay_engine({.draft_agreement = agreement});
  Result<RunReport> report = run_tasks(*replay.engine, plan, replay.models, {}, {}, {});
  if (!report) throw std::logic_error(report.error().message());
  return std::move(*report);
}

}  // namespace redraft
