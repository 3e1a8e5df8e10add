#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "decoding/model/transformer_memory.h"
#include "tests/decoding/model/row_invariance.h"

namespace redraft {

// The bytes of the cache's first `slots` slots, layer by layer.
inline std::vector<std::uint8_t> cache_bytes(KvCache& cache, int layers, int slots) {
  const auto& storage = dynamic_cast<const TransformerKvStorage&>(*cache.storage());
  std::vector<std::uint8_t> out;
  for (int layer = 0; layer < layers; ++layer) {
    for (const at::Tensor* tensor : {&storage.keys(layer), &storage.values(layer)}) {
      for (std::int64_t head = 0; head < tensor->size(0); ++head) {
        const auto* begin = reinterpret_cast<const std::uint8_t*>(
            tensor->const_data_ptr<std::int16_t>() + head * tensor->stride(0));
        out.insert(out.end(), begin, begin + slots * tensor->stride(1) * sizeof(std::int16_t));
      }
    }
  }
  return out;
}

// However a text is divided into passes, keys and values of every layer have the same bits, and so
// has the last row.
inline void check_cache_bits(LanguageModel& model, LanguageModel& other_threads, int layers,
                             int length) {
  const std::vector<TokenId> tokens = random_tokens(model, length, 8);
  const auto run = [&](LanguageModel& each, std::span<const TokenId> text, int chunk) {
    const std::unique_ptr<KvCache> cache = each.new_cache(length);
    const RowBits last = prefill(each, *cache, text, chunk);
    return std::pair(cache_bytes(*cache, layers, length), last);
  };
  const auto expected = run(model, tokens, 1);
  for (LanguageModel* each : {&model, &other_threads}) {
    for (const int chunk : {1, 7, 64, length}) {
      const auto got = run(*each, tokens, chunk);
      EXPECT_TRUE(got.first == expected.first) << "keys and values by " << chunk;
      EXPECT_TRUE(got.second == expected.second) << "last row by " << chunk;
    }
  }
  // The comparison can fail: a different last token shows in its own slot alone.
  std::vector<TokenId> changed = tokens;
  changed.back() = (changed.back() + 1) % model.vocabulary_size();
  EXPECT_FALSE(run(model, changed, length).first == expected.first);
}

}  // namespace redraft
