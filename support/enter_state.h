#pragma once

#include <stdexcept>
#include <string>

namespace redraft {

// Moves a state machine to `next`, which may_follow(before, next) of its enum must allow. Any other
// transition is a bug in the program: throws std::logic_error, in every build.
template <typename State>
void enter_state(State& state, State next) {
  if (!may_follow(state, next)) {
    throw std::logic_error("state " + std::to_string(static_cast<int>(next)) +
                           " cannot follow state " + std::to_string(static_cast<int>(state)));
  }
  state = next;
}

}  // namespace redraft
