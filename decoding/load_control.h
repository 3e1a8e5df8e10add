#pragma once

#include <functional>
#include <stop_token>

namespace redraft {

// What loading a model tells its caller, and how the caller ends it. A load that was stopped is an
// error and leaves nothing behind.
struct LoadControl {
  std::stop_token stop;  // asked several times a second
  // The part of the weights that is done, up to 1; on the thread that loads. May be empty.
  std::function<void(double fraction)> progress;
};

}  // namespace redraft
