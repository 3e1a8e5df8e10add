#pragma once

#include <string>

namespace redraft {

// What is remembered of a check of a model (model_check.h).
struct CheckVerdict {
  double perplexity = 0;   // of the built-in code, or of its beginning; infinite: no number
  std::string fault = {};  // sentences for the user; empty: the model is plausible

  friend bool operator==(const CheckVerdict&, const CheckVerdict&) = default;
};

}  // namespace redraft
