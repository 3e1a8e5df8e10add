#include "tests/bench/bench_kit.h"

#include <stdexcept>

#include "tests/kit/byte_tokenizer.h"

namespace redraft {
namespace {

constexpr int kContext = 1 << 16;
constexpr double kDraftCost = 0.25;

CostCurve test_curve() { return CostCurve({{1, 0.010}, {4, 0.010}, {8, 0.030}}); }

}  // namespace

ReplayEngine replay_engine(int agreement) {
  const std::shared_ptr<const Tokenizer> tokenizer = byte_tokenizer();
  ReplayEngine out;
  auto model = std::make_unique<ReplayModel>("target", tokenizer->vocabulary_size(), kContext);
  auto guesses =
      std::make_unique<ReplayModel>("draft", tokenizer->vocabulary_size(), kContext, agreement);
  model->set_price(test_curve(), 1);
  guesses->set_price(test_curve(), kDraftCost);
  out.models = {model.get(), guesses.get()};
  Engine::Model target{"target", std::move(model), tokenizer};
  target.find_cost = [](LanguageModel&) { return test_curve(); };
  Result<std::unique_ptr<Engine>> engine = Engine::make(
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
  const ReplayEngine replay = replay_engine(agreement);
  Result<RunReport> report = run_tasks(*replay.engine, plan, replay.models, {}, {}, {});
  if (!report) throw std::logic_error(report.error().message());
  return std::move(*report);
}

}  // namespace redraft
