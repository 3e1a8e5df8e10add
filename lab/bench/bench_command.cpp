// redraft bench: measurements that users can repeat on their own machine.
#include "lab/bench/bench_command.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iostream>
#include <set>

#include "bench/cost_bench.h"
#include "bench/cost_table.h"
#include "cli/common/command.h"
#include "cli/common/cost_cache.h"
#include "cli/common/device.h"
#include "cli/common/engine_loader.h"
#include "cli/common/interrupt.h"
#include "cli/common/report.h"
#include "cli/common/status_line.h"
#include "lab/bench/bench_tasks.h"
#include "support/system/machine.h"

namespace redraft::cli {
namespace {

const std::vector<int> kDefaultRows = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256};
const std::vector<int> kDefaultContexts = {0, 1024, 4096};

struct CostOptions {
  CommonOptions common;
  std::vector<int> rows;      // empty: the default
  std::vector<int> contexts;  // likewise; the default ones that the model has room for
  int samples = 5;
  int time_limit = 300;
  Format format = Format::kText;
};

std::vector<int> sorted(const std::vector<int>& numbers) {
  const std::set<int> set(numbers.begin(), numbers.end());
  return {set.begin(), set.end()};
}

// An error is a usage error: rows or contexts that this model has no room for.
Result<CostPlan> make_plan(const CostOptions& options, int context_length) {
  CostPlan plan{.rows = sorted(options.rows.empty() ? kDefaultRows : options.rows),
                .contexts = sorted(options.contexts.empty() ? kDefaultContexts : options.contexts),
                .samples = options.samples,
                .time_limit = static_cast<double>(options.time_limit)};
  const int room = context_length - plan.rows.back();
  if (options.contexts.empty()) {
    std::erase_if(plan.contexts, [room](int context) { return context > std::max(0, room); });
  }
  if (plan.contexts.back() > room) {
    return Error(std::to_string(plan.rows.back()) + " rows on a context of " +
                 std::to_string(plan.contexts.back()) + " tokens exceed the model's context of " +
                 std::to_string(context_length) + "; give a smaller --context or fewer --rows");
  }
  return plan;
}

nlohmann::ordered_json shares_of(const CostPoint& point) {
  nlohmann::ordered_json shares = nlohmann::ordered_json::object();
  for (int part = 0; part < kPassParts; ++part)
    shares[to_string(static_cast<PassPart>(part))] = point.shares[part];
  return shares;
}

nlohmann::ordered_json by_bits(const PerCodeWidth& values) {
  nlohmann::ordered_json all;
  for (const int bits : kCodeWidths) all[std::to_string(bits)] = values[code_width_index(bits)];
  return all;
}

nlohmann::ordered_json to_json(const CostTitle& title, const CostReport& report) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const CostPoint& point : report.points) {
    points.push_back({{"rows", point.rows},
                      {"context", point.context},
                      {"seconds", point.seconds},
                      {"ratio", point.ratio},
                      {"roofline_fraction", point.roofline_fraction},
                      {"linears_int8_fraction", point.linears_fraction},
                      {"rows_per_second", point.rows / point.seconds},
                      {"bytes", point.work.bytes},
                      {"integer_macs", over_all_widths(point.work.integer_macs)},
                      {"float_macs", point.work.float_macs},
                      {"samples", point.samples},
                      {"quiet", point.quiet},
                      {"shares", shares_of(point)}});
  }
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const CostLine& line : report.lines) {
    lines.push_back({{"context", line.context},
                     {"one_row_seconds", line.one_row},
                     {"further_row_seconds", line.further_row},
                     {"bound", line.bound()}});
  }
  nlohmann::ordered_json bf16;
  if (report.peak.bf16_gmacs > 0) bf16 = report.peak.bf16_gmacs;
  return {{"machine", title.machine},
          {"instructions", title.instructions},
          {"model", title.model},
          {"threads", title.threads},
          {"peak_gmacs", report.mixed_gmacs()},
          {"peak_gmacs_by_bits", by_bits(report.peak.int8_gmacs)},
          {"peak_bf16_gmacs", bf16},
          {"peak_int16_gmacs", report.peak.int16_gmacs},
          {"peak_f32_gmacs", report.peak.f32_gmacs},
          {"bandwidth_gbs", report.peak.bandwidth_gbps},
          {"quiet", report.quiet()},
          {"bounds", std::move(lines)},
          {"points", std::move(points)}};
}

void show(const CostProgress& progress, StatusLine& status) {
  const auto percent = static_cast<int>(100 * progress.done);
  const auto left = static_cast<int>(std::ceil(progress.seconds_left));
  status.show("measuring: " + std::to_string(percent) + " %, about " + std::to_string(left) +
              " s left" +
              (progress.quiet ? "" : "  (the machine is busy with something else: repeating)"));
}

// Stores the curve for the planner. A curve of points chosen by the user would be a worse guide
// than the stored one.
void keep(const CostOptions& options, const CostReport& report, const CostKey& key) {
  if (!options.rows.empty() || !options.contexts.empty()) return;
  const Result<void> kept = CostCache().store(
      key, {.curve = report.curve(), .measured_at = std::time(nullptr), .complete = true});
  if (!kept) {
    std::cerr << "redraft: warning: the curve is not kept for editing: " << kept.error().message()
              << std::endl;
  }
}

int run_cost(const CostOptions& options) {
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  const InterruptWatch watch;
  StatusLine status;
  status.show("loading " + options.common.target);
  const std::unique_ptr<ThreadPool> pool = make_pool(options.common);
  const Device device = chosen_device(options.common.device);
  const Result<LoadedModel> target = load_target(options.common, *pool);
  if (!target) return fail(target.error());
  const Result<CostPlan> plan = make_plan(options, target->model->context_length());
  if (!plan) return misuse(plan.error());
  const Result<CostKey> key = cost_key(target->location, pool->threads(), kernels_on(device));
  if (!key) return fail(key.error());
  status.show("measuring the machine's peak");
  const std::unique_ptr<kernels::MachineProbe> probe = make_probe(device, *pool);
  const CostReport report = measure_cost(
      *target->model, *probe, *plan, [&](const CostProgress& progress) { show(progress, status); },
      watch.token());
  status.clear();
  if (report.interrupted) return kInterrupted;
  keep(options, report, *key);
  const CostTitle title{.model = options.common.target,
                        .machine = cpu_name(),
                        .instructions = kernels_on(device),
                        .threads = pool->threads(),
                        .on_gpu = device == Device::cuda()};
  if (options.format == Format::kJson) {
    std::cout << dump(to_json(title, report)) << std::endl;
  } else {
    std::cout << cost_table(title, report) << std::flush;
  }
  if (const CostPoint* point = report.beyond_the_peak()) {
    return fail(Error("the peak measured is too low: passes of " + std::to_string(point->rows) +
                      " rows exceed it; please report this with the lines above"));
  }
  return kSuccess;
}

void add_cost(CommandLine bench, Command& chosen) {
  const CommandLine cost = bench.add_subcommand(
      "cost", "Time of a pass by its rows and context, compared with this machine's peak");
  const auto options = std::make_shared<CostOptions>();
  cost.add_option("--rows", options->rows,
                  "Rows of the passes, separated by commas (default: 1,2,4,8,… 256)")
      .delimiter(',')
      .check(in_range(1, 4096));
  cost.add_option("--context", options->contexts,
                  "Tokens before them, separated by commas (default: 0,1024,4096)")
      .delimiter(',')
      .check(in_range(0, 1 << 24));
  cost.add_option("--samples", options->samples, "Passes of each kind on a quiet machine")
      .check(in_range(1, 1000))
      .show_default();
  cost.add_option("--time-limit", options->time_limit,
                  "Seconds after which it no longer waits for the machine to be quiet")
      .check(in_range(1, 86400))
      .show_default();
  cost.add_option("--format", options->format, "What is printed").transform(text_or_json());
  add_target_options(cost, options->common);
  cost.callback([&chosen, options] { chosen = [options] { return run_cost(*options); }; });
}

}  // namespace

void add_bench(CommandLine app, Command& chosen) {
  const CommandLine bench = app.add_subcommand("bench", "Measure this machine with a model");
  bench.require_subcommand();
  add_task_benches(bench, chosen);
  add_papers_bench(bench, chosen);
  add_quality_bench(bench, chosen);
  add_places_bench(bench, chosen);
  add_doubts_bench(bench, chosen);
  add_skips_bench(bench, chosen);
  add_cost(bench, chosen);
}

}  // namespace redraft::cli
