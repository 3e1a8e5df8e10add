// redraft tune run: trains a low-rank adapter.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "cli/common/engine_loader.h"
#include "cli/common/interrupt.h"
#include "cli/common/misuse_reason.h"
#include "cli/common/report.h"
#include "cli/common/status_line.h"
#include "decoding/model/model_files.h"
#include "decoding/model/model_store.h"
#include "decoding/model/sha256.h"
#include "decoding/model/tokenizer_loader.h"
#include "lab/tune/model_digest.h"
#include "lab/tune/optimiser_options.h"
#include "lab/tune/tune.h"
#include "support/seconds_since.h"
#include "support/system/processor_cores.h"
#include "tuning/adapter_files.h"
#include "tuning/encoded_example.h"
#include "tuning/run_folder.h"
#include "tuning/training.h"

namespace redraft::cli {
namespace {

// The part of a run that a power failure can lose; Ctrl-C loses nothing.
constexpr double kSaveSeconds = 300;

enum class Precision { kAuto, kFloat32, kBFloat16 };

struct TuneRunOptions {
  std::string model = "qwen2.5-coder-0.5b";
  std::string data;
  std::string held_out;
  std::string out;
  TuningLoss loss = TuningLoss::kEoft;
  LoraOptions lora;
  std::string adapted;  // names, separated by commas; empty: all
  Precision precision = Precision::kAuto;
  TrainingPlan plan;  // its examples and steps follow from the data
  int epochs = 1;
  int steps = 0;  // 0: as many as the epochs have
  TrainingOptions training;
  int max_tokens = 4096;
  int threads = 0;
  bool restart = false;
  Format format = Format::kText;
};

Result<std::vector<LinearRole>> roles_of(const std::string& names) {
  std::vector<LinearRole> roles;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    const std::optional<LinearRole> role = linear_role(name);
    if (!role) {
      std::vector<std::string> all;
      for (int i = 0; i < kLinearRoles; ++i)
        all.emplace_back(to_string(static_cast<LinearRole>(i)));
      return Error("--adapt: " + none_of(name, all));
    }
    if (std::find(roles.begin(), roles.end(), *role) != roles.end())
      return Error("--adapt: names " + name + " twice");
    roles.push_back(*role);
    begin = end + 1;
  }
  return roles;
}

// The base model of a run.
struct Base {
  std::filesystem::path path;
  std::unique_ptr<const ModelFiles> files;
  TransformerShape shape;
  std::shared_ptr<const Tokenizer> tokenizer;
};

Result<Base> open_base(const std::string& name) {
  Base base;
  const Result<std::filesystem::path> path = find_model(name);
  if (!path) return path.error();
  base.path = *path;
  auto files = open_model_files(base.path);
  if (!files) return files.error();
  base.files = std::move(*files);
  const Result<TransformerShape> shape = base.files->shape();
  if (!shape) return shape.error();
  base.shape = *shape;
  auto tokenizer = make_tokenizer(*base.files);
  if (!tokenizer) return tokenizer.error();
  base.tokenizer = std::move(*tokenizer);
  if (base.tokenizer->vocabulary_size() > shape->vocabulary)
    return Error(base.files->path() + ": its tokenizer has more tokens than its embedding");
  return base;
}

// Reads examples and says on stderr what was left out.
Result<std::vector<TrainingText>> read_texts(const std::string& file, const Base& base,
                                             const TuneRunOptions& options) {
  const auto examples = read_examples(file);
  if (!examples) return examples.error();
  const int limit = std::min(options.max_tokens, base.shape.context_length);
  EncodedExamples encoded =
      encode_examples(ExampleEncoder(*base.tokenizer), *examples, options.loss, limit);
  if (encoded.too_long > 0) {
    std::cerr << file << ": " << encoded.too_long << " of " << examples->size()
              << " examples are longer than " << limit << " tokens and left out" << std::endl;
  }
  if (encoded.refused > 0) {
    std::cerr << file << ": " << encoded.refused << " of " << examples->size()
              << " examples are left out: " << encoded.first_refusal << std::endl;
  }
  if (encoded.texts.empty()) return Error(file + ": no example is left to learn from");
  return std::move(encoded.texts);
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

// Everything that determines the adapter, in the words of the options.
Result<RunIdentity> identity_of(const TuneRunOptions& options, const Base& base,
                                TrainingPrecision precision) {
  const Result<std::string> model = digest_of_model(base.path);
  if (!model) return model.error();
  const Result<std::string> data = sha256_of_file(options.data);
  if (!data) return data.error();
  Result<std::string> held_out = std::string("none");
  if (!options.held_out.empty()) held_out = sha256_of_file(options.held_out);
  if (!held_out) return held_out.error();
  std::string adapted;
  for (const LinearRole role : options.lora.adapted)
    adapted += (adapted.empty() ? "" : ",") + std::string(to_string(role));
  return RunIdentity{{"model", *model},
                     {"data", *data},
                     {"held-out", *held_out},
                     {"loss", options.loss == TuningLoss::kEoft ? "eoft" : "sft"},
                     {"rank", std::to_string(options.lora.rank)},
                     {"alpha", text_of(options.lora.alpha)},
                     {"dropout", text_of(options.lora.dropout)},
                     {"adapt", adapted},
                     {"precision", precision == TrainingPrecision::kBFloat16 ? "bf16" : "f32"},
                     {"learning-rate", text_of(options.plan.learning_rate)},
                     {"warmup", std::to_string(options.plan.warmup)},
                     {"batch", std::to_string(options.plan.batch)},
                     {"steps", std::to_string(options.plan.steps)},
                     {"weight-decay", text_of(options.training.optimiser.weight_decay)},
                     {"clip", text_of(options.training.max_length)},
                     {"evaluate-every", std::to_string(options.training.evaluate_every)},
                     {"max-tokens", std::to_string(options.max_tokens)},
                     {"seed", std::to_string(options.plan.seed)}};
}

// Shows the progress of a run to the user.
class Progress {
 public:
  Progress(Training& training, StatusLine& status)
      : training_(training), status_(status), tokens_at_start_(training.tokens_done()) {}

  void example_done() {
    const TrainingState& state = training_.progress();
    status_.show(place(training_.steps_done()) + " · " + std::to_string(state.place) +
                 " examples of it · " + time_left());
  }
  // One line that stays.
  void step_done() {
    const StepRecord& step = training_.progress().steps.back();
    status_.clear();
    char figures[160];
    std::snprintf(figures, sizeof(figures), " · loss %.4f · right %.1f %% · rate %.2g · %.1f s · ",
                  step.loss, 100 * step.accuracy, step.rate, step.seconds);
    std::cerr << place(training_.steps_done() - 1) << figures << time_left();
    if (step.held_out) std::cerr << " · held out " << text_of(*step.held_out);
    std::cerr << std::endl;
  }

 private:
  std::string place(int step) const {
    return "step " + std::to_string(step + 1) + "/" + std::to_string(training_.plan().steps);
  }
  std::string time_left() const {
    const double done = training_.tokens_done() - tokens_at_start_;
    const double left = training_.tokens_in_all() - training_.tokens_done();
    return rough_duration(seconds_since(start_) / std::max(1.0, done) * left) + " left";
  }

  Training& training_;
  StatusLine& status_;
  double tokens_at_start_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void report(const TuneRunOptions& options, const RunFolder& folder, const Training& training) {
  const std::vector<StepRecord>& steps = training.progress().steps;
  double seconds = 0;
  for (const StepRecord& step : steps) seconds += step.seconds;
  const double loss = steps.empty() ? 0 : steps.back().loss;
  if (options.format == Format::kJson) {
    nlohmann::ordered_json json = {{"out", folder.path().string()},
                                   {"finished", training.finished()},
                                   {"examples", training.plan().examples},
                                   {"steps", steps.size()},
                                   {"steps_in_all", training.plan().steps},
                                   {"loss", loss},
                                   {"accuracy", steps.empty() ? 0 : steps.back().accuracy},
                                   {"seconds", seconds}};
    if (!steps.empty() && steps.back().held_out) json["held_out"] = *steps.back().held_out;
    std::cout << dump(json) << std::endl;
    return;
  }
  std::cout << folder.path().string() << ": ";
  if (training.finished()) {
    std::printf("%zu steps in %s, loss %.4f\n", steps.size(), rough_duration(seconds).c_str(),
                loss);
  } else {
    std::cout << "stopped after " << steps.size() << " of " << training.plan().steps
              << " steps; the same command continues from there" << std::endl;
  }
}

// Trains until the end or Ctrl-C. Saves regularly and at the end.
int train(const TuneRunOptions& options, Training& training, TrainableModel& model,
          const RunFolder& folder, const std::string& base_model, StatusLine& status,
          const InterruptWatch& watch) {
  Progress progress(training, status);
  auto saved_at = std::chrono::steady_clock::now();
  const auto save = [&]() -> Result<void> {
    saved_at = std::chrono::steady_clock::now();
    const TrainingState& state = training.state();
    return folder.save(state, base_model, [&] {
      return write_adapter(folder.path(), model.layout(), state.parameters, base_model);
    });
  };
  Training::Watch each;
  each.stop = watch.token();
  each.on_example = [&] { progress.example_done(); };
  each.on_step = [&]() -> Result<void> {
    progress.step_done();
    return seconds_since(saved_at) < kSaveSeconds ? Result<void>() : save();
  };
  const Result<void> ran = training.run(each);
  status.clear();
  if (!ran) return fail(ran.error());
  if (const Result<void> saved = save(); !saved) return fail(saved.error());
  report(options, folder, training);
  return training.finished() ? kSuccess : kInterrupted;
}

int run_tune(TuneRunOptions options) {
  if (!options.adapted.empty()) {
    Result<std::vector<LinearRole>> roles = roles_of(options.adapted);
    if (!roles) return misuse(roles.error());
    options.lora.adapted = std::move(*roles);
  }
  const Result<Base> base = open_base(options.model);
  if (!base) return fail(base.error());
  Result<std::vector<TrainingText>> texts = read_texts(options.data, *base, options);
  if (!texts) return fail(texts.error());
  Result<std::vector<TrainingText>> held_out = std::vector<TrainingText>();
  if (!options.held_out.empty()) held_out = read_texts(options.held_out, *base, options);
  if (!held_out) return fail(held_out.error());
  options.plan.examples = static_cast<int>(texts->size());
  options.plan.steps =
      options.steps > 0 ? options.steps : options.epochs * options.plan.steps_per_epoch();
  TrainableOptions trainable;
  trainable.lora = options.lora;
  trainable.precision = options.precision == Precision::kAuto       ? best_precision()
                        : options.precision == Precision::kBFloat16 ? TrainingPrecision::kBFloat16
                                                                    : TrainingPrecision::kFloat32;
  trainable.threads = options.threads > 0 ? options.threads : processor_cores().threads();
  trainable.seed = options.plan.seed;
  Result<RunIdentity> identity = identity_of(options, *base, trainable.precision);
  if (!identity) return fail(identity.error());
  const Result<RunFolder> folder =
      RunFolder::open(options.out, std::move(*identity),
                      {"an adapter", "adapter_model.safetensors"}, options.restart);
  if (!folder) return fail(folder.error());

  const InterruptWatch watch;
  StatusLine status;
  const auto model = load_trainable(*base->files, trainable, shown_on(status, watch.token()));
  status.clear();
  if (watch.interrupted()) return kInterrupted;
  if (!model) return fail(model.error());
  Training training(**model, std::move(*texts), std::move(*held_out), options.plan,
                    options.training);
  auto checkpoint = folder->checkpoint((*model)->parameters().size());
  if (!checkpoint) return fail(checkpoint.error());
  if (*checkpoint) {
    if (Result<void> resumed = training.resume(std::move(**checkpoint)); !resumed)
      return fail(resumed.error().in(options.out));
    std::cerr << options.out << ": continues after step " << training.steps_done() << std::endl;
  }
  return train(options, training, **model, *folder, options.model, status, watch);
}

void add_lora_options(CommandLine command, TuneRunOptions& options) {
  const char* const group = "The adapter";
  command.add_option("--rank", options.lora.rank, "Rank of the adapter's matrices")
      .check(in_range(1, 1024))
      .show_default()
      .group(group);
  command.add_option("--alpha", options.lora.alpha, "Its weight is this divided by the rank")
      .check(in_range(0.001, 1e6))
      .show_default()
      .group(group);
  command.add_option("--dropout", options.lora.dropout, "Share of its inputs that it does not see")
      .check(in_range(0.0, 0.95))
      .show_default()
      .group(group);
  command
      .add_option("--adapt", options.adapted,
                  "Linear layers, as q_proj,v_proj (default: all seven)")
      .group(group);
}

void add_training_options(CommandLine command, TuneRunOptions& options) {
  const char* const group = "Training";
  add_optimiser_options(command, options.plan, options.training,
                        {.batch = "Examples a step",
                         .evaluate_every = "Steps between two looks at --held-out",
                         .seed = "Of order, dropout and the adapter's beginning"});
  command.add_option("--epochs", options.epochs, "How often each example is seen")
      .check(in_range(1, 10000))
      .show_default()
      .group(group);
  command.add_option("--steps", options.steps, "Steps in all, instead of --epochs")
      .check(in_range(1, 1 << 24))
      .group(group);
  command.add_option("--max-tokens", options.max_tokens, "Longer examples are left out")
      .check(in_range(16, 1 << 20))
      .show_default()
      .group(group);
  command
      .add_option("--precision", options.precision,
                  "How frozen matrices are multiplied (default: bf16 where the processor does)")
      .transform(one_of<Precision>({{"auto", Precision::kAuto},
                                    {"f32", Precision::kFloat32},
                                    {"bf16", Precision::kBFloat16}}))
      .group(group);
}

}  // namespace

void add_tune_run(CommandLine tune, Command& chosen) {
  const CommandLine command = tune.add_subcommand(
      "run", "Train an adapter for a model; the same command continues an interrupted run");
  const auto options = std::make_shared<TuneRunOptions>();
  command.add_option("--model", options->model, "The model that is adapted").show_default();
  command.add_option("--data", options->data, "Examples, as `redraft tune data` writes them")
      .required();
  command.add_option("--held-out", options->held_out, "Others, whose loss is measured on the way");
  command.add_option("--out", options->out, "Folder for adapter, checkpoint and losses").required();
  command
      .add_option("--loss", options->loss,
                  "What of a target is learnt: eoft, what the original does not have, or sft, "
                  "all of it")
      .transform(one_of<TuningLoss>({{"eoft", TuningLoss::kEoft}, {"sft", TuningLoss::kSft}}));
  command.add_flag("--restart", options->restart, "Begin anew although --out has a run");
  command.add_option("--threads", options->threads, "Compute threads (default: one per core)")
      .check(in_range(1, 1024));
  command.add_option("--format", options->format, "What is printed at the end")
      .transform(text_or_json());
  add_lora_options(command, *options);
  add_training_options(command, *options);
  command.callback([&chosen, options] { chosen = [options] { return run_tune(*options); }; });
}

}  // namespace redraft::cli
