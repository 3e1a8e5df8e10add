#include "support/chart/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <string_view>

namespace redraft {
namespace {

constexpr double kLeft = 56;
constexpr double kRight = 16;
constexpr double kTop = 34;
constexpr double kBottom = 50;
constexpr double kLegendLine = 20;
constexpr int kBins = 10;
constexpr double kFaint = 0.35;  // opacity
// Distinguishable with colour blindness, too (Okabe and Ito's palette without its yellow).
constexpr std::array<const char*, 7> kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                 "#56B4E9", "#E69F00", "#000000"};

// Like printf; at most 255 bytes.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

// XML allows no control characters.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (static_cast<unsigned char>(c) >= ' ') {
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
  Panel(const ChartPanel& panel, const ChartSize& size, double left, double top)
      : panel_(panel), size_(size), left_(left), top_(top) {
    fit_x();
    fit_y();
  }

  std::string draw(const std::map<std::string, const char*>& colours) const {
    std::string out = axes();
    for (const ChartSeries& series : panel_.series) out += draw(series, colours.at(series.name));
    return out;
  }

 private:
  void fit_x() {
    bool first = true;
    for (const ChartSeries& series : panel_.series) {
      for (const auto& [x, y] : series.points) {
        min_x_ = first ? x : std::min(min_x_, x);
        max_x_ = first ? x : std::max(max_x_, x);
        first = false;
      }
    }
    if (panel_.x_axis != ChartPanel::XAxis::kMeasured) min_x_ = 0;
    if (panel_.x_axis == ChartPanel::XAxis::kShare) max_x_ = 1;
    if (max_x_ <= min_x_) max_x_ = min_x_ + 1;
    if (panel_.x_axis != ChartPanel::XAxis::kSteps) return;
    x_step_ = nice_step(max_x_);
    max_x_ = x_step_ * std::ceil(max_x_ / x_step_);
  }

  void fit_y() {
    min_y_ = panel_.y_begin;
    max_y_ = panel_.level.value_or(min_y_);
    for (const ChartSeries& series : panel_.series) {
      for (const auto& [x, y] : series.points) {
        min_y_ = std::min(min_y_, y);
        max_y_ = std::max(max_y_, y);
      }
    }
    if (max_y_ <= min_y_) max_y_ = min_y_ + 1;
    y_step_ = nice_step(max_y_ - min_y_);
    min_y_ = y_step_ * std::floor(min_y_ / y_step_);
    max_y_ = y_step_ * std::ceil(max_y_ / y_step_);
  }

  double x(double value) const {
    return left_ + kLeft + (value - min_x_) / (max_x_ - min_x_) * (size_.width - kLeft - kRight);
  }
  double y(double value) const {
    return top_ + size_.height - kBottom -
           (value - min_y_) / (max_y_ - min_y_) * (size_.height - kTop - kBottom);
  }

  std::string axes() const {
    const double end = left_ + size_.width - kRight;
    std::string out = text_at(left_ + size_.width / 2, top_ + 18, panel_.title, "middle",
                              " font-weight=\"bold\"");
    for (int i = 0; min_y_ + i * y_step_ <= max_y_ + y_step_ / 2; ++i) {
      const double value = min_y_ + i * y_step_;
      out += line(left_ + kLeft, y(value), end, y(value), "stroke=\"#ddd\"");
      out += text_at(left_ + kLeft - 6, y(value) + 4, format("%g", value), "end");
    }
    for (const auto& [value, label] : x_labels())
      out += text_at(x(value), top_ + size_.height - kBottom + 18, label);
    if (panel_.level) {
      out += line(left_ + kLeft, y(*panel_.level), end, y(*panel_.level),
                  "stroke=\"#666\" stroke-dasharray=\"4 3\"");
    }
    out += text_at(left_ + (kLeft + size_.width - kRight) / 2, top_ + size_.height - 12,
                   panel_.x_title);
    const double middle = top_ + (kTop + size_.height - kBottom) / 2;
    return out + text_at(left_ + 14, middle, panel_.y_title, "middle",
                         format(" transform=\"rotate(-90 %.1f %.1f)\"", left_ + 14, middle));
  }

  std::vector<std::pair<double, std::string>> x_labels() const {
    std::vector<std::pair<double, std::string>> labels;
    if (panel_.x_axis == ChartPanel::XAxis::kShare) {
      for (int percent = 0; percent <= 100; percent += 20)
        labels.emplace_back(percent / 100.0, std::to_string(percent) + " %");
      return labels;
    }
    if (panel_.x_axis == ChartPanel::XAxis::kSteps) {
      for (int i = 0; i * x_step_ <= max_x_ + x_step_ / 2; ++i)
        labels.emplace_back(i * x_step_, format("%g", i * x_step_));
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
    switch (series.style) {
      case ChartSeries::Style::kLine:
        return circles(series.points, colour, 3, 1) + line_through(series.points, colour, 2, 1);
      case ChartSeries::Style::kCurve:
        return line_through(series.points, colour, 2, 1);
      case ChartSeries::Style::kFaintCurve:
        return line_through(series.points, colour, 1, kFaint);
      case ChartSeries::Style::kMarks:
        return circles(series.points, colour, 5, 1);
      case ChartSeries::Style::kDotsAndMeans:
        break;
    }
    return circles(series.points, colour, 3, kFaint) +
           line_through(means_of_tenths(series.points), colour, 2, 1);
  }

  std::string circles(const std::vector<ChartPoint>& points, const char* colour, double radius,
                      double opacity) const {
    std::string out;
    for (const auto& [at, value] : points) {
      out += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" fill=\"%s\" fill-opacity=\"%g\"/>\n",
                    x(at), y(value), radius, colour, opacity);
    }
    return out;
  }

  std::string line_through(const std::vector<ChartPoint>& points, const char* colour, double width,
                           double opacity) const {
    if (points.empty()) return {};
    std::string path;
    for (const auto& [at, value] : points)
      path += (path.empty() ? "" : " ") + format("%.1f,%.1f", x(at), y(value));
    const std::string pale = opacity < 1 ? format(" stroke-opacity=\"%g\"", opacity) : "";
    return "<polyline points=\"" + path + "\" fill=\"none\" stroke=\"" + colour + "\"" + pale +
           format(" stroke-width=\"%g\"/>\n", width);
  }

  const ChartPanel& panel_;
  const ChartSize& size_;
  double left_, top_;
  double min_x_ = 0, max_x_ = 0, x_step_ = 1;
  double min_y_ = 0, max_y_ = 1, y_step_ = 1;
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

std::string chart(std::span<const ChartPanel> panels, int columns, const ChartSize& size) {
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
  const double width = size.width * columns;
  const double height = top + size.height * rows;
  std::string out =
      format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" ", width, height);
  out += "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n";
  out += format("<rect width=\"%g\" height=\"%g\" fill=\"white\"/>\n", width, height);
  out += legend(names, colours);
  for (int i = 0; i < count; ++i) {
    const ChartPanel& panel = panels[static_cast<std::size_t>(i)];
    out += Panel(panel, size, size.width * (i % columns), top + size.height * (i / columns))
               .draw(colours);
  }
  return out + "</svg>\n";
}

}  // namespace redraft
