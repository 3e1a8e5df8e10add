#include "cli/common/status_line.h"

#include <unistd.h>

#include <iostream>

namespace redraft::cli {

StatusLine::StatusLine() : enabled_(isatty(STDERR_FILENO)) {}

void StatusLine::show(const std::string& text) {
  if (!enabled_) return;
  std::cerr << "\r\033[K" << text << std::flush;
  shown_ = true;
}

void StatusLine::clear() {
  if (shown_) std::cerr << "\r\033[K" << std::flush;
  shown_ = false;
}

std::string percent(double fraction) {
  return std::to_string(static_cast<int>(100 * fraction)) + " %";
}

std::string rough_duration(double seconds) {
  const auto whole = static_cast<long>(seconds);
  if (whole < 90) return std::to_string(whole) + " s";
  if (whole < 5400) return std::to_string((whole + 30) / 60) + " min";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

}  // namespace redraft::cli
