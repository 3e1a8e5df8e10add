// redraft score: how well the target predicts a text.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/engine_loader.h"
#include "cli/common/interrupt.h"
#include "cli/common/report.h"
#include "decoding/chunk_sizer.h"
#include "decoding/draft_tree.h"
#include "decoding/kv_cache.h"
#include "support/seconds_since.h"
#include "workspace/documents/document.h"

namespace redraft::cli {
namespace {

struct ScoreOptions {
  CommonOptions common;
  std::string file;
  int context = 4096;
  Format format = Format::kText;
};

struct Score {
  int tokens = 0;   // of the text
  int scored = 0;   // those with a token before them in their window
  int windows = 0;  // a text longer than the context is scored in independent pieces
  double log_probability = 0;
  double seconds = 0;
  bool interrupted = false;

  double perplexity() const { return std::exp(-log_probability / scored); }
};

struct ScoreWatch {
  std::stop_token stop;  // checked between passes
  std::function<void(const Score&)> progress;
};
// The log-probabilities of `next`, each after its token of `chunk`. A pass predicts after the last
// context token and after every draft node, so all of the chunk but its first token goes in as a
// draft, which is then kept.
std::vector<float> score_chunk(LanguageModel& model, std::span<const TokenId> chunk,
                               std::span<const TokenId> next, KvCache& cache) {
  const DraftTree draft = DraftTree::chain(chunk.subspan(1), DraftOrigin::kOther);
  PredictionNeeds needs;
  needs.scored = next;
  Predictions predictions = model.forward(chunk.first(1), draft, cache, needs);
  std::vector<int> path(chunk.size() - 1);
  std::iota(path.begin(), path.end(), 0);
  cache.keep(path);
  return std::move(predictions.log_probability);
}

// Adds the log-probability of every token of `window` but the first, each given those before it.
void score_window(LanguageModel& model, std::span<const TokenId> window, ChunkSizer& chunks,
                  const ScoreWatch& watch, Score& score) {
  const std::unique_ptr<KvCache> cache = model.new_cache(static_cast<int>(window.size()));
  const std::size_t last = window.size() - 1;
  for (std::size_t begin = 0, count = 0; begin < last; begin += count) {
    if (watch.stop.stop_requested()) {
      score.interrupted = true;
      return;
    }
    count = std::min(static_cast<std::size_t>(chunks.rows()), last - begin);
    const auto start = std::chrono::steady_clock::now();
    const std::vector<float> scores =
        score_chunk(model, window.subspan(begin, count), window.subspan(begin + 1, count), *cache);
    for (const float each : scores) score.log_probability += each;
    score.scored += static_cast<int>(scores.size());
    chunks.measured(static_cast<int>(count), seconds_since(start));
    watch.progress(score);
  }
}

Score score_text(LanguageModel& model, std::span<const TokenId> tokens, int context,
                 const ScoreWatch& watch) {
  const auto begin = std::chrono::steady_clock::now();
  ChunkSizer chunks;
  Score score;
  score.tokens = static_cast<int>(tokens.size());
  const std::size_t window = static_cast<std::size_t>(std::min(context, model.context_length()));
  for (std::size_t at = 0; at < tokens.size() && !score.interrupted; at += window) {
    const auto piece = tokens.subspan(at, std::min(window, tokens.size() - at));
    if (piece.size() < 2) break;
    score_window(model, piece, chunks, watch, score);
    ++score.windows;
  }
  score.seconds = seconds_since(begin);
  return score;
}

void print(const ScoreOptions& options, const Score& score) {
  if (options.format == Format::kJson) {
    std::cout << dump({{"perplexity", score.perplexity()},
                       {"log_probability", score.log_probability},
                       {"tokens", score.tokens},
                       {"scored_tokens", score.scored},
                       {"windows", score.windows},
                       {"seconds", score.seconds},
                       {"target", options.common.target},
                       {"device", options.common.device}})
              << std::endl;
    return;
  }
  std::printf("perplexity %.4f over %d tokens (%.1f tokens/s)\n", score.perplexity(), score.scored,
              score.scored / score.seconds);
}

int run_score(const ScoreOptions& options) {
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  const Result<std::shared_ptr<const Document>> document = Document::read(options.file);
  if (!document) return fail(document.error());
  const std::unique_ptr<ThreadPool> pool = make_pool(options.common);
  const InterruptWatch watch;
  StatusLine status;
  const Result<LoadedModel> target =
      load_target(options.common, *pool, shown_on(status, watch.token()));
  status.clear();
  if (watch.interrupted()) return kInterrupted;
  if (!target) return fail(target.error());
  const std::vector<TokenId> tokens = target->tokenizer->encode((*document)->text());
  if (tokens.size() < 2) {
    return fail(Error(options.file + ": has " + std::to_string(tokens.size()) +
                      " tokens; a score needs two or more"));
  }
  const ScoreWatch score_watch{watch.token(), [&](const Score& so_far) {
                                 status.show(percent(static_cast<double>(so_far.scored) /
                                                     static_cast<double>(tokens.size())) +
                                             " · scoring");
                               }};
  const Score score = score_text(*target->model, tokens, options.context, score_watch);
  status.clear();
  if (score.interrupted) return kInterrupted;
  print(options, score);
  return kSuccess;
}

}  // namespace

void add_score(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("score", "Perplexity of a text under the target model");
  const auto options = std::make_shared<ScoreOptions>();
  command->add_option("FILE", options->file, "The text")->required();
  command->add_option("--context", options->context, "Longest piece scored as one, in tokens")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  command->add_option("--format", options->format, "What is printed")->transform(text_or_json());
  add_target_options(*command, options->common);
  command->callback([&chosen, options] { chosen = [options] { return run_score(*options); }; });
}

}  // namespace redraft::cli
