#include "decoding/language_model.h"

#include <chrono>

namespace redraft {

double LanguageModel::compute_seconds() const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace redraft
