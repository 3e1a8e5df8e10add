// redraft tune eval: how well a draft model predicts what the target writes.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "cli/common/engine_loader.h"
#include "cli/common/interrupt.h"
#include "cli/common/report.h"
#include "lab/tune/tune.h"
#include "tuning/draft_score.h"
#include "tuning/encoded_example.h"

namespace redraft::cli {
namespace {

struct TuneEvalOptions {
  CommonOptions common;
  std::string draft = "qwen2.5-coder-0.5b";
  std::string target;  // empty: the target's choices are the texts' tokens
  std::string data;
  int gamma = 7;  // EfficientEdit's
  int max_tokens = 4096;
  int limit = 0;  // examples; 0: all
  Format format = Format::kText;
};

struct Evaluation {
  DraftScore score;
  TextLoss target;  // how well the target predicts the texts
  int examples = 0;
};

Result<LoadedModel> load_named(const TuneEvalOptions& options, const std::string& name,
                               ThreadPool& pool, StatusLine& status, const InterruptWatch& watch) {
  CommonOptions one = options.common;
  one.target = name;
  Result<LoadedModel> model = load_target(one, pool, shown_on(status, watch.token()));
  status.clear();
  return model;
}

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

nlohmann::ordered_json to_json(const TextLoss& loss) {
  return {{"loss", loss.tokens == 0 ? 0 : loss.sum / static_cast<double>(loss.tokens)},
          {"accuracy", share(loss.right, loss.tokens)},
          {"tokens", loss.tokens}};
}

void print(const TuneEvalOptions& options, const Evaluation& evaluation) {
  const DraftScore& score = evaluation.score;
  if (options.format == Format::kJson) {
    nlohmann::ordered_json json = {{"draft", options.draft},
                                   {"examples", evaluation.examples},
                                   {"learnt", to_json(score.learnt)},
                                   {"all", to_json(score.all)},
                                   {"gamma", options.gamma},
                                   {"phases", score.phases},
                                   {"passes", score.passes},
                                   {"drafted", score.drafted},
                                   {"accepted", score.accepted},
                                   {"acceptance", share(score.accepted, score.drafted)},
                                   {"tokens_per_pass", share(score.emitted, score.passes)}};
    if (!options.target.empty()) {
      json["target"] = options.target;
      json["target_agreement"] = share(evaluation.target.right, evaluation.target.tokens);
    }
    std::cout << dump(json) << std::endl;
    return;
  }
  const auto line = [](const char* name, const TextLoss& loss) {
    std::printf("%-8s loss %.4f, first choice right %.2f %% of %lld tokens\n", name,
                loss.sum / static_cast<double>(std::max<std::int64_t>(1, loss.tokens)),
                100 * share(loss.right, loss.tokens), static_cast<long long>(loss.tokens));
  };
  line("learnt", score.learnt);
  line("all", score.all);
  std::printf(
      "generate %.2f tokens a pass, %.1f %% of drafted tokens accepted (gamma %d, %lld "
      "phases in %d examples)\n",
      share(score.emitted, score.passes), 100 * share(score.accepted, score.drafted), options.gamma,
      static_cast<long long>(score.phases), evaluation.examples);
  if (!options.target.empty()) {
    std::printf("target   %.2f %% of the texts' tokens are its first choice\n",
                100 * share(evaluation.target.right, evaluation.target.tokens));
  }
}

// An example as both losses see it.
struct EvaluatedText {
  TrainingText text;  // EoFT's learnt tokens
  int first = 0;      // where the target begins
};

// Examples that fit; says on stderr what was left out.
Result<std::vector<EvaluatedText>> read_texts(const TuneEvalOptions& options,
                                              const Tokenizer& tokenizer, int context_length) {
  const auto examples = read_examples(options.data);
  if (!examples) return examples.error();
  const ExampleEncoder encoder(tokenizer);
  const auto limit = static_cast<std::size_t>(std::min(options.max_tokens, context_length));
  std::vector<EvaluatedText> out;
  std::size_t left_out = 0;
  for (const TuningExample& example : *examples) {
    if (options.limit > 0 && out.size() == static_cast<std::size_t>(options.limit)) break;
    Result<TrainingText> learnt = encoder.encode(example, TuningLoss::kEoft);
    const Result<TrainingText> all = encoder.encode(example, TuningLoss::kSft);
    if (!learnt || !all || learnt->tokens.size() > limit) {
      ++left_out;
      continue;
    }
    out.push_back({std::move(*learnt), all->learnt.front()});
  }
  if (left_out > 0) {
    std::cerr << options.data << ": " << left_out << " of " << examples->size()
              << " examples are left out: longer than " << limit
              << " tokens, or not in the model's vocabulary" << std::endl;
  }
  if (out.empty()) return Error(options.data + ": no example is left to evaluate");
  return out;
}

// The predictions of one model for all texts; fewer if interrupted.
std::vector<TextPredictions> predict_all(LanguageModel& model, const std::string& name,
                                         const std::vector<EvaluatedText>& texts,
                                         StatusLine& status, const InterruptWatch& watch) {
  std::vector<TextPredictions> out;
  for (const EvaluatedText& each : texts) {
    if (watch.interrupted()) break;
    status.show(percent(static_cast<double>(out.size()) / static_cast<double>(texts.size())) +
                " · " + name);
    out.push_back(predict_text(model, each.text.tokens, each.first));
  }
  status.clear();
  return out;
}

bool same_vocabulary(const Tokenizer& a, const Tokenizer& b) {
  if (a.vocabulary_size() != b.vocabulary_size()) return false;
  for (TokenId id = 0; id < a.vocabulary_size(); ++id)
    if (a.display(id) != b.display(id)) return false;
  return true;
}

int run_eval(const TuneEvalOptions& options) {
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  const std::unique_ptr<ThreadPool> pool = make_pool(options.common);
  const InterruptWatch watch;
  StatusLine status;
  Result<LoadedModel> model = load_named(options, options.draft, *pool, status, watch);
  if (watch.interrupted()) return kInterrupted;
  if (!model) return fail(model.error());
  const std::shared_ptr<const Tokenizer> tokenizer = model->tokenizer;
  const auto texts = read_texts(options, *tokenizer, model->model->context_length());
  if (!texts) return fail(texts.error());
  const std::vector<TextPredictions> draft =
      predict_all(*model->model, options.draft, *texts, status, watch);

  std::vector<TextPredictions> target;
  if (!options.target.empty() && !watch.interrupted()) {
    model = Error("replaced");  // one model in memory at a time
    model = load_named(options, options.target, *pool, status, watch);
    if (watch.interrupted()) return kInterrupted;
    if (!model) return fail(model.error());
    if (!same_vocabulary(*model->tokenizer, *tokenizer)) {
      return fail(Error(options.target + ": has another vocabulary than " + options.draft +
                        ", which cannot draft for it"));
    }
    target = predict_all(*model->model, options.target, *texts, status, watch);
  }
  if (watch.interrupted()) return kInterrupted;

  Evaluation evaluation;
  for (std::size_t i = 0; i < texts->size(); ++i) {
    const auto& [text, first] = (*texts)[i];
    const std::span<const TokenId> own =
        std::span(text.tokens).subspan(static_cast<std::size_t>(first));
    const std::span<const TokenId> choices = target.empty() ? own : target[i].choices;
    evaluation.score += score_draft(text, first, draft[i], choices, options.gamma);
    for (std::size_t j = 0; j < own.size(); ++j)
      evaluation.target.right += choices[j] == own[j] ? 1 : 0;
    evaluation.target.tokens += static_cast<std::int64_t>(own.size());
    ++evaluation.examples;
  }
  print(options, evaluation);
  return kSuccess;
}

}  // namespace

void add_tune_eval(CommandLine tune, Command& chosen) {
  const CommandLine command = tune.add_subcommand(
      "eval", "Loss, accuracy and acceptance of a draft model on held-out examples");
  const auto options = std::make_shared<TuneEvalOptions>();
  command.add_option("--draft", options->draft, "The draft model").show_default();
  command.add_option("--target", options->target,
                     "Accept what this model would write (default: what the examples have)");
  command.add_option("--data", options->data, "Examples, as `redraft tune data` writes them")
      .required();
  command.add_option("--gamma", options->gamma, "Tokens drafted for a pass")
      .check(in_range(1, 1024))
      .show_default();
  command.add_option("--max-tokens", options->max_tokens, "Longer examples are left out")
      .check(in_range(16, 1 << 20))
      .show_default();
  command.add_option("--limit", options->limit, "Only that many examples")
      .check(in_range(1, 1 << 24));
  command
      .add_option("--threads", options->common.threads, "Compute threads (default: one per core)")
      .check(in_range(1, 1024));
  command.add_option("--format", options->format, "What is printed").transform(text_or_json());
  command.callback([&chosen, options] { chosen = [options] { return run_eval(*options); }; });
}

}  // namespace redraft::cli
