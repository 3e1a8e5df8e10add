// redraft bench places: whether an edit of a large file finds what somebody changed.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/places.h"
#include "cli/common/engine_loader.h"
#include "cli/common/interrupt.h"
#include "cli/common/report.h"
#include "cli/common/status_line.h"
#include "lab/bench/bench_tasks.h"

namespace redraft::cli {
namespace {

using Json = nlohmann::ordered_json;

struct PlacesOptions {
  CommonOptions common;
  std::vector<std::string> data;
  bool names_only = false;
  bool edit = false;
  int min_lines = 150;
  int min_hunks = 2;
  int limit = 0;
  std::string out;
};

Json to_json(const ChosenParts& parts) {
  return {{"chosen", parts.chosen},
          {"right", parts.right},
          {"lines", parts.lines},
          {"lines_before_first", parts.lines_before_first}};
}

Json to_json(const EditCost& cost) {
  return {{"first_hunk_seconds", cost.first_hunk_seconds},
          {"seconds", cost.seconds},
          {"hunks", cost.hunks},
          {"read_tokens", cost.read_tokens},
          {"new_tokens", cost.new_tokens},
          {"passes", cost.passes},
          {"finish_reason", cost.finish_reason}};
}

Json to_json(const PlacesRecord& record) {
  Json json = {{"id", record.id},
               {"file_lines", record.file_lines},
               {"hunks", record.hunks},
               {"parts", record.parts},
               {"changed", record.changed},
               {"by_names", to_json(record.by_names)},
               {"with_model", nullptr},
               {"shown", record.shown},
               {"changed_shown", record.changed_shown},
               {"answered", record.answered},
               {"answer", to_json(record.answer)},
               {"read_tokens", record.read_tokens},
               {"new_tokens", record.new_tokens},
               {"passes", record.passes},
               {"in_places", nullptr},
               {"whole", nullptr}};
  if (record.with_model) json["with_model"] = to_json(*record.with_model);
  if (record.in_places) json["in_places"] = to_json(*record.in_places);
  if (record.whole) json["whole"] = to_json(*record.whole);
  return json;
}

// The sums of one way to choose.
struct Tally {
  int changed = 0, chosen = 0, right = 0, files_hit = 0, lines = 0;
  void add(const ChosenParts& parts, int n_changed) {
    changed += n_changed;
    chosen += parts.chosen;
    right += parts.right;
    files_hit += parts.right > 0;
    lines += parts.lines;
  }
  std::string text(const char* name, int n) const {
    char line[200];
    std::snprintf(line, sizeof line,
                  "%-12s found %d of %d changed parts (%.2f), %d of %d chosen are right (%.2f), "
                  "one at least in %d of %d files, %.0f lines\n",
                  name, right, changed, 1.0 * right / std::max(changed, 1), right, chosen,
                  1.0 * right / std::max(chosen, 1), files_hit, n, 1.0 * lines / std::max(n, 1));
    return line;
  }
};

struct Tallies {
  int n = 0, answered = 0, parts = 0, file_lines = 0, changed_shown = 0, shown = 0;
  int read_tokens = 0, passes = 0;
  Tally by_names, with_model, answer;

  void add(const PlacesRecord& record) {
    ++n;
    parts += record.parts;
    file_lines += record.file_lines;
    shown += record.shown;
    changed_shown += record.changed_shown;
    answered += record.answered;
    read_tokens += record.read_tokens;
    passes += record.passes;
    by_names.add(record.by_names, record.changed);
    answer.add(record.answer, record.changed);
    if (record.with_model) with_model.add(*record.with_model, record.changed);
  }
  void print() const {
    const double count = std::max(n, 1);
    std::printf("%d files of %.0f lines and %.0f parts in the mean\n", n, file_lines / count,
                parts / count);
    std::cout << by_names.text("by names", n);
    if (shown == 0) return;
    std::cout << answer.text("answer", n) << with_model.text("with both", n);
    std::printf(
        "the model was shown %.1f parts (%d of the changed ones), read %.0f tokens in the mean, "
        "took %.1f passes, and answered with a list in %d files\n",
        shown / count, changed_shown, read_tokens / count, passes / count, answered);
  }
};

int run_places(const PlacesOptions& options) {
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  const Result<DecoderName> decoder = parse_decoder_name("redraft");
  if (!decoder) return fail(decoder.error());
  const PlacesPlan plan{.ask_model = !options.names_only,
                        .edit = options.edit,
                        .min_lines = options.min_lines,
                        .min_hunks = options.min_hunks,
                        .decoder = *decoder};
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
  const Result<std::unique_ptr<LocalEngine>> engine = load_engine(
      options.common, *decoder, *pool, shown_on(status, watch.token()), Fallback::kNone);
  if (!engine) return fail(engine.error());
  Tallies tallies;
  for (const std::string& file : options.data) {
    const Result<TaskFile> tasks = read_tasks(file, TaskKind::kEdits, {});
    if (!tasks) return fail(tasks.error());
    for (const BenchTask& task : tasks->tasks) {
      if (watch.interrupted() || (options.limit > 0 && tallies.n >= options.limit)) break;
      status.show(task.id);
      const auto record = measure_places(**engine, task, plan, watch.token());
      if (watch.interrupted()) break;
      if (!record) {
        status.clear();
        std::cerr << "redraft: left out: " << task.id << ": " << record.error().message()
                  << std::endl;
        continue;
      }
      if (!*record) continue;
      tallies.add(**record);
      if (out.is_open()) out << dump(to_json(**record)) << std::endl;
    }
  }
  status.clear();
  tallies.print();
  return watch.interrupted() ? kInterrupted : kSuccess;
}

}  // namespace

void add_places_bench(CommandLine bench, Command& chosen) {
  const CommandLine places = bench.add_subcommand(
      "places", "Whether an edit of a large file finds the places that programmers changed");
  const auto options = std::make_shared<PlacesOptions>();
  places.add_option("--data", options->data, "Task files, JSON lines").required();
  places.add_flag("--names-only", options->names_only, "Do not ask the model");
  places.add_flag("--edit", options->edit,
                  "Also edit, in the places found and in the whole file, and take the time");
  places.add_option("--min-lines", options->min_lines, "Leave out smaller files").show_default();
  places.add_option("--min-hunks", options->min_hunks, "Leave out files with fewer changes")
      .show_default();
  places.add_option("--limit", options->limit, "Files to measure, from the first")
      .check(in_range(1, 1 << 20));
  places.add_option("--out", options->out, "File for the figures of each file, JSON lines");
  add_common_options(places, options->common);
  places.callback([&chosen, options] { chosen = [options] { return run_places(*options); }; });
}

}  // namespace redraft::cli
