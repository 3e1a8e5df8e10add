#include "bench/task_runner.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "bench/edit_similarity.h"
#include "bench/margins.h"
#include "bench/overlap.h"
#include "bench/repocoder.h"
#include "bench/repository.h"
#include "support/seconds_since.h"

namespace redraft {
namespace {

using Clock = std::chrono::steady_clock;

// Adds up the price of a decode's passes by the cost curve, from the statistics after each pass,
// and counts them by their rows.
class PassPricer {
 public:
  explicit PassPricer(const CostCurve& curve) : curve_(curve) {}

  void see(const DecodeStatistics& statistics) {
    if (statistics.rows == rows_) return;  // a chunk of the prefill
    seconds_ += curve_.seconds(statistics.rows - rows_, statistics.prompt_tokens - 1 + new_tokens_);
    count(statistics.rows - rows_, statistics.passes);
    rows_ = statistics.rows;
    new_tokens_ = statistics.new_tokens;
  }
  double seconds() const { return seconds_; }
  // As TaskRecord::passes_by_rows.
  std::vector<int> by_rows() const {
    std::vector<int> pairs;
    for (const auto& [rows, count] : by_rows_) pairs.insert(pairs.end(), {rows, count});
    return pairs;
  }

 private:
  const CostCurve& curve_;
  // A forward pass that does not begin a pass continues the previous one.
  void count(int rows, int passes) {
    if (passes == passes_) {
      if (--by_rows_[pass_rows_] == 0) by_rows_.erase(pass_rows_);
      rows += pass_rows_;
    }
    passes_ = passes;
    pass_rows_ = rows;
    ++by_rows_[rows];
  }

  int passes_ = 0;
  int pass_rows_ = 0;  // of the last one
  int rows_ = 0;
  int new_tokens_ = 0;  // before the next pass
  double seconds_ = 0;
  std::map<int, int> by_rows_;
};

class Run {
 public:
  Run(LocalEngine& engine, const RunPlan& plan, const ReplayModels& replay,
      const std::map<RecordKey, TaskRecord>& done, const RunHooks& hooks,
      const std::stop_token& stop)
      : engine_(engine),
        plan_(plan),
        replay_(replay),
        done_(done),
        hooks_(hooks),
        stop_(stop),
        repositories_(engine.tokenizer()) {}

  Result<RunReport> run();

 private:
  enum class Outcome { kRan, kSkipped, kInterrupted };
  Result<Outcome> run_task(const BenchTask& task);
  Result<BenchStep> step_of(const BenchTask& task, int turn,
                            const std::vector<std::string>& answers);
  Result<std::string> retrieved(const BenchTask& task, const StepInputs& inputs);
  Result<std::string> written(const BenchStep& step);
  Result<Outcome> run_step(const BenchTask& task, int turn, const BenchStep& step);
  Result<bool> add(const BenchTask& task, const BenchStep& step, RecordKey key,
                   const DecoderName& decoder, const TaskRecord* plain);
  Result<TaskRecord> decode(const BenchTask& task, const BenchStep& step, RecordKey key,
                            const DecoderName& decoder, const TaskRecord* plain);
  void judge(const BenchTask& task, const BenchStep& step, OutputLimit& output,
             const TaskRecord* plain, TaskRecord& record) const;
  void add_margins(const BenchStep& step, TaskRecord& record);
  void set_scripts(const BenchStep& step) const;
  double draft_price(const DecoderName& decoder, const DecodeStatistics& statistics,
                     double start) const;
  void show(const RecordKey& key, const DecodeStatistics& statistics) const;
  int total() const;
  bool leave_out(const DecoderName& decoder, const Error& reason);

  LocalEngine& engine_;
  const RunPlan& plan_;
  const ReplayModels& replay_;
  const std::map<RecordKey, TaskRecord>& done_;
  const RunHooks& hooks_;
  const std::stop_token& stop_;
  Repositories repositories_;
  RunReport report_;
  std::set<std::string> left_out_;  // decoders
  int tasks_left_ = 0;
  int decoded_ = 0;  // in this run
  Clock::time_point start_ = Clock::now();
};

Result<RunReport> Run::run() {
  tasks_left_ = static_cast<int>(plan_.tasks.size());
  if (plan_.limit > 0) tasks_left_ = std::min(tasks_left_, plan_.limit);
  for (std::size_t i = 0; i < plan_.tasks.size() && tasks_left_ > 0; ++i) {
    const Result<Outcome> outcome = run_task(plan_.tasks[i]);
    if (!outcome) return outcome.error().in(plan_.tasks[i].id);
    if (*outcome == Outcome::kInterrupted) {
      report_.interrupted = true;
      break;
    }
    const int left = static_cast<int>(plan_.tasks.size() - i) - 1;
    tasks_left_ = std::min(left, tasks_left_ - (*outcome == Outcome::kRan ? 1 : 0));
  }
  return std::move(report_);
}

Result<Run::Outcome> Run::run_task(const BenchTask& task) {
  std::vector<std::string> answers;
  for (int turn = 1; turn <= task.n_turns(); ++turn) {
    const Result<BenchStep> step = step_of(task, turn, answers);
    if (!step) {
      report_.skipped.push_back({task.id, step.error().message()});
      return turn == 1 ? Outcome::kSkipped : Outcome::kRan;
    }
    const std::size_t first = report_.records.size();
    Result<Outcome> outcome = run_step(task, turn, *step);
    if (!outcome || *outcome != Outcome::kRan) return outcome;
    // The next turn continues the answer of plain decoding, so that all decoders have the same
    // prompt.
    answers.push_back(engine_.tokenizer().decode(report_.records[first].tokens));
  }
  return Outcome::kRan;
}

Result<BenchStep> Run::step_of(const BenchTask& task, int turn,
                               const std::vector<std::string>& answers) {
  StepInputs inputs{.turn = turn, .answers = answers, .common = plan_.common};
  if (task.hidden) {
    Result<RepositoryView> view = repositories_.without(*task.hidden);
    if (!view) return view.error();
    inputs.view = std::move(*view);
  }
  if (plan_.step.repocoder) {
    Result<std::string> beginning = retrieved(task, inputs);
    if (!beginning) return beginning.error();
    inputs.beginning = *std::move(beginning);
  }
  return make_step(engine_, task, inputs, plan_.step);
}

// Two rounds of RepoCoder. The first one ends with the output of plain decoding.
Result<std::string> Run::retrieved(const BenchTask& task, const StepInputs& inputs) {
  if (!task.hidden) return Error("has no repository to show other files of");
  const RepoCoderPlace place{.file = task.hidden->path,
                             .before = task.prompt,
                             .max_tokens = static_cast<std::size_t>(plan_.step.snippet_tokens)};
  StepInputs first = inputs;
  const auto write = [&](const std::string& beginning) -> Result<std::string> {
    first.beginning = beginning;
    const Result<BenchStep> step = make_step(engine_, task, first, plan_.step);
    if (!step) return step.error();
    return written(*step);
  };
  return repocoder_text(repositories_.windows(), engine_.tokenizer(), place, write);
}

Result<std::string> Run::written(const BenchStep& step) {
  engine_.clear_caches();
  const auto all = [](TokenId) { return true; };
  const Result<DecodeResult> result =
      engine_.decode(Purpose::kEdit, plan_.decoders.front(), step.request, all, stop_);
  if (!result) return result.error();
  return engine_.tokenizer().decode(result->tokens);
}

Result<Run::Outcome> Run::run_step(const BenchTask& task, int turn, const BenchStep& step) {
  if (hooks_.on_step) {
    if (const Result<void> ready = hooks_.on_step(task, turn, step); !ready) return ready.error();
  }
  set_scripts(step);
  const std::size_t first = report_.records.size();
  if (plan_.warm) engine_.clear_caches();
  for (const DecoderName& decoder : plan_.decoders) {
    if (left_out_.contains(decoder.text)) continue;
    const TaskRecord* plain = report_.records.size() > first ? &report_.records[first] : nullptr;
    const Result<bool> added = add(task, step, {task.id, turn, decoder.text}, decoder, plain);
    if (!added && plain && leave_out(decoder, added.error())) continue;
    if (!added) return added.error();
    if (!*added) return Outcome::kInterrupted;
  }
  return Outcome::kRan;
}

// False if it has run before, so that it is not left out of some tasks only.
bool Run::leave_out(const DecoderName& decoder, const Error& reason) {
  const auto is_its = [&](const TaskRecord& record) { return record.key.decoder == decoder.text; };
  if (!plan_.leave_out_failing || std::ranges::any_of(report_.records, is_its)) return false;
  left_out_.insert(decoder.text);
  report_.skipped.push_back({decoder.text, "decoder left out: " + reason.message()});
  return true;
}

// False if stopped.
Result<bool> Run::add(const BenchTask& task, const BenchStep& step, RecordKey key,
                      const DecoderName& decoder, const TaskRecord* plain) {
  const auto kept = done_.find(key);
  if (kept != done_.end()) {
    report_.records.push_back(kept->second);
    return true;
  }
  if (!plan_.warm) engine_.clear_caches();
  if (plan_.forget) engine_.forget_drafts();
  Result<TaskRecord> record = decode(task, step, std::move(key), decoder, plain);
  if (!record) return record.error().in("decoder " + decoder.text);
  if (stop_.stop_requested()) return false;
  if (hooks_.on_record) {
    if (const Result<void> taken = hooks_.on_record(*record); !taken) return taken.error();
  }
  report_.records.push_back(std::move(*record));
  ++decoded_;
  return true;
}

Result<TaskRecord> Run::decode(const BenchTask& task, const BenchStep& step, RecordKey key,
                               const DecoderName& decoder, const TaskRecord* plain) {
  DecodeRequest request = step.request;
  PassPricer pricer(plan_.curve);
  request.on_progress = [&](const DecodeStatistics& statistics) {
    pricer.see(statistics);
    show(key, statistics);
  };
  OutputLimit output(engine_.tokenizer(), step.end, step.fence, step.beginning);
  std::optional<CompletionLimit> server_end;
  if (step.server_end) server_end.emplace(step.server_end->shape, step.server_end->around());
  const auto sink = [&](TokenId token) {
    const bool more =
        server_end ? server_end->add(engine_.tokenizer().bytes(token)) : output.add(token);
    return more || replay_.target;
  };
  const double draft_start = replay_.draft ? replay_.draft->compute_seconds() : 0;
  const Purpose purpose = server_end ? Purpose::kCompletion : Purpose::kEdit;
  take_searches();  // of a decode that failed
  Result<DecodeResult> result = engine_.decode(purpose, decoder, request, sink, stop_);
  if (!result) return result.error();
  TaskRecord record;
  record.key = std::move(key);
  record.finish_reason = to_string(result->finish_reason);
  record.statistics = result->statistics;
  record.searches = take_searches();
  record.category = task.category;
  record.passes_by_rows = pricer.by_rows();
  record.priced_seconds = pricer.seconds() + draft_price(decoder, result->statistics, draft_start);
  record.seconds = replay_.target ? record.priced_seconds : result->statistics.decode_seconds;
  if (stop_.stop_requested()) return record;
  record.identical =
      !plain || (plain->tokens == result->tokens && plain->finish_reason == record.finish_reason);
  if (replay_.target && !plain) record.identical = result->tokens == step.reference;
  if (!request.original.empty() && !result->tokens.empty()) {
    record.overlap =
        record.identical && plain
            ? plain->overlap
            : static_cast<double>(longest_common_subsequence(request.original, result->tokens)) /
                  static_cast<double>(result->tokens.size());
  }
  judge(task, step, output, plain, record);
  if (!plain || !record.identical) record.tokens = std::move(result->tokens);
  if (!plain) add_margins(step, record);
  return record;
}

// Identical outputs pass or fail alike. A replay writes the reference, which says nothing.
void Run::judge(const BenchTask& task, const BenchStep& step, OutputLimit& output,
                const TaskRecord* plain, TaskRecord& record) const {
  if (plain && record.identical) {
    record.passed = plain->passed;
    record.edit_similarity = plain->edit_similarity;
    return;
  }
  const bool tested = hooks_.judge && task.tests;
  const bool compared = step.reference_text && !replay_.target;
  if (!tested && !compared) return;
  const std::string text = output.text();
  if (tested) record.passed = hooks_.judge(task, text);
  if (compared) record.edit_similarity = edit_similarity(text, *step.reference_text);
}

void Run::add_margins(const BenchStep& step, TaskRecord& record) {
  if (!plan_.margins) return;
  record.margins = margin_histogram(engine_.target(), step.request.prompt, record.tokens, stop_);
}

void Run::set_scripts(const BenchStep& step) const {
  if (!replay_.target) return;
  const auto script = std::make_shared<const ReplayScript>(
      ReplayScript{static_cast<int>(step.request.prompt.size()), step.reference,
                   step.request.stop_tokens.front()});
  replay_.target->set_script(script);
  if (replay_.draft) replay_.draft->set_script(script);
}

// The draft model has no cost curve: its price is the measured time, or for a scripted one the time
// that it reports, including the reading of the prompt.
double Run::draft_price(const DecoderName& decoder, const DecodeStatistics& statistics,
                        double start) const {
  if (!decoder.needs_draft_model()) return 0;
  return replay_.draft ? replay_.draft->compute_seconds() - start : statistics.draft_seconds;
}

int Run::total() const {
  int per_task = static_cast<int>(plan_.decoders.size());
  if (!plan_.tasks.empty()) per_task *= plan_.tasks.front().n_turns();
  const int at = static_cast<int>(report_.records.size());
  return at - at % per_task + tasks_left_ * per_task;
}

void Run::show(const RecordKey& key, const DecodeStatistics& statistics) const {
  if (!hooks_.on_progress) return;
  const int done = static_cast<int>(report_.records.size());
  const int all = std::max(total(), done + 1);
  const double elapsed = seconds_since(start_);
  // The current decode counts as half done.
  const double left = elapsed / (decoded_ + 0.5) * (all - done - 0.5);
  hooks_.on_progress({done, all, left, key, statistics});
}

}  // namespace

Result<RunReport> run_tasks(LocalEngine& engine, const RunPlan& plan, const ReplayModels& replay,
                            const std::map<RecordKey, TaskRecord>& done, const RunHooks& hooks,
                            const std::stop_token& stop) {
  return Run(engine, plan, replay, done, hooks, stop).run();
}

}  // namespace redraft
