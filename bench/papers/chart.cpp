#include "bench/papers/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "bench/text_format.h"

namespace redraft {
namespace {

constexpr double kWidth = 420;
constexpr double kHeight = 300;
constexpr double kLeft = 56;
constexpr double kRight = 16;
constexpr double kTop = 34;
constexpr double kBottom = 50;
constexpr double kLegendLine = 20;
constexpr int kBins = 10;
// Distinguishable with colour blindness, too (Okabe and Ito's palette without its yellow).
constexpr std::array<const char*, 7> kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                 "#56B4E9", "#E69F00", "#000000"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string text_at(double x, double y, std::string_view text, const char* anchor = "middle",
                    const std::string& more = {}) {
  return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchor) + more + ">" +
         escaped(text) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const char* style) {
  return format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
                style);
}

// A round distance between grid lines, so that four to eight of them span `range`.
double nice_step(double range) {
  const double rough = range / 6;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (power * factor >= rough) return power * factor;
  }
  return power * 10;
}

// The mean of each tenth that has points.
std::vector<ChartPoint> means_of_tenths(const std::vector<ChartPoint>& points) {
  std::array<ChartPoint, kBins> sums{};
  std::array<int, kBins> counts{};
  for (const auto& [x, y] : points) {
    const auto bin =
        static_cast<std::size_t>(std::clamp(static_cast<int>(x * kBins), 0, kBins - 1));
    sums[bin].first += x;
    sums[bin].second += y;
    ++counts[bin];
  }
  std::vector<ChartPoint> means;
  for (std::size_t bin = 0; bin < sums.size(); ++bin) {
    if (counts[bin] > 0)
      means.emplace_back(sums[bin].first / counts[bin], sums[bin].second / counts[bin]);
  }
  return means;
}

// Draws one panel with its upper left corner at (left, top).
class Panel {
 public:
  Panel(const ChartPanel& panel, double left, double top) : panel_(panel), left_(left), top_(top) {
    double most = panel.level.value_or(0);
    bool first = true;
    for (const ChartSeries& series : panel.series) {
      for (const auto& [x, y] : series.points) {
        least_x_ = first ? x : std::min(least_x_, x);
        most_x_ = first ? x : std::max(most_x_, x);
        most = std::max(most, y);
        first = false;
      }
    }
    if (panel.x_is_share) {
      least_x_ = 0;
      most_x_ = 1;
    }
    if (most_x_ <= least_x_) most_x_ = least_x_ + 1;
    if (most <= 0) most = 1;
    step_ = nice_step(most);
    most_y_ = step_ * std::ceil(most / step_);
  }

  std::string draw(const std::map<std::string, const char*>& colours) const {
    std::string out = axes();
    for (const ChartSeries& series : panel_.series) out += draw(series, colours.at(series.name));
    return out;
  }

 private:
  double x(double value) const {
    return left_ + kLeft + (value - least_x_) / (most_x_ - least_x_) * (kWidth - kLeft - kRight);
  }
  double y(double value) const {
    return top_ + kHeight - kBottom - value / most_y_ * (kHeight - kTop - kBottom);
  }

  std::string axes() const {
    const double end = left_ + kWidth - kRight;
    std::string out =
        text_at(left_ + kWidth / 2, top_ + 18, panel_.title, "middle", " font-weight=\"bold\"");
    for (int i = 0; i * step_ <= most_y_ + step_ / 2; ++i) {
      const double value = i * step_;
      out += line(left_ + kLeft, y(value), end, y(value), "stroke=\"#ddd\"");
      out += text_at(left_ + kLeft - 6, y(value) + 4, format("%g", value), "end");
    }
    for (const auto& [value, label] : x_labels())
      out += text_at(x(value), top_ + kHeight - kBottom + 18, label);
    if (panel_.level) {
      out += line(left_ + kLeft, y(*panel_.level), end, y(*panel_.level),
                  "stroke=\"#666\" stroke-dasharray=\"4 3\"");
    }
    out += text_at(left_ + (kLeft + kWidth - kRight) / 2, top_ + kHeight - 12, panel_.x_title);
    const double middle = top_ + (kTop + kHeight - kBottom) / 2;
    return out + text_at(left_ + 14, middle, panel_.y_title, "middle",
                         format(" transform=\"rotate(-90 %.1f %.1f)\"", left_ + 14, middle));
  }

  std::vector<std::pair<double, std::string>> x_labels() const {
    std::vector<std::pair<double, std::string>> labels;
    if (panel_.x_is_share) {
      for (int percent = 0; percent <= 100; percent += 20)
        labels.emplace_back(percent / 100.0, std::to_string(percent) + " %");
      return labels;
    }
    // Where something was measured, as far as labels do not overlap.
    std::vector<double> values;
    for (const ChartSeries& series : panel_.series) {
      for (const ChartPoint& point : series.points) values.push_back(point.first);
    }
    std::ranges::sort(values);
    for (const double value : values) {
      if (labels.empty() || x(value) - x(labels.back().first) >= 22)
        labels.emplace_back(value, format("%g", value));
    }
    return labels;
  }

  std::string draw(const ChartSeries& series, const char* colour) const {
    const bool dots = series.style == ChartSeries::Style::kDotsAndMeans;
    const bool marks = series.style == ChartSeries::Style::kMarks;
    std::string out;
    for (const auto& [at, value] : series.points) {
      out += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" fill=\"%s\" fill-opacity=\"%g\"/>\n",
                    x(at), y(value), marks ? 5.0 : 3.0, colour, dots ? 0.35 : 1.0);
    }
    if (marks) return out;
    std::string path;
    for (const auto& [at, value] : dots ? means_of_tenths(series.points) : series.points)
      path += (path.empty() ? "" : " ") + format("%.1f,%.1f", x(at), y(value));
    return out + "<polyline points=\"" + path + "\" fill=\"none\" stroke=\"" + colour +
           "\" stroke-width=\"2\"/>\n";
  }

  const ChartPanel& panel_;
  double left_;
  double top_;
  double least_x_ = 0;
  double most_x_ = 0;
  double most_y_ = 1;
  double step_ = 1;
};

std::string legend(const std::vector<std::string>& names,
                   const std::map<std::string, const char*>& colours) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double y = kLegendLine * (static_cast<double>(i) + 0.7);
    const std::string style =
        std::string("stroke=\"") + colours.at(names[i]) + "\" stroke-width=\"3\"";
    out += line(kLeft, y, kLeft + 18, y, style.c_str());
    out += text_at(kLeft + 26, y + 4, names[i], "start");
  }
  return out;
}

}  // namespace

std::string chart(std::span<const ChartPanel> panels, int columns) {
  std::map<std::string, const char*> colours;
  std::vector<std::string> names;
  for (const ChartPanel& panel : panels) {
    for (const ChartSeries& series : panel.series) {
      if (!colours.try_emplace(series.name, kColours[names.size() % kColours.size()]).second)
        continue;
      names.push_back(series.name);
    }
  }
  const auto count = static_cast<int>(panels.size());
  const int rows = (count + columns - 1) / columns;
  const double top = kLegendLine * static_cast<double>(names.size()) + 8;
  const double width = kWidth * columns;
  const double height = top + kHeight * rows;
  std::string out =
      format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" ", width, height);
  out += "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n";
  out += format("<rect width=\"%g\" height=\"%g\" fill=\"white\"/>\n", width, height);
  out += legend(names, colours);
  for (int i = 0; i < count; ++i) {
    const ChartPanel& panel = panels[static_cast<std::size_t>(i)];
    out += Panel(panel, kWidth * (i % columns), top + kHeight * (i / columns)).draw(colours);
  }
  return out + "</svg>\n";
}

}  // namespace redraft
