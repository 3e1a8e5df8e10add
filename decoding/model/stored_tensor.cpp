#include "decoding/model/stored_tensor.h"

namespace redraft {

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 80;
  std::string out = "'";
  for (const char c : text.substr(0, kShown)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > kShown ? "…'" : "'");
}

std::int64_t StoredTensor::rows() const {
  std::int64_t product = 1;
  for (std::size_t d = 1; d < shape.size(); ++d) product *= shape[d];
  return product;
}

}  // namespace redraft
