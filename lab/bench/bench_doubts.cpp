// redraft bench doubts: how often redraft doubts a correct change, and how often a damaged one.
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/doubts/changed_file.h"
#include "bench/doubts/damaged_texts.h"
#include "bench/doubts/doubt_tables.h"
#include "bench/doubts/undefined_texts.h"
#include "cli/common/report.h"
#include "lab/bench/bench_tasks.h"

namespace redraft::cli {
namespace {

using Json = nlohmann::ordered_json;

struct DoubtsOptions {
  std::vector<std::string> data;
  int n_undefined = 150;
  unsigned seed = 1;
  Format format = Format::kText;
};

class DoubtsBench {
 public:
  explicit DoubtsBench(const DoubtsOptions& options) : options_(options) {}

  int run() {
    for (const std::string& file : options_.data) {
      const Result<TaskFile> tasks = read_tasks(file, TaskKind::kEdits, {});
      if (!tasks) return fail(tasks.error());
      for (const BenchTask& task : tasks->tasks) take(task);
    }
    for (const ChangedFile& file : files_) {
      for (const DoubtBasis basis : {DoubtBasis::kTree, DoubtBasis::kLines}) examine(file, basis);
    }
    for (const UndefinedText& text : undefined_texts(files_, options_.n_undefined, options_.seed)) {
      const DoubtedText doubted = doubted_text(*text.file, text.text, DoubtBasis::kTree);
      tables_.add_undefined(text, is_found(doubted, text));
      show(*text.file, "a name undefined", DoubtBasis::kTree, doubted, is_found(doubted, text),
           text.line);
    }
    if (options_.format == Format::kText) std::cout << tables_.text();
    std::cout << std::flush;
    return kSuccess;
  }

 private:
  void take(const BenchTask& task) {
    Result<ChangedFile> file = changed_file(task);
    if (!file) {
      std::cerr << "redraft: left out: " << task.id << ": " << file.error().message() << std::endl;
      return;
    }
    files_.push_back(std::move(*file));
  }

  void examine(const ChangedFile& file, DoubtBasis basis) {
    const DoubtedText correct = doubted_text(file, file.after, basis);
    tables_.add_correct(file, correct, basis);
    show(file, "correct", basis, correct, !correct.doubts.empty());
    for (const DamagedText& damaged : damaged_texts(file)) {
      const DoubtedText doubted = doubted_text(file, damaged.text, basis);
      tables_.add_damaged(damaged.damage, is_found(doubted, correct), basis);
      show(file, damaged.damage, basis, doubted, is_found(doubted, correct));
    }
  }

  void show(const ChangedFile& file, const std::string& text, DoubtBasis basis,
            const DoubtedText& doubted, bool is_found, const std::string& line = {}) const {
    if (options_.format != Format::kJson) return;
    Json doubts = Json::array();
    for (const Doubt& doubt : doubted.doubts)
      doubts.push_back({{"kind", to_string(doubt.kind)}, {"reason", doubt.reason}});
    Json json = {{"id", file.id},        {"language", file.language},
                 {"text", text},         {"with_tree", basis == DoubtBasis::kTree},
                 {"doubted", is_found},  {"hunks", doubted.hunks},
                 {"left", doubted.left}, {"doubts", std::move(doubts)}};
    if (!line.empty()) json["line"] = line;
    std::cout << dump(json) << "\n";
  }

  const DoubtsOptions& options_;
  std::vector<ChangedFile> files_;
  DoubtTables tables_;
};

}  // namespace

void add_doubts_bench(CommandLine bench, Command& chosen) {
  const CommandLine doubts = bench.add_subcommand(
      "doubts", "How often redraft doubts correct changes and damaged ones (needs no model)");
  const auto options = std::make_shared<DoubtsOptions>();
  doubts.add_option("--data", options->data, "Task files, JSON lines").required();
  doubts.add_option("--undefined", options->n_undefined,
                    "In how many texts one name is made undefined");
  doubts.add_option("--seed", options->seed, "Chooses these names");
  doubts
      .add_option("--format", options->format,
                  "What is printed: tables, or an object for each text that is examined")
      .transform(text_or_json());
  doubts.callback(
      [&chosen, options] { chosen = [options] { return DoubtsBench(*options).run(); }; });
}

}  // namespace redraft::cli
