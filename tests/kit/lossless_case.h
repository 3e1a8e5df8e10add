#pragma once

#include <cstdint>
#include <memory>
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

// What a decoder makes of a request. Records a failure of the test where it makes nothing of it.
DecodeResult decode(const std::string& name, ModelSlot target, ModelSlot draft,
                    const DecodeRequest& request, const CostCurve& cost = {},
                    const TokenSink& sink = nullptr, std::stop_token stop = {},
                    DecoderMemory* memory = nullptr);

// Strict decoding against plain decoding: a scripted target with its cache, a draft model that
// mostly agrees with it, a request that may bring an original and datastores, a price for rows. All
// at random from a seed, and what plain decoding makes of it.
struct LosslessCase {
  static constexpr TokenId kStop = 0;

  // How large it may be; small ones find most, and thousands of them take a second.
  struct Sizes {
    int vocabulary = 60;
    int prompt = 40;
    int output = 150;
  };

  explicit LosslessCase(std::uint32_t seed);
  LosslessCase(std::uint32_t seed, const Sizes& most);

  // Something like the plain output, or not at all.
  std::vector<TokenId> random_original();
  // Texts as an original may be, or none.
  std::shared_ptr<const Datastore> random_datastore();

  // What the decoder makes of it, with the memory of what it made before.
  DecodeResult run(const std::string& name, const DecodeRequest& asked,
                   const TokenSink& sink = nullptr, std::stop_token stop = {});

  // Decodes the request so and holds all of it to plain decoding: the tokens, what the sink saw,
  // the end, what the cache holds afterwards. Empty, or what differs.
  std::string difference(const std::string& name);
  // Another request to the same models: its prompt begins as the last one did, and the caches and
  // the memory are as they were left.
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

// Whether the statistics come out; records failures of the test.
void expect_sums(const DecodeResult& result);

}  // namespace redraft
