#include "tuning/head/acceptance_curve.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "support/chart/chart.h"

namespace redraft {
namespace {

constexpr ChartSize kSize{.width = 720, .height = 400};

double rows_after(const TrainingPlan& plan, std::size_t step) {
  const auto epoch = static_cast<std::size_t>(plan.steps_per_epoch());
  const double whole = static_cast<double>(step / epoch) * plan.examples;
  return whole + std::min(static_cast<double>(step % epoch) * plan.batch, 1.0 * plan.examples);
}

}  // namespace

std::string acceptance_table(std::span<const StepRecord> steps, const TrainingPlan& plan) {
  std::string out = "step,rows,loss,acceptance";
  const auto measured =
      std::ranges::find_if(steps, [](const StepRecord& step) { return step.held_out.has_value(); });
  const std::size_t places = measured == steps.end() ? 0 : measured->more.size() - 1;
  for (std::size_t place = 0; place < places; ++place)
    out += ",accuracy_" + std::to_string(place + 1);
  out += '\n';
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].held_out) continue;
    char text[96];
    std::snprintf(text, sizeof text, "%zu,%.0f,%.6f", i + 1, rows_after(plan, i + 1),
                  *steps[i].held_out);
    out += text;
    for (const double each : steps[i].more) {
      std::snprintf(text, sizeof text, ",%.4f", each);
      out += text;
    }
    out += '\n';
  }
  return out;
}

std::string acceptance_curve(std::span<const StepRecord> steps, const TrainingPlan& plan,
                             const std::string& title) {
  ChartSeries lengths{.name = "acceptance length on held-out rows", .points = {}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].held_out || steps[i].more.empty()) continue;
    lengths.points.emplace_back(rows_after(plan, i + 1), steps[i].more.front());
  }
  const ChartPanel panel{.title = title,
                         .x_title = "rows learnt",
                         .y_title = "tokens per pass",
                         .series = {std::move(lengths)},
                         .x_axis = ChartPanel::XAxis::kSteps,
                         .y_begin = 1};
  return chart({&panel, 1}, 1, kSize);
}

}  // namespace redraft
