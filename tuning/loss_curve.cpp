#include "tuning/loss_curve.h"

#include <utility>
#include <vector>

#include "support/chart/chart.h"

namespace redraft {
namespace {

constexpr double kSmoothing = 0.9;  // weight of the past in the smoothed curve
constexpr ChartSize kSize{.width = 720, .height = 400};

}  // namespace

std::string loss_curve(std::span<const StepRecord> steps, const std::string& title) {
  ChartSeries each{.name = "each step", .points = {}, .style = ChartSeries::Style::kFaintCurve};
  ChartSeries smooth{.name = "smoothed", .points = {}, .style = ChartSeries::Style::kCurve};
  ChartSeries held_out{.name = "held out", .points = {}, .style = ChartSeries::Style::kMarks};
  double weighted = 0;
  double weight = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto step = static_cast<double>(i + 1);
    each.points.emplace_back(step, steps[i].loss);
    weighted = kSmoothing * weighted + steps[i].loss;
    weight = kSmoothing * weight + 1;
    smooth.points.emplace_back(step, weighted / weight);
    if (steps[i].held_out) held_out.points.emplace_back(step, *steps[i].held_out);
  }
  if (steps.size() == 1) each.style = ChartSeries::Style::kMarks;
  ChartPanel panel{.title = title,
                   .x_title = "step",
                   .y_title = "loss",
                   .series = {},
                   .x_axis = ChartPanel::XAxis::kSteps};
  for (ChartSeries* series : {&each, &smooth, &held_out}) {
    if (!series->points.empty()) panel.series.push_back(std::move(*series));
  }
  return chart({&panel, 1}, 1, kSize);
}

}  // namespace redraft
