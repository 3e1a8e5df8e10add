#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/model/gguf.h"
#include "decoding/model/model_store.h"
#include "decoding/model/transformer.h"

// Our forward pass compared with an independent fp32 implementation running the same file:
// tools/reference/make_goldens.py.
namespace redraft::reference {

inline constexpr int kChunk = 64;
inline constexpr int kTopK = 5;
inline constexpr int kWholeTexts = 1 << 20;

struct Agreement {
  int positions = 0;
  int scored = 0;
  int top1 = 0;
  double ours = 0;  // sums of negative log-likelihoods
  double reference = 0;
  int top5_wanted = 0;  // continuations that the reference recorded
  int top5_found = 0;   // how many of these are among our five best
};

// What the model predicts at every position of one text, computed in chunks as in verification.
struct TextRun {
  std::vector<TokenId> top1;
  std::vector<TokenId> top5;
  double negative_log_likelihood = 0;
};

inline TextRun run_text(LanguageModel& model, const std::vector<TokenId>& ids) {
  TextRun out;
  const int count = static_cast<int>(ids.size());
  const std::unique_ptr<KvCache> cache = model.new_cache(count);
  for (int start = 0; start < count; start += kChunk) {
    const int n = std::min(kChunk, count - start);
    std::vector<TokenId> following(ids.begin() + start + 1,
                                   ids.begin() + std::min(start + n + 1, count));
    const bool last = static_cast<int>(following.size()) < n;
    if (last) following.push_back(0);  // nothing follows the last token: scored, but not counted
    const std::span<const TokenId> chunk = std::span(ids).subspan(start, n);
    const DraftTree draft = DraftTree::chain(chunk.subspan(1), DraftOrigin::kOther);
    const Predictions predicted =
        model.forward(chunk.first(1), draft, *cache, {.top_k = kTopK, .scored = following});
    std::vector<int> path(static_cast<std::size_t>(n) - 1);
    std::iota(path.begin(), path.end(), 0);
    cache->keep(path);
    out.top1.insert(out.top1.end(), predicted.argmax.begin(), predicted.argmax.end());
    out.top5.insert(out.top5.end(), predicted.top_ids.begin(), predicted.top_ids.end());
    for (int i = 0; i < n - (last ? 1 : 0); ++i)
      out.negative_log_likelihood -= predicted.log_probability[i];
  }
  return out;
}

// Compares the first `limit` positions; the likelihood only for whole texts, as it was recorded.
inline Agreement compare(LanguageModel& model, const nlohmann::json& text, int limit) {
  auto ids = text.at("ids").get<std::vector<TokenId>>();
  const bool whole = static_cast<int>(ids.size()) <= limit;
  if (!whole) ids.resize(static_cast<std::size_t>(limit));
  const TextRun run = run_text(model, ids);
  Agreement out;
  out.positions = static_cast<int>(ids.size());
  if (whole) {
    out.scored = out.positions - 1;
    out.ours = run.negative_log_likelihood;
    out.reference = text.at("nll").get<double>() * out.scored;
  }
  const auto expected = text.at("top1").get<std::vector<TokenId>>();
  for (int i = 0; i < out.positions; ++i) out.top1 += run.top1[i] == expected[i];
  for (const auto& top : text.at("top5")) {
    const int position = top.at("position").get<int>();
    if (position >= out.positions) break;
    const auto ours = run.top5.begin() + kTopK * position;
    for (const TokenId id : top.at("ids").get<std::vector<TokenId>>()) {
      ++out.top5_wanted;
      out.top5_found += std::find(ours, ours + kTopK, id) != ours + kTopK;
    }
  }
  return out;
}

inline void report(const std::string& name, const Agreement& a) {
  std::printf("%-24s top-1 %.2f %% of %d, top-5 %.1f %%", name.c_str(),
              100.0 * a.top1 / a.positions, a.positions, 100.0 * a.top5_found / a.top5_wanted);
  if (a.scored > 0) {
    std::printf(", perplexity %.4f, reference %.4f (%+.2f %%)", std::exp(a.ours / a.scored),
                std::exp(a.reference / a.scored),
                100 * std::expm1((a.ours - a.reference) / a.scored));
  }
  std::printf("\n");
}

inline void add(Agreement& sum, const Agreement& a) {
  sum.positions += a.positions;
  sum.scored += a.scored;
  sum.top1 += a.top1;
  sum.ours += a.ours;
  sum.reference += a.reference;
  sum.top5_wanted += a.top5_wanted;
  sum.top5_found += a.top5_found;
}

// `min_top1` is the share of positions where the first choice must be the same.
inline void check(const std::string& name, kernels::Isa isa, int limit, double min_top1 = 0.97) {
  const Result<std::filesystem::path> file = find_model(name);
  ASSERT_TRUE(file) << file.error().message();
  auto files = open_model_files(*file);
  ASSERT_TRUE(files) << files.error().message();
  ThreadPool pool(2);
  const auto model = load_transformer(std::move(*files), isa, pool);
  ASSERT_TRUE(model) << model.error().message();
  std::ifstream stream(std::string(REDRAFT_CASES) + "/reference/" + name + ".json");
  const nlohmann::json golden = nlohmann::json::parse(stream);
  Agreement total;
  for (const auto& text : golden.at("texts")) {
    const Agreement agreement = compare(**model, text, limit);
    report(text.at("name").get<std::string>(), agreement);
    add(total, agreement);
  }
  report("all", total);
  EXPECT_GE(total.top1, min_top1 * total.positions);
  // The beginning of a text has only two recorded positions, one of them the very first token,
  // where the fifth and sixth choice are close: so few that chance moves the rate by several
  // percent.
  EXPECT_GE(total.top5_found, (total.scored > 0 ? 0.93 : 0.85) * total.top5_wanted);
  if (total.scored > 0) {
    EXPECT_NEAR(std::exp((total.ours - total.reference) / total.scored), 1.0, 0.01);
  }
}

}  // namespace redraft::reference
