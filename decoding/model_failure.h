#pragma once

#include <stdexcept>

namespace redraft {

// A failure of the model's device that the model cannot recover from: the device ran out of memory
// or was lost. Requests to the model end, and it must not be used again; a model on another device
// may take its place.
class ModelFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace redraft
