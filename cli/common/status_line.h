#pragma once

#include <string>

namespace redraft::cli {

// One line on stderr that says what goes on and is overwritten by the next; nothing where stderr is
// no terminal.
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

// "41 %" of a fraction.
std::string percent(double fraction);

}  // namespace redraft::cli
