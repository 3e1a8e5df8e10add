#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "decoding/model/gguf_parts.h"
#include "tests/decoding/model/gguf_writer.h"

namespace redraft {

// The parts of a model: the first one has its keys, and each has about as many tensors.
inline std::vector<GgufWriter> split_gguf(const GgufWriter& model, std::size_t count) {
  GgufWriter whole = model;
  const std::vector<GgufWriter::Tensor> tensors = whole.tensors();
  std::vector<GgufWriter> parts;
  for (std::size_t i = 0; i < count; ++i) {
    GgufWriter& part = parts.emplace_back();
    part.alignment = whole.alignment;
    if (i == 0) {
      part = whole;
      part.tensors().clear();
    }
    part.short_integer("split.no", static_cast<std::uint16_t>(i));
    part.short_integer("split.count", static_cast<std::uint16_t>(count));
    part.integer("split.tensors.count", static_cast<std::uint32_t>(tensors.size()));
    const std::size_t begin = tensors.size() * i / count, end = tensors.size() * (i + 1) / count;
    for (std::size_t tensor = begin; tensor < end; ++tensor) part.tensor(tensors[tensor]);
  }
  return parts;
}

// Writes them as NAME-00001-of-0000N.gguf; returns the first one's path.
inline std::filesystem::path write_parts(const std::filesystem::path& folder,
                                         const std::string& name,
                                         const std::vector<GgufWriter>& parts) {
  const GgufPartName first{name, 1, static_cast<int>(parts.size())};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::vector<std::uint8_t> bytes = parts[i].bytes();
    std::ofstream(folder / first.other(static_cast<int>(i) + 1), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  return folder / first.other(1);
}

}  // namespace redraft
