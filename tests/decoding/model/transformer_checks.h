#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/decoding/model/row_invariance.h"

namespace redraft {

// However a text is divided into passes, every row comes out the same.
inline void check_chunking(LanguageModel& model, LanguageModel& other_threads, int length) {
  const std::vector<TokenId> tokens = random_tokens(model, length, 1);
  const RowBits expected = verify_all(model, tokens, 1);
  for (LanguageModel* each : {&model, &other_threads}) {
    for (const int chunk : {1, 7, 64, length}) {
      EXPECT_TRUE(verify_all(*each, tokens, chunk) == expected) << "verified by " << chunk;
      const std::unique_ptr<KvCache> cache = each->new_cache(length);
      EXPECT_TRUE(prefill(*each, *cache, tokens, chunk) == expected.last())
          << "prefilled by " << chunk;
    }
  }
  // The comparison can fail: one different token near the beginning affects the last row.
  std::vector<TokenId> changed = tokens;
  changed[1] = (changed[1] + 1) % model.vocabulary_size();
  EXPECT_FALSE(verify_all(model, changed, length).last() == expected.last());
}

// A node of a tree gets the same row as at the end of a chain.
inline void check_trees(LanguageModel& model, int prefix, int nodes) {
  const std::vector<TokenId> tokens = random_tokens(model, prefix, 2);
  const std::unique_ptr<KvCache> cache = model.new_cache(prefix + nodes + 1);
  if (prefix > 1) prefill(model, *cache, std::span(tokens).first(tokens.size() - 1), 64);
  cache->remember();  // to come back to, if there is state
  const int committed = cache->length();
  const DraftTree tree = random_tree(model, nodes, 3);
  const RowBits rows = tree_rows(model, *cache, tokens.back(), tree);
  for (int node = 0; node < nodes; ++node) {
    ASSERT_EQ(cache->truncate(committed), committed);
    const DraftTree chain =
        DraftTree::chain(tokens_of(tree, path_to(tree, node)), DraftOrigin::kOther);
    const RowBits expected = tree_rows(model, *cache, tokens.back(), chain);
    EXPECT_TRUE(rows.row(1 + node) == expected.last()) << "node " << node;
    EXPECT_TRUE(rows.row(0) == expected.row(0)) << "node " << node;
  }
}

// After keeping a path of a tree, and after truncating, the cache is as good as new.
inline void check_keep_and_truncate(LanguageModel& model, int prefix, int nodes) {
  const std::vector<TokenId> tokens = random_tokens(model, prefix, 4);
  const int capacity = prefix + nodes + 8;
  const auto fresh = [&](std::span<const TokenId> all) {
    const std::unique_ptr<KvCache> cache = model.new_cache(capacity);
    return prefill(model, *cache, all, capacity);
  };
  const std::unique_ptr<KvCache> cache = model.new_cache(capacity);
  prefill(model, *cache, std::span(tokens).first(tokens.size() - 1), capacity);
  const DraftTree tree = random_tree(model, nodes, 5);
  int deepest = 0;
  for (int node = 1; node < nodes; ++node) {
    if (tree.depth(node) >= tree.depth(deepest)) deepest = node;
  }
  const std::vector<int> path = path_to(tree, deepest);
  ASSERT_GT(deepest, tree.depth(deepest)) << "the path has to move for this test to mean something";
  tree_rows(model, *cache, tokens.back(), tree);
  cache->keep(path);
  std::vector<TokenId> kept = tokens;
  for (const TokenId token : tokens_of(tree, path)) kept.push_back(token);
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), cache->tokens().begin(), cache->tokens().end()));
  kept.push_back(7);
  EXPECT_TRUE(prefill(model, *cache, std::span(kept).last(1), 1) == fresh(kept)) << "kept";

  const int middle = prefix / 2;
  const int left = cache->truncate(middle);  // less where the state in the middle is not known
  kept.resize(static_cast<std::size_t>(middle));
  kept.insert(kept.end(), {3, 1, 2});
  const auto rest = std::span(kept).subspan(static_cast<std::size_t>(left));
  EXPECT_TRUE(prefill(model, *cache, rest, 3) == fresh(kept)) << "truncated";
}

// The logits of each row are those that predictions come from, and have the same bits whatever else
// is in the pass.
inline void check_logits(LanguageModel& model) {
  const std::vector<TokenId> tokens = random_tokens(model, 40, 8);
  const DraftTree draft = DraftTree::chain(std::span(tokens).subspan(1), DraftOrigin::kOther);
  std::vector<std::vector<float>> rows;
  const LogitReader keep = [&](int row, std::span<const float> logits) {
    EXPECT_EQ(row, static_cast<int>(rows.size()));
    EXPECT_EQ(static_cast<int>(logits.size()), model.vocabulary_size());
    rows.emplace_back(logits.begin(), logits.end());
  };
  const auto run = [&](const PredictionNeeds& needs) {
    const std::unique_ptr<KvCache> cache = model.new_cache(64);
    return model.forward({tokens.data(), 1}, draft, *cache, needs);
  };
  const Predictions plain = run({});
  const Predictions top = run({.top_k = 3});
  EXPECT_EQ(run({.logits = &keep}).argmax, plain.argmax);
  const std::vector<std::vector<float>> together = std::exchange(rows, {});
  ASSERT_EQ(together.size(), tokens.size());
  for (std::size_t i = 0; i < top.top_ids.size(); ++i) {
    const auto token = static_cast<std::size_t>(top.top_ids[i]);
    EXPECT_EQ(together[i / 3][token], top.top_logits[i]) << "row " << i / 3;
  }
  const std::unique_ptr<KvCache> cache = model.new_cache(64);
  for (const std::vector<float>& expected : together) {
    const TokenId& token = tokens[static_cast<std::size_t>(cache->length())];
    const LogitReader compare = [&](int row, std::span<const float> logits) {
      EXPECT_EQ(row, 0);
      EXPECT_EQ(std::memcmp(logits.data(), expected.data(), logits.size_bytes()), 0)
          << "alone, after " << cache->length();
    };
    model.forward({&token, 1}, DraftTree(), *cache, {.every_row = false, .logits = &compare});
  }
}

// Scores agree with the logits, and requesting them changes nothing else.
inline void check_scores(LanguageModel& model) {
  const std::vector<TokenId> tokens = random_tokens(model, 40, 6);
  const DraftTree draft = DraftTree::chain(std::span(tokens).subspan(1), DraftOrigin::kOther);
  const auto run = [&](const PredictionNeeds& needs) {
    const std::unique_ptr<KvCache> cache = model.new_cache(64);
    return model.forward({tokens.data(), 1}, draft, *cache, needs);
  };
  const Predictions plain = run({});
  const Predictions top = run({.top_k = 3});
  EXPECT_EQ(plain.argmax, top.argmax);
  std::vector<TokenId> second;
  for (std::size_t r = 0; r < tokens.size(); ++r) second.push_back(top.top_ids[3 * r + 1]);
  const Predictions first_scores = run({.scored = plain.argmax});
  const Predictions second_scores = run({.top_k = 3, .scored = second});
  EXPECT_EQ(first_scores.argmax, plain.argmax);
  EXPECT_EQ(second_scores.top_ids, top.top_ids);
  for (std::size_t r = 0; r < tokens.size(); ++r) {
    const float gap = top.top_logits[3 * r] - top.top_logits[3 * r + 1];
    EXPECT_LT(first_scores.log_probability[r], 0);
    EXPECT_NEAR(first_scores.log_probability[r] - second_scores.log_probability[r], gap, 1e-4)
        << "row " << r;
  }
}

}  // namespace redraft
