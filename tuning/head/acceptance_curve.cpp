#include "tuning/head/acceptance_curve.h"

#include <algorithm>
#include <cstdio>

#include "tuning/curve_picture.h"

namespace redraft {
namespace {

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
  CurvePicture::Points points;
  double most = 1;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].held_out || steps[i].more.empty()) continue;
    points.emplace_back(rows_after(plan, i + 1), steps[i].more.front());
    most = std::max(most, steps[i].more.front());
  }
  CurvePicture picture(axis_over(0, points.empty() ? 1 : points.back().first),
                       axis_over(1, std::max(most, 1.1)));
  picture.title(title, "acceptance length on held-out rows");
  picture.line(points, "stroke=\"#1f5fa8\" stroke-width=\"2\"");
  picture.dots(points, "#c0392b");
  return picture.finish("rows learnt");
}

}  // namespace redraft
