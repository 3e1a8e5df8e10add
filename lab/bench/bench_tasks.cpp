// redraft bench edits|dialogue|generation|completion: decoders on task files.
#include "lab/bench/bench_tasks.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "bench/report.h"
#include "bench/run_log.h"
#include "bench/task_runner.h"
#include "bench/task_table.h"
#include "cli/common/engine_loader.h"
#include "cli/common/interrupt.h"
#include "cli/common/report.h"
#include "cli/common/status_line.h"
#include "cli/common/token_trace.h"
#include "lab/bench/bench_setup.h"
#include "lab/bench/step_by_step.h"
#include "support/files/whole_file.h"

namespace redraft::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kRagTokens = 2048;  // of other files, unless --snippets says how many
constexpr auto kShowEvery = std::chrono::milliseconds(100);

Result<void> check(const TaskBenchOptions& options) {
  const bool rag = !options.rag.empty();
  const bool other_prompt = options.left_only || options.snippet_tokens > 0 || rag;
  if (options.as_server && (other_prompt || options.pass_at_1)) {
    return Error(
        "--as-server has the server's prompt and writes no more than a block: it goes without "
        "--left-only, --snippets, --rag and --pass-at-1");
  }
  if (rag && options.replays())
    return Error("--rag retrieves with what the model writes; a replay has none");
  if (!options.as_server && options.context_tokens > 0)
    return Error("--context-tokens needs --as-server");
  if (options.replays()) {
    if (options.margins) return Error("--margins needs a model; a replay has none");
    if (!options.curve || *options.curve == "machine") return {};
    const Result<CostCurve> curve = parse_curve(*options.curve);
    return curve ? Result<void>() : curve.error();
  }
  if (options.curve) return Error("--curve needs --replay");
  if (options.replay_draft >= 0) return Error("--replay-draft needs --replay");
  if (options.replay_on_device) return Error("--replay-on-device needs --replay");
  return {};
}

// Why there is nothing to run: the most frequent reason.
Error nothing_to_run(const TaskBenchOptions& options, const std::vector<SkippedTask>& skipped) {
  std::map<std::string, int> reasons;
  for (const SkippedTask& each : skipped) ++reasons[each.reason];
  std::string text = options.data.front() + ": no task can be run as " + to_string(options.kind);
  for (const auto& [reason, count] : reasons) text += "; " + std::to_string(count) + ": " + reason;
  return Error(text);
}

class TaskBench {
 public:
  TaskBench(const TaskBenchOptions& options, const EarlierDecodes* earlier)
      : options_(options), earlier_(earlier) {}
  int run();

 private:
  Result<void> prepare();
  Result<void> open_log();
  void adopt_logged_decoders();
  Result<void> start_tests();
  Result<RunReport> decode(const InterruptWatch& watch);
  RunHooks hooks(StatusLine& status, const std::stop_token& stop);
  int report(RunReport report, bool interrupted);
  void show_table(const RunReport& report) const;
  int interrupted(std::size_t decodes) const;
  std::filesystem::path partial() const { return options_.out + ".partial"; }

  const TaskBenchOptions& options_;
  const EarlierDecodes* earlier_;
  RunPlan plan_;
  std::vector<SkippedTask> skipped_;
  RecordedOutputs outputs_;
  nlohmann::ordered_json settings_;
  std::optional<RunLog> log_;
  std::optional<TestRunner> tests_;
  BenchEngine engine_;
  std::unique_ptr<TokenTrace> tokens_;  // null: not requested
  Clock::time_point shown_;
};

int TaskBench::run() {
  if (const Result<void> checked = check(options_); !checked) return misuse(checked.error());
  Result<DecoderChoice> decoders = choose_decoders(options_);
  if (!decoders) return misuse(decoders.error());
  plan_.decoders = std::move(decoders->run);
  skipped_ = std::move(decoders->left_out);
  if (const Result<void> applied = apply(options_.common); !applied) return fail(applied.error());
  if (const Result<void> ready = prepare(); !ready) return fail(ready.error());
  if (const Result<void> ready = start_tests(); !ready) return fail(ready.error());
  // After every check that can fail: so an existing log belongs to a command that could run.
  if (const Result<void> ready = open_log(); !ready) return fail(ready.error());
  const InterruptWatch watch;
  Result<RunReport> result = decode(watch);
  if (!result) return watch.interrupted() ? kInterrupted : fail(result.error());
  return report(std::move(*result), watch.interrupted());
}

// The part that needs no model: mistakes are found before minutes are spent.
Result<void> TaskBench::prepare() {
  Result<TaskFile> tasks = read_all_tasks(options_);
  if (!tasks) return tasks.error();
  if (tasks->tasks.empty()) return nothing_to_run(options_, tasks->skipped);
  plan_.tasks = std::move(tasks->tasks);
  for (SkippedTask& each : tasks->skipped) skipped_.push_back(std::move(each));
  if (!options_.replay_outputs.empty()) {
    Result<RecordedOutputs> outputs = read_outputs(options_.replay_outputs);
    if (!outputs) return outputs.error().in("--replay-outputs");
    outputs_ = std::move(*outputs);
    plan_.step.outputs = &outputs_;
  }
  plan_.step.order = options_.order;
  plan_.step.chat = options_.chat;
  plan_.step.left_only = options_.left_only;
  plan_.step.snippet_tokens = options_.snippet_tokens;
  plan_.step.repocoder = !options_.rag.empty();
  if (plan_.step.repocoder && options_.snippet_tokens == 0) plan_.step.snippet_tokens = kRagTokens;
  plan_.step.as_server = options_.as_server;
  plan_.step.context_tokens = options_.context_tokens;
  plan_.step.max_new_tokens = options_.max_new_tokens;
  plan_.step.replay = options_.replays();
  plan_.limit = options_.limit;
  plan_.warm = options_.warm;
  plan_.forget = options_.forget;
  plan_.margins = options_.margins;
  plan_.leave_out_failing = earlier_ != nullptr;
  Result<nlohmann::ordered_json> settings = settings_of(options_, plan_.decoders);
  if (!settings) return settings.error();
  settings_ = std::move(*settings);
  return {};
}

Result<void> TaskBench::open_log() {
  if (options_.out.empty()) return {};
  nlohmann::ordered_json written = settings_;
  if (earlier_) written.erase("decoders");
  Result<RunLog> log = RunLog::open(partial(), dump(written));
  if (!log) return log.error();
  log_.emplace(std::move(*log));
  if (earlier_) adopt_logged_decoders();
  if (!log_->records().empty()) {
    std::cerr << "redraft: continuing after the " << log_->records().size() << " decodes that "
              << partial().string() << " holds" << std::endl;
  }
  return {};
}

// Finishes what an interrupted run began. Otherwise its decodes would be lost with its log.
void TaskBench::adopt_logged_decoders() {
  for (const auto& [key, record] : log_->records()) {
    const auto is_it = [&decoder = key.decoder](const DecoderName& name) {
      return name.text == decoder;
    };
    if (std::ranges::any_of(plan_.decoders, is_it)) continue;
    Result<DecoderName> name = parse_decoder_name(key.decoder);
    if (!name) continue;
    settings_["decoders"].push_back(name->text);
    plan_.decoders.push_back(std::move(*name));
  }
}

Result<void> TaskBench::start_tests() {
  if (!options_.pass_at_1) return {};
  Result<TestRunner> runner = make_test_runner(options_.python);
  if (!runner) return runner.error().in("--pass-at-1");
  tests_.emplace(std::move(*runner));
  if (!tests_->own_network()) {
    std::cerr << "redraft: tests are refused sockets, but this system gives them no network "
                 "namespace of their own"
              << std::endl;
  }
  return {};
}

Result<RunReport> TaskBench::decode(const InterruptWatch& watch) {
  StatusLine status;
  Result<BenchEngine> engine =
      load_bench_engine(options_, plan_.decoders, shown_on(status, watch.token()));
  if (!engine) return engine.error();
  engine_ = std::move(*engine);
  auto common = load_common_code(options_, engine_.engine->tokenizer(), status, watch.token());
  if (!common) return common.error().in("--common");
  plan_.common = std::move(*common);
  status.show("measuring what passes cost");
  plan_.curve = engine_.engine->cost_curve();
  status.clear();
  auto tokens = TokenTrace::begin(options_.token_trace, *engine_.engine);
  if (!tokens) return tokens.error();
  tokens_ = std::move(*tokens);
  if (options_.step_by_step) tell_settings(settings_);
  std::map<RecordKey, TaskRecord> done;
  if (log_) done = log_->records();
  if (earlier_) done.insert(earlier_->begin(), earlier_->end());
  return run_tasks(*engine_.engine, plan_, engine_.replay, done, hooks(status, watch.token()),
                   watch.token());
}

RunHooks TaskBench::hooks(StatusLine& status, const std::stop_token& stop) {
  RunHooks hooks;
  hooks.on_record = [this](const TaskRecord& record) -> Result<void> {
    if (options_.step_by_step) tell_record(record);
    return log_ ? log_->append(record) : Result<void>();
  };
  hooks.on_step = [this, stop](const BenchTask& task, int turn,
                               const BenchStep& step) -> Result<void> {
    if (tokens_) tokens_->set_task(task.id);
    if (!options_.step_by_step) return {};
    tell_step(task.id, turn, step);
    return wait_for_line(stop);
  };
  if (tests_) {
    hooks.judge = [this, &status](const BenchTask& task, const std::string& text) {
      status.show("running the tests of " + task.id);
      return tests_->accepts(task, text);
    };
  }
  hooks.on_progress = [this, &status](const RunProgress& progress) {
    if (Clock::now() - shown_ < kShowEvery) return;
    shown_ = Clock::now();
    const bool reading = progress.statistics.passes == 0;
    status.show(std::to_string(progress.done) + " of " + std::to_string(progress.total) +
                " decodes, about " + rough_duration(progress.seconds_left) + " left · " +
                progress.current.id + " · " + progress.current.decoder +
                (reading ? " · reading the prompt" : " · " + figures(progress.statistics)));
  };
  return hooks;
}

int TaskBench::report(RunReport report, bool was_interrupted) {
  if (report.interrupted || was_interrupted) return interrupted(report.records.size());
  for (SkippedTask& each : report.skipped) skipped_.push_back(std::move(each));
  if (report.records.empty()) return fail(nothing_to_run(options_, skipped_));
  if (log_) {
    const std::string json = dump(bench_report(settings_, report.records, skipped_)) + "\n";
    const Result<void> kept = write_whole_file(options_.out, {std::as_bytes(std::span(json))});
    if (!kept) return fail(kept.error());
    log_->remove();
  }
  if (!options_.step_by_step) show_table(report);
  for (const TaskRecord& record : report.records) {
    const auto name = parse_decoder_name(record.key.decoder);
    if (record.identical || !name || !name->lossless()) continue;
    return fail(Error(record.key.id + ": the output of " + record.key.decoder +
                      " differs from plain greedy decoding, which it never should; please report "
                      "this"));
  }
  return kSuccess;
}

void TaskBench::show_table(const RunReport& report) const {
  TableTitle title;
  for (const std::string& file : options_.data)
    title.data +=
        (title.data.empty() ? "" : ", ") + std::filesystem::path(file).filename().string();
  title.target = options_.common.target;
  title.draft = engine_.engine->draft_name();
  title.replay = options_.replays();
  title.warm = options_.warm;
  if (!title.replay) {
    title.machine = settings_["machine"].get<std::string>() + ", " +
                    settings_["instructions"].get<std::string>() + ", " +
                    std::to_string(settings_["threads"].get<int>()) + " threads";
  }
  std::cout << task_table(title, options_.kind, report.records, skipped_) << std::flush;
}

int TaskBench::interrupted(std::size_t decodes) const {
  std::cerr << "redraft: interrupted";
  if (log_) {
    std::cerr << "; " << decodes << " decodes are kept in " << partial().string()
              << ": the same command continues from there";
  }
  std::cerr << std::endl;
  return kInterrupted;
}

}  // namespace

int run_task_bench(const TaskBenchOptions& options, const EarlierDecodes* earlier) {
  return TaskBench(options, earlier).run();
}

}  // namespace redraft::cli
