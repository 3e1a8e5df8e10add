#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redraft {

// Writes small safetensors files: valid ones and, where a test wants, invalid ones.
class SafetensorsWriter {
 public:
  struct Tensor {
    std::string name;
    std::string type;                 // "F32", …
    std::vector<std::int64_t> shape;  // as in the file: the slowest dimension first
    std::vector<std::uint8_t> data;
    std::int64_t begin_shift = 0;  // added to the correct offsets
    std::int64_t end_shift = 0;
  };

  void tensor(Tensor tensor) { tensors_.push_back(std::move(tensor)); }
  void floats(std::string name, std::vector<std::int64_t> shape, const std::vector<float>& values) {
    std::vector<std::uint8_t> data(values.size() * sizeof(float));
    std::memcpy(data.data(), values.data(), data.size());
    tensor({std::move(name), "F32", std::move(shape), std::move(data)});
  }
  std::vector<Tensor>& tensors() { return tensors_; }

  std::string header() const {
    std::string out = R"({"__metadata__":{"format":"pt"})";
    std::int64_t at = 0;
    for (const Tensor& tensor : tensors_) {
      const auto end = at + static_cast<std::int64_t>(tensor.data.size());
      out += ",\"" + tensor.name + R"(":{"dtype":")" + tensor.type + R"(","shape":[)";
      for (std::size_t d = 0; d < tensor.shape.size(); ++d)
        out += (d == 0 ? "" : ",") + std::to_string(tensor.shape[d]);
      out += R"(],"data_offsets":[)" + std::to_string(at + tensor.begin_shift) + "," +
             std::to_string(end + tensor.end_shift) + "]}";
      at = end;
    }
    return out + "}";
  }
  std::vector<std::uint8_t> bytes() const { return with_header(header()); }
  // The data after a different header.
  std::vector<std::uint8_t> with_header(std::string_view text) const {
    const std::uint64_t length = text.size();
    std::vector<std::uint8_t> out(sizeof(length) + text.size());
    std::memcpy(out.data(), &length, sizeof(length));
    std::memcpy(out.data() + sizeof(length), text.data(), text.size());
    for (const Tensor& tensor : tensors_)
      out.insert(out.end(), tensor.data.begin(), tensor.data.end());
    return out;
  }

 private:
  std::vector<Tensor> tensors_;
};

}  // namespace redraft
