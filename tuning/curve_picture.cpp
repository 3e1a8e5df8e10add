#include "tuning/curve_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace redraft {
namespace {

constexpr double kWidth = 720, kHeight = 400;
constexpr double kLeft = 60, kRight = 20, kTop = 44, kBottom = 44;

std::string number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else if (static_cast<unsigned char>(c) >= ' ')
      out += c;
  }
  return out;
}

}  // namespace

PictureAxis axis_over(double least, double most) {
  const double span = std::max(most - least, 1e-9);
  const double rough = span / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  PictureAxis axis;
  axis.step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) {
      axis.step = factor * power;
      break;
    }
  }
  axis.least = std::floor(least / axis.step) * axis.step;
  axis.most = std::max(std::ceil(most / axis.step) * axis.step, axis.least + axis.step);
  return axis;
}

CurvePicture::CurvePicture(const PictureAxis& across, const PictureAxis& up)
    : across_(across), up_(up) {
  out_ =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 400\" "
      "font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"720\" height=\"400\" fill=\"white\"/>\n";
  grid();
}

double CurvePicture::x(double value) const {
  return kLeft +
         (value - across_.least) / (across_.most - across_.least) * (kWidth - kLeft - kRight);
}

double CurvePicture::y(double value) const {
  return kHeight - kBottom -
         (value - up_.least) / (up_.most - up_.least) * (kHeight - kTop - kBottom);
}

void CurvePicture::text(double at_x, double at_y, const char* anchor, const std::string& what) {
  out_ += "<text x=\"" + number("%.1f", at_x) + "\" y=\"" + number("%.1f", at_y) +
          "\" text-anchor=\"" + anchor + "\">" + escaped(what) + "</text>\n";
}

void CurvePicture::grid() {
  for (double value = up_.least; value <= up_.most + up_.step / 2; value += up_.step) {
    out_ += "<line x1=\"" + number("%.1f", kLeft) + "\" x2=\"" + number("%.1f", kWidth - kRight) +
            "\" y1=\"" + number("%.1f", y(value)) + "\" y2=\"" + number("%.1f", y(value)) +
            "\" stroke=\"#ddd\"/>\n";
    text(kLeft - 8, y(value) + 4, "end", number("%.4g", value));
  }
  for (double value = across_.least; value <= across_.most + across_.step / 2;
       value += across_.step)
    text(x(value), kHeight - kBottom + 18, "middle", number("%.4g", value));
}

void CurvePicture::title(const std::string& title, const std::string& legend) {
  text(kWidth / 2, 20, "middle", title);
  text(kWidth / 2, 36, "middle", legend);
}

void CurvePicture::line(const Points& points, const char* style) {
  if (points.empty()) return;
  out_ += "<polyline fill=\"none\" " + std::string(style) + " points=\"";
  for (const auto& [across, up] : points)
    out_ += number("%.2f", x(across)) + "," + number("%.2f", y(up)) + " ";
  out_.back() = '"';
  out_ += "/>\n";
}

void CurvePicture::dots(const Points& points, const char* colour) {
  for (const auto& [across, up] : points)
    out_ += "<circle r=\"3.5\" cx=\"" + number("%.2f", x(across)) + "\" cy=\"" +
            number("%.2f", y(up)) + "\" fill=\"" + colour + "\"/>\n";
}

std::string CurvePicture::finish(const std::string& across) {
  text(kWidth / 2, kHeight - 8, "middle", across);
  return out_ + "</svg>\n";
}

}  // namespace redraft
