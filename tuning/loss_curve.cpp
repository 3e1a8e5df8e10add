#include "tuning/loss_curve.h"

#include <algorithm>

#include "tuning/curve_picture.h"

namespace redraft {
namespace {

constexpr double kSmoothing = 0.9;  // weight of the past in the smoothed curve

}  // namespace

std::string loss_curve(std::span<const StepRecord> steps, const std::string& title) {
  CurvePicture::Points each, smooth, held_out;
  double least = 0;
  double most = 0;
  double weighted = 0;
  double weight = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto step = static_cast<double>(i + 1);
    each.emplace_back(step, steps[i].loss);
    weighted = kSmoothing * weighted + steps[i].loss;
    weight = kSmoothing * weight + 1;
    smooth.emplace_back(step, weighted / weight);
    if (steps[i].held_out) held_out.emplace_back(step, *steps[i].held_out);
    most = std::max({most, steps[i].loss, steps[i].held_out.value_or(0)});
    least = std::min(least, steps[i].loss);
  }
  CurvePicture picture(axis_over(0, std::max(1.0, static_cast<double>(steps.size()))),
                       axis_over(least, most));
  picture.line(each, "stroke=\"#9bbcdc\" stroke-width=\"1\"");
  picture.line(smooth, "stroke=\"#1f5fa8\" stroke-width=\"2\"");
  picture.dots(each.size() == 1 ? each : held_out, "#c0392b");
  std::string legend = "loss of each step (light), smoothed (dark)";
  if (!held_out.empty()) legend += ", held out (dots)";
  picture.title(title, legend);
  return picture.finish("step");
}

}  // namespace redraft
