// redraft bench quality: edits, completions and next edits as the server makes them, against what
// programmers wrote.
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include "bench/quality/quality_comparison.h"
#include "bench/quality/quality_log.h"
#include "bench/quality/quality_report.h"
#include "bench/quality/quality_tasks.h"
#include "bench/repository.h"
#include "cli/common/cost_cache.h"
#include "cli/common/device.h"
#include "cli/common/engine_loader.h"
#include "cli/common/interrupt.h"
#include "cli/common/status_line.h"
#include "decoding/model/model_store.h"
#include "lab/bench/bench_setup.h"
#include "lab/bench/bench_tasks.h"
#include "lab/bench/quality_options.h"
#include "lab/bench/same_settings.h"
#include "support/seconds_since.h"
#include "workspace/edit/edit_context.h"

namespace redraft::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// The settings, with what is known about the model and the machine.
Result<Json> whole_settings(const QualityOptions& options, const std::string& command) {
  Result<Json> settings = settings_of(options);
  if (!settings) return settings;
  const Result<ModelLocation> target = locate_model(options.common.target);
  if (!target) return target.error();
  const Result<CostKey> key = cost_key(*target, make_pool(options.common)->threads(),
                                       kernels_on(chosen_device(options.common.device)));
  if (!key) return key.error();
  Json& all = *settings;
  all["program"] = key->program;
  all["model"] = key->model;
  all["model_bytes"] = key->model_bytes;
  all["model_time"] = key->model_time;
  if (!key->adapter.empty()) all["adapter"] = key->adapter;
  all["machine"] = key->cpu;
  all["instructions"] = key->instructions;
  all["threads"] = key->threads;
  all["command"] = command;
  return settings;
}

// Carries out the measurements: the engine, and what else they need.
class Measurer {
 public:
  static Result<std::unique_ptr<Measurer>> load(const QualityOptions& options, const Json& settings,
                                                StatusLine& status, const std::stop_token& stop);

  // The record of a task that cannot be measured says why. If `stop` was requested, the record is
  // meaningless.
  QualityRecord measure(const QualityItem& item, const std::stop_token& stop);

 private:
  Measurer() = default;
  Result<CompletionQuality> completion(const BenchTask& task, const std::stop_token& stop);
  template <typename Quality>
  static void take(Result<Quality> measured, QualityRecord& record);

  std::unique_ptr<ThreadPool> pool_;  // outlives the engine
  std::unique_ptr<LocalEngine> engine_;
  std::optional<TestRunner> tests_;
  std::optional<Repositories> repositories_;
  EditQualityPlan edits_;
  CompletionQualityPlan completions_;
  NextEditQualityPlan next_edits_;
};

Result<std::unique_ptr<Measurer>> Measurer::load(const QualityOptions& options,
                                                 const Json& settings, StatusLine& status,
                                                 const std::stop_token& stop) {
  std::unique_ptr<Measurer> made(new Measurer);
  const Result<DecoderName> decoder = parse_decoder_name("redraft");
  if (!decoder) return decoder.error();
  made->edits_ = {.scope = scope_of(options),
                  .prompt_size = options.prompt_size,
                  .decoder = *decoder,
                  .dry_run = options.dry_run};
  if (options.context_tokens >= 0) {
    made->edits_.context_bytes = static_cast<std::size_t>(kBytesPerToken * options.context_tokens);
  }
  made->completions_ = {.decoder = *decoder,
                        .gates = settings.at("gates").get<std::vector<double>>(),
                        .prompt_size = options.prompt_size,
                        .context_tokens = options.completion_context_tokens};
  made->next_edits_.decoder = *decoder;
  if (!options.next_edit_format.empty()) made->next_edits_.format = options.next_edit_format;
  if (options.pass_at_1) {
    Result<TestRunner> runner = make_test_runner(options.python);
    if (!runner) return runner.error().in("--pass-at-1");
    made->tests_.emplace(std::move(*runner));
  }
  made->pool_ = make_pool(options.common);
  Result<std::unique_ptr<LocalEngine>> engine =
      load_engine(options.common, *decoder, *made->pool_, shown_on(status, stop), Fallback::kNone);
  if (!engine) return engine.error();
  made->engine_ = std::move(*engine);
  made->repositories_.emplace(made->engine_->tokenizer());
  return made;
}

template <typename Quality>
void Measurer::take(Result<Quality> measured, QualityRecord& record) {
  if (measured) {
    record.result = *std::move(measured);
  } else {
    record.left_out = measured.error().message();
  }
}

QualityRecord Measurer::measure(const QualityItem& item, const std::stop_token& stop) {
  QualityRecord record{.key = item.key, .set = item.set};
  const BenchTask& task = *item.task;
  const auto judge = [&](const BenchTask& judged, const std::string& text) {
    return tests_ ? tests_->accepts(judged, text) : std::nullopt;
  };
  switch (item.key.measure) {
    case Measure::kEdits:
      take(measure_edit(*engine_, task, edits_, judge, stop), record);
      break;
    case Measure::kCompletion:
      take(completion(task, stop), record);
      break;
    case Measure::kNextEdits:
      take(measure_next_edit(*engine_, task, item.key.question, next_edits_, stop), record);
      break;
  }
  return record;
}

Result<CompletionQuality> Measurer::completion(const BenchTask& task, const std::stop_token& stop) {
  RepositoryView view;
  if (task.hidden) {
    Result<RepositoryView> found = repositories_->without(*task.hidden);
    if (!found) return found.error();
    view = *std::move(found);
  }
  return measure_completion(*engine_, task, view, completions_, stop);
}

// For titles: the whole command, and the one that its file stores.
struct Commands {
  std::string whole, stored;
};

class QualityBench {
 public:
  QualityBench(const QualityOptions& options, Commands commands)
      : options_(options), commands_(std::move(commands)) {}
  int run();

 private:
  Result<void> prepare();
  Result<void> may_go_on(JsonValue stored) const;
  Result<void> measure(const InterruptWatch& watch);
  Result<void> keep(QualityRecord record);
  const QualityRecords& records() const { return log_ ? log_->records() : records_; }
  std::vector<const QualityItem*> missing() const;
  int report(bool interrupted) const;

  const QualityOptions& options_;
  Commands commands_;
  Json settings_;
  QualityItems items_;
  std::optional<QualityLog> log_;
  QualityRecords records_;  // without a log
};

int QualityBench::run() {
  if (const Result<void> applied = apply(options_.common); !applied) return fail(applied.error());
  if (const Result<void> ready = prepare(); !ready) return fail(ready.error());
  const InterruptWatch watch;
  if (const Result<void> measured = measure(watch); !measured && !watch.interrupted())
    return fail(measured.error());
  return report(watch.interrupted());
}

Result<void> QualityBench::prepare() {
  Result<QualityItems> items = read_quality_items(options_.data, choice_of(options_));
  if (!items) return items.error();
  items_ = *std::move(items);
  for (const SkippedTask& each : items_.skipped)
    std::cerr << "redraft: left out: " << each.id << ": " << each.reason << std::endl;
  if (items_.items.empty()) return Error("there is no task to measure in " + options_.data.front());
  Result<Json> settings = whole_settings(options_, commands_.stored);
  if (!settings) return settings.error();
  settings_ = *std::move(settings);
  if (options_.out.empty()) return {};
  Result<QualityLog> log = QualityLog::open(options_.out, settings_,
                                            [this](JsonValue stored) { return may_go_on(stored); });
  if (!log) return log.error();
  log_.emplace(*std::move(log));
  if (!log_->records().empty()) {
    std::cerr << "redraft: continuing after the " << log_->records().size() << " measurements that "
              << options_.out << " holds" << std::endl;
  }
  return {};
}

Result<void> QualityBench::may_go_on(JsonValue stored) const {
  const auto different = first_difference(stored, settings_, {"command"});
  if (!different) return {};
  return Error(options_.out + ": holds measurements with another '" + *different +
               "'; choose another name for --out, and compare the two with --compare");
}

std::vector<const QualityItem*> QualityBench::missing() const {
  std::vector<const QualityItem*> missing;
  for (const QualityItem& item : items_.items) {
    const auto found = records().find(item.key);
    // Tries again what was left out: a missing file may exist now.
    if (found == records().end() || !found->second.left_out.empty()) missing.push_back(&item);
  }
  return missing;
}

Result<void> QualityBench::measure(const InterruptWatch& watch) {
  const std::vector<const QualityItem*> left = missing();
  if (left.empty()) return {};
  StatusLine status;
  Result<std::unique_ptr<Measurer>> measurer =
      Measurer::load(options_, settings_, status, watch.token());
  if (!measurer) return measurer.error();
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < left.size() && !watch.interrupted(); ++i) {
    std::string line = std::to_string(i) + " of " + std::to_string(left.size());
    if (i > 0) {
      const double each = seconds_since(start) / static_cast<double>(i);
      line += ", about " + rough_duration(each * static_cast<double>(left.size() - i)) + " left";
    }
    status.show(line + " · " + to_string(left[i]->key.measure) + " · " + left[i]->key.id);
    QualityRecord record = (*measurer)->measure(*left[i], watch.token());
    if (watch.interrupted()) break;
    if (!record.left_out.empty()) {
      status.clear();
      std::cerr << "redraft: left out: " << record.key.id << ": " << record.left_out << std::endl;
    }
    if (Result<void> kept = keep(std::move(record)); !kept) return kept;
  }
  return {};
}

Result<void> QualityBench::keep(QualityRecord record) {
  if (log_) return log_->append(record);
  const QualityKey key = record.key;
  records_.insert_or_assign(key, std::move(record));
  return {};
}

// Reports the measurements that this command requests. The file may have more.
int QualityBench::report(bool interrupted) const {
  std::vector<const QualityRecord*> asked;
  for (const QualityItem& item : items_.items) {
    const auto found = records().find(item.key);
    if (found != records().end()) asked.push_back(&found->second);
  }
  Json settings = settings_;
  settings["command"] = commands_.whole;
  std::cout << quality_report(settings, asked) << std::flush;
  if (!interrupted) return kSuccess;
  std::cerr << "redraft: interrupted";
  if (log_) {
    std::cerr << "; " << log_->records().size() << " measurements are kept in " << options_.out
              << ": the same command continues from there";
  }
  std::cerr << std::endl;
  return kInterrupted;
}

int report_file(const std::string& name) {
  const Result<QualityFile> file = read_quality_file(name);
  if (!file) return fail(file.error());
  std::vector<const QualityRecord*> all;
  for (const auto& [key, record] : file->records) all.push_back(&record);
  std::cout << quality_report(file->settings, all) << std::flush;
  return kSuccess;
}

int compare_files(const std::vector<std::string>& names) {
  const Result<QualityFile> before = read_quality_file(names[0]);
  if (!before) return fail(before.error());
  const Result<QualityFile> after = read_quality_file(names[1]);
  if (!after) return fail(after.error());
  std::cout << quality_comparison(*before, *after) << std::flush;
  return kSuccess;
}

int run_quality(const QualityOptions& options, const Commands& commands) {
  if (const Result<void> sound = check(options); !sound) return misuse(sound.error());
  if (!options.compare.empty()) return compare_files(options.compare);
  if (!options.report.empty()) return report_file(options.report);
  return QualityBench(options, commands).run();
}

}  // namespace

void add_quality_bench(CommandLine bench, Command& chosen) {
  const CommandLine quality = bench.add_subcommand(
      "quality",
      "Edits, completions and next edits as the server makes them, against what programmers wrote");
  quality.footer(
      "docs/lab/quality.md says what is measured. Everyday instructions, judged by what they ask "
      "for:\n"
      "bench/instructions_bench.py (docs/lab/bench.md).");
  const auto options = std::make_shared<QualityOptions>();
  add_quality_options(quality, *options);
  quality.callback([&chosen, options, quality] {
    const Commands commands{.whole = command_of(quality, Choosing::kShown),
                            .stored = command_of(quality, Choosing::kOmitted)};
    chosen = [options, commands] { return run_quality(*options, commands); };
  });
}

}  // namespace redraft::cli
