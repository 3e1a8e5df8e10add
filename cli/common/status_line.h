#pragma once

#include <string>

namespace redraft::cli {

// One line on stderr that shows the current state; the next state overwrites it. Shows nothing if
// stderr is not a terminal.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(const std::string& text);
  void clear();

 private:
  bool enabled_;
  bool shown_ = false;
};

// A fraction as "41 %".
std::string percent(double fraction);
// An approximate duration: "45 s", "12 min", "3 h 5 min".
std::string rough_duration(double seconds);

}  // namespace redraft::cli
