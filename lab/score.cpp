// redraft score: how well the target predicts a text.
#include "lab/score.h"

#include <cstdio>
#include <iostream>
#include <memory>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/engine_loader.h"
#include "cli/common/interrupt.h"
#include "cli/common/report.h"
#include "decoding/perplexity.h"
#include "workspace/documents/document.h"

namespace redraft::cli {
namespace {

struct ScoreOptions {
  CommonOptions common;
  std::string file;
  int context = 4096;
  Format format = Format::kText;
};

void print(const ScoreOptions& options, const Perplexity& score) {
  if (options.format == Format::kJson) {
    std::cout << dump({{"perplexity", score.value()},
                       {"log_probability", score.log_probability},
                       {"tokens", score.tokens},
                       {"scored_tokens", score.scored},
                       {"windows", score.windows},
                       {"seconds", score.seconds},
                       {"target", options.common.target},
                       {"device", options.common.device.text()}})
              << std::endl;
    return;
  }
  std::printf("perplexity %.4f over %d tokens (%.1f tokens/s)\n", score.value(), score.scored,
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
  const auto show = [&](const Perplexity& so_far) {
    const auto total = static_cast<double>(tokens.size());
    status.show(percent(static_cast<double>(so_far.scored) / total) + " · scoring");
  };
  const Perplexity score =
      measure_perplexity(*target->model, tokens, options.context, show, watch.token());
  status.clear();
  if (score.interrupted) return kInterrupted;
  print(options, score);
  return kSuccess;
}

}  // namespace

void add_score(CommandLine app, Command& chosen) {
  const CommandLine command =
      app.add_subcommand("score", "Perplexity of a text under the target model");
  const auto options = std::make_shared<ScoreOptions>();
  command.add_option("FILE", options->file, "The text").required();
  command.add_option("--context", options->context, "Longest piece scored as one, in tokens")
      .check(in_range(2, 1 << 20))
      .show_default();
  command.add_option("--format", options->format, "What is printed").transform(text_or_json());
  add_target_options(command, options->common);
  command.callback([&chosen, options] { chosen = [options] { return run_score(*options); }; });
}

}  // namespace redraft::cli
