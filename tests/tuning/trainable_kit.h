#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "decoding/model/model_files.h"
#include "tuning/random_stream.h"
#include "tuning/trainable_model.h"

namespace redraft {

inline std::unique_ptr<TrainableModel> trainable(const std::filesystem::path& path,
                                                 const TrainableOptions& options = {}) {
  auto files = open_model_files(path);
  EXPECT_TRUE(files) << files.error().message();
  if (!files) return nullptr;
  auto model = load_trainable(**files, options);
  EXPECT_TRUE(model) << model.error().message();
  return model ? std::move(*model) : nullptr;
}

inline std::filesystem::path tiny_folder(const std::string& name) {
  return std::filesystem::path(REDRAFT_CASES) / "tiny_models" / name;
}

inline nlohmann::json json_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return nlohmann::json::parse(stream);
}

// Adapters as after some training: B is not zero, so every parameter has a gradient.
inline void fill_parameters(TrainableModel& model, std::uint64_t seed, double size = 0.1) {
  const RandomStream random(seed, 0);
  const std::span<float> parameters = model.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    parameters[i] = static_cast<float>(size * (2 * random.unit(i) - 1));
}

// `count` tokens below `vocabulary`, of which every third is learnt.
inline TrainingText random_text(int count, int vocabulary, std::uint64_t seed) {
  const RandomStream random(seed, 1);
  TrainingText text;
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    text.tokens.push_back(
        static_cast<TokenId>(random.bits(index) % static_cast<std::uint64_t>(vocabulary)));
    if (i % 3 == 2) text.learnt.push_back(i);
  }
  return text;
}

}  // namespace redraft
