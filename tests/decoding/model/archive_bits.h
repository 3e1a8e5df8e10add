#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <vector>

#include "decoding/kv_archive.h"
#include "tests/decoding/model/cache_bits.h"
#include "tests/kit/temp_folder.h"

namespace redraft {

// A cache that comes back from disk has the bits of a fresh prefill in every key and value, as far
// as it was asked for, and so has what is predicted after it.
inline void check_archive_bits(LanguageModel& model, int layers, int length) {
  const std::vector<TokenId> tokens = random_tokens(model, length, 8);
  const TempFolder folder;
  const auto open = [&] { return *KvArchive::open(folder / "kv", {"model", "build"}); };
  const std::unique_ptr<KvCache> read = model.new_cache(length + 8);
  prefill(model, *read, tokens, 64);
  const KvCache& source = *read;
  ASSERT_TRUE(open().save(tokens, "/a", 0, [&] { return source.storage(); }));
  for (const int wanted : {1, 63, 64, 65, length - 1, length}) {
    SCOPED_TRACE(wanted);
    const auto beginning = std::span(tokens).first(static_cast<std::size_t>(wanted));
    KvArchive archive = open();
    const KvArchive::Match match = archive.find(beginning);
    ASSERT_EQ(match.length, wanted);
    // Not the capacity of the cache that was saved: its strips lie elsewhere.
    const std::unique_ptr<KvCache> restored = model.new_cache(wanted + 3);
    ASSERT_TRUE(archive.load(match, beginning, *restored->storage()));
    restored->append(beginning, DraftTree());
    EXPECT_TRUE(cache_bytes(*restored, layers, wanted) == cache_bytes(*read, layers, wanted));
    const std::unique_ptr<KvCache> fresh = model.new_cache(wanted + 3);
    prefill(model, *fresh, beginning, 7);
    const std::vector<TokenId> next = random_tokens(model, 3, 9);
    EXPECT_TRUE(prefill(model, *restored, next, 3) == prefill(model, *fresh, next, 1));
    EXPECT_TRUE(cache_bytes(*restored, layers, wanted + 3) ==
                cache_bytes(*fresh, layers, wanted + 3));
  }
}

}  // namespace redraft
