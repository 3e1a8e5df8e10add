#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/decoder_memory.h"
#include "indexing/store/datastore.h"
#include "tests/kit/scripted_model.h"

namespace redraft {

using Random = std::mt19937;
int between(Random& random, int low, int high);  // both inclusive

// The result of a decoder for a request. Records a test failure if it is an error.
DecodeResult decode(const std::string& name, ModelSlot target, ModelSlot draft,
                    const DecodeRequest& request, const CostCurve& cost = {},
                    const TokenSink& sink = nullptr, std::stop_token stop = {},
                    DecoderMemory* memory = nullptr);

// Compares strict decoding with plain decoding. It has a scripted target with its cache, a draft
// model that mostly agrees with it, a request that may have an original and datastores, a price for
// rows (all random, from a seed), and the output of plain decoding.
struct LosslessCase {
  static constexpr TokenId kStop = 0;

  // Upper limits; small cases find most bugs, and thousands of them take a second.
  struct Sizes {
    int vocabulary = 60;
    int prompt = 40;
    int output = 150;
  };

  explicit LosslessCase(std::uint32_t seed);
  LosslessCase(std::uint32_t seed, const Sizes& most);

  // Sets these choices in the request, and sets `plain` to the output of plain decoding with them.
  void choose(const SamplingOptions& sampling, std::optional<int> log_probabilities);

  // Similar to the plain output, or not at all.
  std::vector<TokenId> random_original();
  // Texts like an original's, or none.
  std::shared_ptr<const Datastore> random_datastore();

  // The decoder's result, with the memory of its earlier results.
  DecodeResult run(const std::string& name, const DecodeRequest& asked,
                   const TokenSink& sink = nullptr, std::stop_token stop = {});

  // Decodes the request and compares everything with plain decoding: the tokens, their
  // probabilities, what the sink saw, the finish reason, and the contents of the cache afterwards.
  // Returns an empty string, or what differs.
  std::string difference(const std::string& name);
  // Makes another request to the same models: its prompt begins like the last one, and the caches
  // and the memory stay as the last one left them.
  void ask_again();

  ModelSlot target_slot() { return {target.get(), target_cache.get()}; }
  ModelSlot draft_slot() { return {drafter.get(), draft_cache.get()}; }

  Random random;
  Sizes sizes;
  std::unique_ptr<ScriptedModel> target;
  std::unique_ptr<ScriptedModel> drafter;
  std::unique_ptr<KvCache> target_cache;
  std::unique_ptr<KvCache> draft_cache;
  DecodeRequest request;
  CostCurve cost;
  DecoderMemory memory;
  DecodeResult plain;
};

// Checks that the statistics add up; records test failures.
void expect_sums(const DecodeResult& result);

}  // namespace redraft
