#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "decoding/model/draft_head_files.h"
#include "tests/decoding/model/safetensors_writer.h"

namespace redraft {

// A draft head with random weights; by default for a TinyModel.
class TinyDraftHead {
 public:
  explicit TinyDraftHead(DraftHeadShape of = {.hidden = 64,
                                              .target_layers = 2,
                                              .target_vocabulary = 300,
                                              .layers = {0, 1},
                                              .tokens = 3,
                                              .width = 96,
                                              .vocabulary = 70,
                                              .target = "tiny"},
                         std::uint32_t seed = 9)
      : shape(std::move(of)) {
    std::mt19937 random(seed);
    for (const DraftHeadTensor& tensor : draft_head_tensors(shape)) {
      for (std::int64_t i = 0; i < tensor.size(); ++i) {
        const float unit = static_cast<float>(random() % 20001) / 10000.0F - 1.0F;
        parameters.push_back(tensor.rows == 0 ? 1 + unit / 4 : unit / 4);
      }
    }
    for (int i = 0; i < shape.vocabulary; ++i)
      vocabulary.push_back(i * (shape.target_vocabulary / shape.vocabulary) + i % 2);
  }

  // The weights as `type`: F32, or BF16, cut off.
  SafetensorsWriter weights(const std::string& type = "F32") const {
    SafetensorsWriter writer;
    std::size_t at = 0;
    for (const DraftHeadTensor& tensor : draft_head_tensors(shape)) {
      std::vector<std::int64_t> dimensions = {tensor.columns};
      if (tensor.rows != 0) dimensions.insert(dimensions.begin(), tensor.rows);
      std::vector<std::uint8_t> data;
      for (std::int64_t i = 0; i < tensor.size(); ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(parameters[at++]);
        for (int byte = type == "F32" ? 0 : 2; byte < 4; ++byte)
          data.push_back(static_cast<std::uint8_t>(bits >> (8 * byte)));
      }
      writer.tensor({tensor.name, type, dimensions, data});
    }
    std::vector<std::uint8_t> tokens(vocabulary.size() * sizeof(TokenId));
    std::memcpy(tokens.data(), vocabulary.data(), tokens.size());
    writer.tensor({"vocabulary.tokens", "I32", {shape.vocabulary}, std::move(tokens)});
    return writer;
  }

  std::string config() const {
    std::string layers;
    for (const int layer : shape.layers)
      layers += (layers.empty() ? "" : ", ") + std::to_string(layer);
    const auto number = [](const char* key, int value) {
      return std::string(", \"") + key + "\": " + std::to_string(value);
    };
    return R"({"format": "redraft-draft-head", "version": 1)" + number("hidden", shape.hidden) +
           number("target_layers", shape.target_layers) +
           number("target_vocabulary", shape.target_vocabulary) + ", \"layers\": [" + layers + "]" +
           number("tokens", shape.tokens) + number("width", shape.width) +
           number("vocabulary", shape.vocabulary) + ", \"target\": \"" + shape.target + "\"}";
  }

  Result<void> write(const std::filesystem::path& folder) const {
    std::filesystem::create_directories(folder);
    return write_draft_head(folder, shape, parameters, vocabulary);
  }

  DraftHeadShape shape;
  std::vector<float> parameters;  // of draft_head_tensors(), in order
  std::vector<TokenId> vocabulary;
};

// The head that fuzzing begins from.
inline TinyDraftHead draft_head_seed() {
  return TinyDraftHead({.hidden = 32,
                        .target_layers = 1,
                        .target_vocabulary = 6,
                        .layers = {0},
                        .tokens = 1,
                        .width = 32,
                        .vocabulary = 3,
                        .target = "t"});
}

}  // namespace redraft
