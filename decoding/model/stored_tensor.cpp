#include "decoding/model/stored_tensor.h"

namespace redraft {

namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out = "[";
  for (const std::int64_t size : shape) out += (out.size() > 1 ? ", " : "") + std::to_string(size);
  return out + "]";
}

}  // namespace

std::string unexpected_shape(const std::vector<std::int64_t>& shape,
                             const std::vector<std::int64_t>& expected) {
  return "its shape is " + shape_text(shape) + " where " + shape_text(expected) + " is expected";
}

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
