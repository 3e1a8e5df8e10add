#pragma once

#include <stdexcept>

namespace redraft {

// Where a model runs, something failed that it cannot go on from: its memory ran out, or the device
// was lost. What was asked of it ends, and it is not to be used again; a model that runs elsewhere
// may take its place.
class ModelFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace redraft
