#pragma once

#include <stdexcept>

namespace redraft {

// A failure of the device that a model runs on, from which the model cannot recover: the device ran
// out of memory or was lost. Requests to the model end, and it must not be used again; a model on
// another device may take its place.
class ModelFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace redraft
