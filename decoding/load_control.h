#pragma once

#include <functional>
#include <stop_token>
#include <string>

namespace redraft {

// What loading a model tells its caller, and how the caller ends it. A load that was stopped is an
// error and leaves nothing behind.
struct LoadControl {
  std::stop_token stop;  // asked several times a second
  // The part of the weights that is done, up to 1; on the thread that loads. May be empty.
  std::function<void(double fraction)> progress;
  // What the user should know though nothing failed, a sentence: something is not as it was asked
  // for. May be empty. A copy may be called later, for as long as what was loaded is used.
  std::function<void(const std::string& notice)> notice = {};
};

}  // namespace redraft
