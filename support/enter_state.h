#pragma once

#include <stdexcept>
#include <string>

namespace redraft {

// Moves a state to another one that may follow it, as may_follow(before, after) of its enum says.
// Any other is a mistake of the program, in every build: throws std::logic_error.
template <typename State>
void enter_state(State& state, State next) {
  if (!may_follow(state, next)) {
    throw std::logic_error("state " + std::to_string(static_cast<int>(next)) +
                           " cannot follow state " + std::to_string(static_cast<int>(state)));
  }
  state = next;
}

}  // namespace redraft
