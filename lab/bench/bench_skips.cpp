// redraft bench skips: which sublayers self-speculative decoding leaves out of a model.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "bench/skip_meter.h"
#include "bench/skip_search.h"
#include "bench/step.h"
#include "cli/common/engine_loader.h"
#include "cli/common/interrupt.h"
#include "cli/common/misuse_reason.h"
#include "cli/common/report.h"
#include "cli/common/skip_store.h"
#include "cli/common/status_line.h"
#include "decoding/model/model_store.h"
#include "decoding/model_powers.h"
#include "lab/bench/bench_setup.h"
#include "lab/bench/bench_tasks.h"
#include "support/seconds_since.h"

namespace redraft::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct SkipsOptions {
  TaskBenchOptions tasks;
  int evaluations = 100;
  std::uint32_t seed = 0;
};

constexpr std::pair<const char*, TaskKind> kKinds[] = {{"edits", TaskKind::kEdits},
                                                       {"dialogue", TaskKind::kDialogue},
                                                       {"generation", TaskKind::kGeneration},
                                                       {"completion", TaskKind::kCompletion}};

std::string text_of(const SkippedLayers& skipped, const SkipScore& score) {
  char line[200];
  std::snprintf(line, sizeof line,
                "%.2f x plain decoding: reads %.0f %% of the weights, %.0f %% of %d drafted tokens "
                "accepted, %.2f tokens/pass: ",
                score.speedup(), 100 * score.share, 100 * score.accepted_share(), score.drafted,
                1.0 * score.tokens() / std::max(score.drafts, 1));
  return line + to_string(skipped);
}

class SkipsBench {
 public:
  explicit SkipsBench(const SkipsOptions& options) : options_(options) {}
  int run();

 private:
  Result<void> load();
  Result<void> write_texts();
  Result<void> write_text(const BenchTask& task);
  void search();
  int keep() const;

  const SkipsOptions& options_;
  const InterruptWatch watch_;
  StatusLine status_;
  ModelLocation model_;
  std::vector<BenchTask> tasks_;
  BenchEngine engine_;
  std::optional<SkipMeter> meter_;
  SkippedLayers best_;
};

int SkipsBench::run() {
  if (const Result<void> applied = apply(options_.tasks.common); !applied)
    return fail(applied.error());
  if (const Result<void> loaded = load(); !loaded)
    return watch_.interrupted() ? kInterrupted : fail(loaded.error());
  if (const Result<void> written = write_texts(); !written)
    return watch_.interrupted() ? kInterrupted : fail(written.error());
  search();
  status_.clear();
  return keep();
}

Result<void> SkipsBench::load() {
  Result<TaskFile> tasks = read_all_tasks(options_.tasks);
  if (!tasks) return tasks.error();
  tasks_ = std::move(tasks->tasks);
  Result<ModelLocation> model = locate_model(options_.tasks.common.target);
  if (!model) return model.error();
  model_ = *std::move(model);
  const Result<DecoderName> plain = parse_decoder_name("ar");
  if (!plain) return plain.error();
  Result<BenchEngine> engine =
      load_bench_engine(options_.tasks, {*plain}, shown_on(status_, watch_.token()));
  if (!engine) return engine.error();
  engine_ = std::move(*engine);
  if (engine_.engine->target().layer_skipping() == nullptr)
    return Error("the target cannot skip layers on this device: use --device cpu");
  status_.show("measuring what passes cost");
  meter_.emplace(engine_.engine->target(), engine_.engine->cost_curve());
  return {};
}

// Plain decoding writes the texts that drafts are compared with.
Result<void> SkipsBench::write_texts() {
  int n_texts = 0;
  for (const BenchTask& task : tasks_) {
    if (n_texts == options_.tasks.limit) break;
    status_.show("writing the texts that drafts are compared with: " + task.id);
    const Result<void> written = write_text(task);
    if (watch_.interrupted()) return Error("interrupted");
    if (written) {
      ++n_texts;
      continue;
    }
    status_.clear();
    std::cerr << "redraft: left out: " << task.id << ": " << written.error().message() << std::endl;
  }
  engine_.engine->clear_caches();
  if (meter_->empty())
    return Error(options_.tasks.data.front() + ": no task can be run as " +
                 to_string(options_.tasks.kind));
  return {};
}

Result<void> SkipsBench::write_text(const BenchTask& task) {
  Engine& engine = *engine_.engine;
  const StepOptions options{.max_new_tokens = options_.tasks.max_new_tokens};
  Result<BenchStep> step = make_step(engine, task, {}, options);
  if (!step) return step.error();
  const Result<DecoderName> plain = parse_decoder_name("ar");
  if (!plain) return plain.error();
  const Result<DecodeResult> result = engine.decode(
      Purpose::kEdit, *plain, step->request, [](TokenId) { return true; }, watch_.token());
  if (!result) return result.error();
  if (result->tokens.size() < 2) return Error("the target writes nothing for it");
  meter_->add(std::move(step->request.prompt), result->tokens, watch_.token());
  return {};
}

void SkipsBench::search() {
  const int layers = engine_.engine->target().layer_skipping()->skippable_layers();
  const Result<SkippedLayers> stored = parse_skipped_layers(SkipStore().load(model_), layers);
  SkipSearch search(layers, options_.seed, stored ? *stored : SkippedLayers());
  const auto start = Clock::now();
  for (int i = 1; i <= options_.evaluations; ++i) {
    const std::optional<SkippedLayers> skipped = search.next();
    if (!skipped) break;
    const std::optional<SkipScore> score = meter_->measure(*skipped, watch_.token());
    if (!score) break;
    if (search.learn(score->speedup())) {
      best_ = *skipped;
      status_.clear();
      std::cout << "set " << i << ": " << text_of(best_, *score) << std::endl;
    }
    const double left = seconds_since(start) / i * (options_.evaluations - i);
    status_.show(std::to_string(i) + " of " + std::to_string(options_.evaluations) +
                 " sets tried, about " + rough_duration(left) + " left");
  }
}

int SkipsBench::keep() const {
  if (best_.empty()) return kInterrupted;  // before the first set was measured
  const Result<void> kept = SkipStore().store(model_, to_string(best_));
  if (!kept) return fail(kept.error());
  std::cout << "from now on, selfspec skips these layers of " << options_.tasks.common.target
            << ": " << to_string(best_) << std::endl;
  return watch_.interrupted() ? kInterrupted : kSuccess;
}

}  // namespace

void add_skips_bench(CommandLine bench, Command& chosen) {
  const CommandLine skips = bench.add_subcommand(
      "skips",
      "Searches for the sublayers of a model that `selfspec` skips, and stores the best set");
  const auto options = std::make_shared<SkipsOptions>();
  options->tasks.limit = 8;
  options->tasks.max_new_tokens = 128;
  TaskBenchOptions& tasks = options->tasks;
  skips.add_option("--data,--tasks", tasks.data, "Task files, JSON lines").required();
  skips.add_option("--kind", tasks.kind, "The kind of their tasks")
      .transform(one_of<TaskKind>({std::begin(kKinds), std::end(kKinds)}))
      .show_default("edits");
  skips.add_option("--limit", tasks.limit, "Tasks whose outputs are drafted, from the first")
      .check(in_range(1, 1 << 20))
      .show_default();
  skips.add_option("--max-new-tokens", tasks.max_new_tokens, "Longest output")
      .check(in_range(2, 1 << 20))
      .show_default();
  skips.add_option("--evaluations", options->evaluations, "Sets to try")
      .check(in_range(1, 1 << 20))
      .show_default();
  skips.add_option("--seed", options->seed, "Another seed tries other sets").show_default();
  add_target_options(skips, tasks.common);
  skips.callback([&chosen, options] { chosen = [options] { return SkipsBench(*options).run(); }; });
}

}  // namespace redraft::cli
