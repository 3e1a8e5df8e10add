// redraft bench doubts: how often redraft doubts a change that is right.
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/doubted_change.h"
#include "cli/common/report.h"
#include "lab/bench/bench_tasks.h"

namespace redraft::cli {
namespace {

using Json = nlohmann::ordered_json;

struct DoubtsOptions {
  std::vector<std::string> data;
  Format format = Format::kText;
};

Json to_json(const DoubtedChange& change) {
  Json doubts = Json::array();
  for (const Doubt& doubt : change.doubts)
    doubts.push_back({{"kind", to_string(doubt.kind)}, {"reason", doubt.reason}});
  return {{"id", change.id},
          {"language", change.language},
          {"hunks", change.hunks},
          {"left", change.left},
          {"doubts", std::move(doubts)}};
}

int run_doubts(const DoubtsOptions& options) {
  DoubtTable table;
  for (const std::string& file : options.data) {
    const Result<TaskFile> tasks = read_tasks(file, TaskKind::kEdits, {});
    if (!tasks) return fail(tasks.error());
    for (const BenchTask& task : tasks->tasks) {
      const Result<DoubtedChange> change = doubted_change(task);
      if (!change) {
        std::cerr << "redraft: left out: " << task.id << ": " << change.error().message()
                  << std::endl;
        continue;
      }
      table.add(*change);
      if (options.format == Format::kJson) std::cout << dump(to_json(*change)) << "\n";
    }
  }
  if (options.format == Format::kText) std::cout << table.text();
  std::cout << std::flush;
  return kSuccess;
}

}  // namespace

void add_doubts_bench(CommandLine bench, Command& chosen) {
  const CommandLine doubts = bench.add_subcommand(
      "doubts", "How often redraft doubts the changes that programmers made (needs no model)");
  const auto options = std::make_shared<DoubtsOptions>();
  doubts.add_option("--data", options->data, "Task files, JSON lines").required();
  doubts
      .add_option("--format", options->format,
                  "What is printed: a table, or an object for each change")
      .transform(text_or_json());
  doubts.callback([&chosen, options] { chosen = [options] { return run_doubts(*options); }; });
}

}  // namespace redraft::cli
