// redraft bench papers: the tables of the papers, measured here.
//
// A table's runs are runs of the task bench, each with a file of its own in --out, named after the
// run. Tables that need the same run share that file: a run adds the decoders that the file lacks,
// and decodes nothing that it has. So an interrupted command continues where it stopped, and
// results of `bench` with the same options are used as they are.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/papers/paper_report.h"
#include "bench/papers/paper_results.h"
#include "bench/papers/paper_table.h"
#include "cli/common/report.h"
#include "lab/bench/bench_setup.h"
#include "lab/bench/bench_tasks.h"
#include "lab/bench/same_settings.h"
#include "support/files/whole_file.h"

namespace redraft::cli {
namespace {

namespace fs = std::filesystem;

// A GPU on which a pass of 64 rows costs a fifth more than one of a single row, as decoders are
// compared for one in docs/lab/decoding-methods.md. No machine was measured.
constexpr const char* kGpuLikeCurve = "1:1,64:1.2,128:1.5,512:4";
constexpr double kPaperDraftCost = 0.22;  // 7B of 32B, EfficientEdit's and CopySpec's pair

struct PapersOptions {
  CommonOptions common;
  std::vector<std::string> tables;
  std::string data;
  std::string out;
  std::vector<std::string> common_files;
  int limit = 0;
  std::string python;
  std::string curve = kGpuLikeCurve;
  double draft_cost = kPaperDraftCost;
  bool no_run = false;
  bool no_tests = false;
};

// A table by its id, or all of a paper.
Result<std::vector<const PaperTable*>> chosen_tables(const std::vector<std::string>& names) {
  std::vector<const PaperTable*> chosen;
  for (const std::string& name : names) {
    const std::size_t before = chosen.size();
    for (const PaperTable& table : paper_tables()) {
      if (table.id == name || table.id.starts_with(name + "-")) chosen.push_back(&table);
    }
    if (chosen.size() > before) continue;
    const auto left_out = std::ranges::find(left_out_tables(), name, &LeftOutTable::id);
    if (left_out != left_out_tables().end())
      return Error(name + " is not reproduced: " + left_out->reason);
    return Error("there is no table '" + name + "'; `redraft bench papers` lists them");
  }
  return chosen;
}

TaskBenchOptions task_options(const PapersOptions& options, const PaperRun& run) {
  TaskBenchOptions task;
  task.common = options.common;
  task.kind = run.kind;
  for (const std::string& file : run.files)
    task.data.push_back((fs::path(options.data) / file).string());
  task.limit = options.limit;
  if (run.common) task.common_files = options.common_files;
  task.out = (fs::path(options.out) / (run.id + ".json")).string();
  task.max_new_tokens = run.max_new_tokens;
  task.warm = true;
  task.pass_at_1 = run.pass_at_1 && !options.no_tests;
  task.python = options.python;
  task.instruction = run.instruction;
  task.chat = run.chat;
  task.left_only = run.left_only;
  task.mtbench_turn2 = run.mtbench_turn2;
  return task;
}

class PapersBench {
 public:
  explicit PapersBench(const PapersOptions& options) : options_(options) {}
  int run();

 private:
  // Runs what is missing and returns the exit code. An error means that the existing results belong
  // to another command.
  Result<int> run_one(const NeededRun& needed);
  Result<std::vector<std::string>> missing_decoders(const NeededRun& needed,
                                                    const TaskBenchOptions& task);
  Result<void> check_settings(const TaskBenchOptions& task, bool adds);
  Result<void> load(const NeededRun& needed);
  Result<void> write(const PaperTable& table);
  fs::path file_of(const PaperRun& run) const {
    return fs::path(options_.out) / (run.id + ".json");
  }

  const PapersOptions& options_;
  PaperReportInputs inputs_;
  EarlierDecodes earlier_;
};

int PapersBench::run() {
  Result<std::vector<const PaperTable*>> tables = chosen_tables(options_.tables);
  if (!tables) return misuse(tables.error());
  if (options_.out.empty()) return misuse(Error("--out is missing: the folder for the results"));
  if (options_.data.empty() && !options_.no_run)
    return misuse(Error("--data is missing: the folder of the task files (docs/lab/bench.md)"));
  Result<CostCurve> curve = parse_curve(options_.curve);
  if (!curve) return misuse(curve.error());
  inputs_.curve = std::move(*curve);
  inputs_.curve_text = options_.curve;
  inputs_.draft_cost = options_.draft_cost;
  std::error_code problem;
  fs::create_directories(options_.out, problem);
  if (problem) return fail(Error(options_.out + ": cannot be made: " + problem.message()));
  int outcome = kSuccess;
  for (const PaperTable* table : *tables) {
    for (const NeededRun& needed : needed_runs(*table)) {
      const Result<int> ended = options_.no_run ? Result<int>(kSuccess) : run_one(needed);
      if (!ended) return fail(ended.error());
      if (*ended == kInterrupted) return *ended;
      if (*ended != kSuccess) outcome = *ended;
      if (const Result<void> loaded = load(needed); !loaded) return fail(loaded.error());
    }
    if (const Result<void> written = write(*table); !written) return fail(written.error());
  }
  return outcome;
}

// The decoders of the table that this build has and the results lack. Their decodes are added to
// the file, which keeps everything else.
Result<std::vector<std::string>> PapersBench::missing_decoders(const NeededRun& needed,
                                                               const TaskBenchOptions& task) {
  std::vector<std::string> wanted;
  for (const std::string& decoder : needed.decoders) {
    if (parse_decoder_name(decoder)) wanted.push_back(decoder);
  }
  earlier_.clear();
  if (!fs::exists(task.out)) return wanted;
  const Result<PaperResults> results = PaperResults::open(task.out, *needed.run);
  if (!results) return results.error();
  std::erase_if(wanted, [&](const std::string& decoder) { return results->has(decoder); });
  if (const Result<void> same = check_settings(task, !wanted.empty()); !same) return same.error();
  for (const TaskRecord& record : results->records()) earlier_.insert_or_assign(record.key, record);
  return wanted;
}

// Whether the results in task.out are of this command's models, tasks and limits; if it `adds` to
// them, of this build too.
Result<void> PapersBench::check_settings(const TaskBenchOptions& task, bool adds) {
  Result<nlohmann::ordered_json> wanted = settings_of(task, {});
  if (!wanted) return wanted.error();
  const Result<JsonDocument> stored = JsonDocument::open(
      task.out, {.bytes = std::size_t{1} << 30, .values = std::size_t{64} << 20, .depth = 16});
  if (!stored) return stored.error();
  const Result<JsonValue> settings = stored->root().at("settings");
  if (!settings) return settings.error();
  std::vector<std::string> ignored = {"decoders"};
  if (!adds) ignored.emplace_back("program");
  // Without a set selfspec was left out of them, and can be added once there is one.
  if (!settings->find("skipped_layers")) ignored.emplace_back("skipped_layers");
  const auto difference = first_difference(*settings, *wanted, ignored);
  if (!difference) return {};
  return Error(task.out + ": these results have another '" + *difference +
               "' than this command; --no-run shows them as they are, and another --out starts "
               "anew");
}

Result<int> PapersBench::run_one(const NeededRun& needed) {
  const PaperRun& run = *needed.run;
  TaskBenchOptions task = task_options(options_, run);
  for (const std::string& file : task.data) {
    if (fs::exists(file)) continue;
    std::string why = file + " is missing";
    if (!run.converter.empty()) why += "; `" + run.converter + "` writes it from your own copy";
    std::cerr << "redraft: " << run.id << " is left out: " << why << std::endl;
    // Not the folder: that is of this machine.
    inputs_.missing[run.id] = "not run, the task file is missing";
    return kSuccess;
  }
  const Result<std::vector<std::string>> missing = missing_decoders(needed, task);
  if (!missing) return missing.error();
  if (missing->empty()) return kSuccess;
  task.decoders.clear();
  for (const auto& [key, record] : earlier_) {
    if (std::ranges::find(task.decoders, key.decoder) == task.decoders.end() &&
        parse_decoder_name(key.decoder)) {
      task.decoders.push_back(key.decoder);
    }
  }
  task.decoders.insert(task.decoders.end(), missing->begin(), missing->end());
  std::cerr << "redraft: run " << run.id << std::endl;
  return run_task_bench(task, &earlier_);
}

Result<void> PapersBench::load(const NeededRun& needed) {
  const fs::path file = file_of(*needed.run);
  if (!fs::exists(file)) {
    inputs_.missing.try_emplace(needed.run->id, "not run yet");
    return {};
  }
  Result<PaperResults> results = PaperResults::open(file, *needed.run);
  if (!results) return results.error();
  inputs_.results.insert_or_assign(needed.run->id, std::move(*results));
  inputs_.missing.erase(needed.run->id);
  return {};
}

Result<void> PapersBench::write(const PaperTable& table) {
  inputs_.command = "redraft bench papers " + table.id;
  if (options_.limit > 0) inputs_.command += " --limit " + std::to_string(options_.limit);
  const fs::path folder = options_.out;
  const std::string figure = paper_figure(table, inputs_);
  if (!figure.empty()) {
    const Result<void> kept =
        write_whole_file(folder / (table.id + ".svg"), {std::as_bytes(std::span(figure))});
    if (!kept) return kept.error();
  }
  const std::string text =
      paper_report(table, inputs_, figure.empty() ? std::string() : table.id + ".svg");
  const fs::path file = folder / (table.id + ".md");
  const Result<void> kept = write_whole_file(file, {std::as_bytes(std::span(text))});
  if (!kept) return kept.error();
  std::cout << text << "\n" << file.string() << std::endl;
  return {};
}

int run_papers(const PapersOptions& options) {
  if (options.tables.empty()) {
    std::cout << paper_list() << std::flush;
    return kSuccess;
  }
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  return PapersBench(options).run();
}

}  // namespace

void add_papers_bench(CommandLine bench, Command& chosen) {
  const CommandLine papers = bench.add_subcommand(
      "papers", "The tables of the papers, measured here beside what they say");
  const auto options = std::make_shared<PapersOptions>();
  papers.add_option("TABLE", options->tables,
                    "Tables, or a paper: all of its tables. Without one, they are listed");
  papers.add_option("--data", options->data, "The folder of the public tasks (docs/lab/bench.md)");
  papers.add_option("--out", options->out,
                    "Folder for results and tables. The same command continues an interrupted run");
  papers.add_option("--common", options->common_files,
                    "Code of other projects for FastCoder's tables, as for `bench completion`");
  papers.add_option("--limit", options->limit, "Tasks of each run, from the first (default: all)")
      .check(in_range(1, 1 << 20));
  papers
      .add_option("--curve", options->curve,
                  "What a forward pass costs on the machine that prices are of: ROWS:COST,… in "
                  "plain passes")
      .show_default();
  papers
      .add_option("--draft-cost", options->draft_cost,
                  "What a token of the draft model costs there, in plain passes")
      .check(in_range(0.0, 100.0))
      .show_default();
  papers.add_flag("--no-run", options->no_run, "Write the tables of the results that are there");
  papers.add_flag("--no-tests", options->no_tests, "Do not run tests: no pass@1");
  papers.add_option("--python", options->python,
                    "The Python for tests (default: the first on the PATH that runs there)");
  add_common_options(papers, options->common);
  papers.callback([&chosen, options] { chosen = [options] { return run_papers(*options); }; });
}

}  // namespace redraft::cli
