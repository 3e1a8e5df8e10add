// redraft bench quality: edits as the server makes them, against what programmers wrote.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/command/bench_setup.h"
#include "bench/command/bench_tasks.h"
#include "bench/quality.h"
#include "cli/common/engine_loader.h"
#include "cli/common/interrupt.h"
#include "cli/common/misuse_reason.h"
#include "cli/common/report.h"
#include "cli/common/status_line.h"
#include "workspace/edit/edit_context.h"

namespace redraft::cli {
namespace {

struct QualityOptions {
  CommonOptions common;
  std::vector<std::string> data;
  std::string instruction = "descriptive";
  std::optional<EditScope> scope;
  int context_tokens = -1;  // -1: what suits this machine
  int half = -1;            // -1: both
  int limit = 0;
  bool pass_at_1 = false;
  bool dry_run = false;
  std::string python;
  std::string out;
};

nlohmann::ordered_json to_json(const QualityRecord& record) {
  nlohmann::ordered_json json = {{"id", record.id},
                                 {"file_lines", record.file_lines},
                                 {"region_first", record.region_first},
                                 {"region_lines", record.region_lines},
                                 {"changed_lines", record.changed_lines},
                                 {"changed_lines_in_region", record.changed_lines_in_region},
                                 {"expected_hunks", record.expected_hunks},
                                 {"exact_hunks", record.exact_hunks},
                                 {"made_hunks", record.made_hunks},
                                 {"similarity", record.similarity},
                                 {"similarity_before", record.similarity_before},
                                 {"breaks_syntax", record.breaks_syntax},
                                 {"finish_reason", record.finish_reason},
                                 {"written", record.written},
                                 {"prompt_tokens", record.prompt_tokens},
                                 {"new_tokens", record.new_tokens},
                                 {"passes", record.passes},
                                 {"prefill_seconds", record.prefill_seconds},
                                 {"decode_seconds", record.decode_seconds}};
  json["passed"] = record.passed ? nlohmann::ordered_json(*record.passed) : nullptr;
  return json;
}

// Of the tasks so far.
struct Totals {
  int tasks = 0, expected = 0, exact = 0, changed = 0, changed_in_region = 0, broken = 0;
  int judged = 0, passed = 0;
  double similarity = 0, similarity_before = 0, prompt_tokens = 0;

  void add(const QualityRecord& record) {
    ++tasks;
    expected += record.expected_hunks;
    exact += record.exact_hunks;
    changed += record.changed_lines;
    changed_in_region += record.changed_lines_in_region;
    broken += record.breaks_syntax;
    judged += record.passed.has_value();
    passed += record.passed.value_or(false);
    similarity += record.similarity;
    similarity_before += record.similarity_before;
    prompt_tokens += record.prompt_tokens;
  }
  std::string text() const {
    char line[400];
    const double n = std::max(tasks, 1);
    std::snprintf(line, sizeof line,
                  "%d tasks · exact hunks %d of %d · similarity %.3f (untouched %.3f) · changed "
                  "lines in the region %.0f %% · syntax broken %d · passed %d of %d · %.0f prompt "
                  "tokens",
                  tasks, exact, expected, similarity / n, similarity_before / n,
                  100.0 * changed_in_region / std::max(changed, 1), broken, passed, judged,
                  prompt_tokens / n);
    return line;
  }
};

Result<std::vector<BenchTask>> tasks_of(const QualityOptions& options) {
  std::vector<BenchTask> tasks;
  for (const std::string& file : options.data) {
    Result<TaskFile> read =
        read_tasks(file, TaskKind::kEdits, {.instruction = options.instruction});
    if (!read) return read.error();
    for (BenchTask& task : read->tasks) {
      if (options.half >= 0 && half_of(task.id) != options.half) continue;
      if (options.limit > 0 && std::ssize(tasks) >= options.limit) break;
      tasks.push_back(std::move(task));
    }
  }
  if (tasks.empty()) return Error("there is no task to edit in " + options.data.front());
  return tasks;
}

int run_quality(const QualityOptions& options) {
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  const Result<std::vector<BenchTask>> tasks = tasks_of(options);
  if (!tasks) return fail(tasks.error());
  const Result<DecoderName> decoder = parse_decoder_name("redraft");
  if (!decoder) return fail(decoder.error());
  QualityPlan plan{.scope = options.scope, .decoder = *decoder, .dry_run = options.dry_run};
  if (options.context_tokens >= 0)
    plan.context_bytes = static_cast<std::size_t>(kBytesPerToken * options.context_tokens);
  std::optional<TestRunner> tests;
  if (options.pass_at_1) {
    Result<TestRunner> runner = make_test_runner(options.python);
    if (!runner) return fail(runner.error().in("--pass-at-1"));
    tests.emplace(std::move(*runner));
  }
  std::ofstream out;
  if (!options.out.empty()) {
    if (std::filesystem::exists(options.out))
      return fail(Error(options.out + ": is there already; choose another name for --out"));
    out.open(options.out);
    if (!out) return fail(Error(options.out + ": cannot be written"));
  }
  const InterruptWatch watch;
  StatusLine status;
  const std::unique_ptr<ThreadPool> pool = make_pool(options.common);
  const Result<std::unique_ptr<Engine>> engine = load_engine(
      options.common, *decoder, *pool, shown_on(status, watch.token()), Fallback::kNone);
  if (!engine) return fail(engine.error());
  const auto judge = [&](const BenchTask& task, const std::string& text) -> std::optional<bool> {
    return tests ? tests->accepts(task, text) : std::nullopt;
  };
  Totals totals;
  int left_out = 0;
  for (const BenchTask& task : *tasks) {
    status.show(task.id + " · " + totals.text());
    const Result<QualityRecord> record =
        measure_quality(**engine, task, plan, judge, watch.token());
    if (watch.interrupted()) break;
    if (!record) {
      ++left_out;
      status.clear();
      std::cerr << "redraft: left out: " << task.id << ": " << record.error().message()
                << std::endl;
      continue;
    }
    totals.add(*record);
    if (out.is_open()) out << dump(to_json(*record)) << std::endl;
  }
  status.clear();
  std::cout << totals.text() << " · left out " << left_out << std::endl;
  return watch.interrupted() ? kInterrupted : kSuccess;
}

}  // namespace

void add_quality_bench(CLI::App& bench, Command& chosen) {
  CLI::App* quality = bench.add_subcommand(
      "quality", "Edits as the server makes them, against what programmers wrote");
  quality->footer(
      "Everyday instructions, judged by what they ask for: bench/instructions_bench.py\n"
      "(docs/bench.md).");
  const auto options = std::make_shared<QualityOptions>();
  quality->add_option("--data", options->data, "Task files, JSON lines")->required();
  quality
      ->add_option("--instruction", options->instruction, "Which instruction, where a task has two")
      ->check(any_of({"descriptive", "lazy"}))
      ->capture_default_str();
  const std::vector<std::pair<std::string, EditScope>> scopes = {
      {"around", EditScope::kAround}, {"symbol", EditScope::kSymbol}, {"file", EditScope::kFile}};
  quality->add_option("--scope", options->scope, "What is edited (default: what a cursor means)")
      ->transform(one_of(scopes));
  quality
      ->add_option("--context-tokens", options->context_tokens,
                   "Of the file around the region (default: what suits this machine)")
      ->check(CLI::Range(0, 1 << 20));
  quality->add_flag("--dry-run", options->dry_run,
                    "Choose regions and make prompts, without asking the model");
  quality->add_option("--half", options->half, "0 or 1: half of the tasks, by a hash of their ids")
      ->check(CLI::Range(0, 1));
  quality->add_option("--limit", options->limit, "Tasks to run, from the first")
      ->check(CLI::Range(1, 1 << 20));
  quality->add_flag("--pass-at-1", options->pass_at_1,
                    "Run the tests of Python tasks, in a sandbox");
  quality->add_option("--python", options->python, "The Python for that");
  quality->add_option("--out", options->out, "File for the figures of each task, JSON lines");
  add_common_options(*quality, options->common);
  quality->callback([&chosen, options] { chosen = [options] { return run_quality(*options); }; });
}

}  // namespace redraft::cli
