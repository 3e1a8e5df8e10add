// redraft tune head: trains a draft head on recorded rows, or measures one.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "cli/common/interrupt.h"
#include "cli/common/report.h"
#include "cli/common/status_line.h"
#include "decoding/model/model_store.h"
#include "decoding/model/sha256.h"
#include "lab/tune/model_digest.h"
#include "lab/tune/tune.h"
#include "lab/tune/tune_head_options.h"
#include "support/files/whole_file.h"
#include "support/seconds_since.h"
#include "support/system/heap.h"
#include "support/system/processor_cores.h"
#include "tuning/head/acceptance_curve.h"
#include "tuning/head/head_start.h"
#include "tuning/head/head_training.h"
#include "tuning/run_folder.h"

namespace redraft::cli {
namespace {

// The part of a run that a power failure can lose; Ctrl-C loses nothing.
constexpr double kSaveSeconds = 300;
constexpr double kLineSeconds = 10;                  // between two lines of progress that stay
constexpr std::size_t kMeasuredRows = 4096;          // of those held out
constexpr const char* kStepsName = "planned_steps";  // of a run of --minutes

// A target and the rows that were recorded from it.
struct Recorded {
  std::unique_ptr<const ModelFiles> files;
  std::unique_ptr<TargetRows> target;
  std::unique_ptr<RecordedRows> rows;
  std::unique_ptr<RecordedRows> held_out;  // null: a share of `rows`
};

Result<std::unique_ptr<RecordedRows>> open_rows(const std::string& folder,
                                                const std::string& digest,
                                                const std::string& model) {
  Result<RecordedRows> rows = RecordedRows::open(folder);
  if (!rows) return rows.error();
  if (rows->shape().digest != digest)
    return Error(folder + ": was recorded of another model (" + rows->shape().target +
                 ") than --model " + model);
  return std::make_unique<RecordedRows>(std::move(*rows));
}

Result<Recorded> open_recorded(const TuneHeadOptions& options) {
  const Result<ModelLocation> location = locate_model(options.model);
  if (!location) return location.error();
  Recorded out;
  auto files = open_model_files(*location);
  if (!files) return files.error();
  out.files = std::move(*files);
  Result<TargetRows> target = TargetRows::open(*out.files);
  if (!target) return target.error();
  out.target = std::make_unique<TargetRows>(std::move(*target));
  const Result<std::string> digest = digest_of_model(*location);
  if (!digest) return digest.error();
  auto rows = open_rows(options.recorded, *digest, options.model);
  if (!rows) return rows.error();
  out.rows = std::move(*rows);
  const RecordedShape& shape = out.rows->shape();
  const TransformerShape& model = out.target->shape();
  if (shape.hidden != model.hidden || shape.target_layers != model.layers ||
      shape.vocabulary != model.vocabulary)
    return Error(options.recorded + ": its numbers are not those of --model " + options.model);
  if (options.held_out.empty()) return out;
  auto held_out = open_rows(options.held_out, *digest, options.model);
  if (!held_out) return held_out.error();
  out.held_out = std::move(*held_out);
  if (out.held_out->shape() != shape)
    return Error(options.held_out +
                 ": was recorded with other layers or another number of tokens than " +
                 options.recorded);
  return out;
}

DraftHeadShape shape_of(const TuneHeadOptions& options, const RecordedShape& rows) {
  return {.hidden = rows.hidden,
          .target_layers = rows.target_layers,
          .target_vocabulary = rows.vocabulary,
          .layers = rows.layers,
          .tokens = rows.tokens,
          .width = options.width,
          .vocabulary = std::min(options.vocabulary, rows.vocabulary),
          .target = rows.target};
}

// The rows of a run: the learnt ones, each of which teaches something, and the held-out ones.
struct RunRows {
  std::unique_ptr<HeadData> data, held_out_data;  // the latter null where it is the same
  std::vector<std::size_t> learnt;
  HeldOutRows held_out;
};

Result<RunRows> rows_of(const TuneHeadOptions& options, const Recorded& recorded, int vocabulary) {
  RunRows out;
  SplitRows split = split_rows(*recorded.rows, recorded.held_out ? 0 : options.held_share);
  std::vector<TokenId> tokens = frequent_tokens(*recorded.rows, split.learnt, vocabulary);
  out.data = std::make_unique<HeadData>(*recorded.rows, *recorded.target, tokens);
  std::erase_if(split.learnt, [&](std::size_t row) { return !out.data->teaches(row); });
  out.learnt = std::move(split.learnt);
  if (out.learnt.empty()) return Error(options.recorded + ": has no rows to learn from");
  if (out.learnt.size() > std::size_t{1} << 30)
    return Error(options.recorded + ": has more rows than a run can have");
  out.held_out.data = out.data.get();
  if (recorded.held_out) {
    out.held_out_data =
        std::make_unique<HeadData>(*recorded.held_out, *recorded.target, std::move(tokens));
    out.held_out.data = out.held_out_data.get();
    split.held_out = split_rows(*recorded.held_out, 1).held_out;
  }
  out.held_out.rows = some_of(split.held_out, kMeasuredRows);
  return out;
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

// Everything that determines the head, in the words of the options.
Result<RunIdentity> identity_of(const TuneHeadOptions& options) {
  const auto digest = [](const std::string& folder) -> Result<std::string> {
    if (folder.empty()) return std::string("none");
    return sha256_of_file(std::filesystem::path(folder) / RecordedManifest::kName);
  };
  const Result<std::string> recorded = digest(options.recorded);
  if (!recorded) return recorded.error();
  const Result<std::string> held_out = digest(options.held_out);
  if (!held_out) return held_out.error();
  const bool bf16 = options.precision == TrainingPrecision::kBFloat16;
  return RunIdentity{{"recorded", *recorded},
                     {"held-out", *held_out},
                     {"held-share", text_of(options.held_share)},
                     {"width", std::to_string(options.width)},
                     {"vocabulary", std::to_string(options.vocabulary)},
                     {"precision", bf16 ? "bf16" : "f32"},
                     {"learning-rate", text_of(options.plan.learning_rate)},
                     {"warmup", std::to_string(options.plan.warmup)},
                     {"batch", std::to_string(options.plan.batch)},
                     {"steps", options.minutes > 0 ? "of " + text_of(options.minutes) + " minutes"
                                                   : std::to_string(options.plan.steps)},
                     {"weight-decay", text_of(options.training.optimiser.weight_decay)},
                     {"clip", text_of(options.training.max_length)},
                     {"evaluate-every", std::to_string(options.training.evaluate_every)},
                     {"seed", std::to_string(options.plan.seed)}};
}

// Shows the progress of a run to the user.
class Progress {
 public:
  Progress(HeadTraining& training, StatusLine& status)
      : training_(training), status_(status), steps_at_start_(training.steps_done()) {}

  // Lines that stay: where held-out rows were measured, and else every few seconds.
  void step_done() {
    const StepRecord& step = training_.progress().steps.back();
    const std::string line = text(step);
    if (!step.held_out && seconds_since(line_at_) < kLineSeconds) return status_.show(line);
    status_.clear();
    std::cerr << line;
    if (step.held_out) {
      std::cerr << " · held out: loss " << text_of(*step.held_out) << ", acceptance "
                << text_of(step.more.front());
    }
    std::cerr << std::endl;
    line_at_ = std::chrono::steady_clock::now();
  }

 private:
  std::string text(const StepRecord& step) const {
    const int done = training_.steps_done();
    const double each = seconds_since(start_) / std::max(1, done - steps_at_start_);
    char figures[160];
    std::snprintf(figures, sizeof(figures),
                  " · loss %.4f · right %.1f %% · rate %.2g · %.0f rows/s · ", step.loss,
                  100 * step.accuracy, step.rate, training_.plan().batch / step.seconds);
    return "step " + std::to_string(done) + "/" + std::to_string(training_.plan().steps) + figures +
           rough_duration(each * (training_.plan().steps - done)) + " left";
  }

  HeadTraining& training_;
  StatusLine& status_;
  int steps_at_start_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point line_at_ = start_;
};

void report(const TuneHeadOptions& options, const HeadTraining& training) {
  const std::vector<StepRecord>& steps = training.progress().steps;
  double seconds = 0;
  for (const StepRecord& step : steps) seconds += step.seconds;
  const double rows = 1.0 * training.plan().batch * static_cast<double>(steps.size());
  if (options.format == Format::kJson) {
    nlohmann::ordered_json json = {{"out", options.out},
                                   {"finished", training.finished()},
                                   {"rows", training.plan().examples},
                                   {"steps", steps.size()},
                                   {"steps_in_all", training.plan().steps},
                                   {"loss", steps.empty() ? 0 : steps.back().loss},
                                   {"accuracy", steps.empty() ? 0 : steps.back().accuracy},
                                   {"seconds", seconds},
                                   {"rows_per_second", seconds > 0 ? rows / seconds : 0}};
    if (const auto best = training.best_step()) {
      json["best_step"] = *best + 1;
      json["held_out"] = *steps[*best].held_out;
      json["acceptance"] = steps[*best].more.front();
      json["accuracies"] =
          std::vector<double>(steps[*best].more.begin() + 1, steps[*best].more.end());
    }
    std::cout << dump(json) << std::endl;
    return;
  }
  std::cout << options.out << ": ";
  if (!training.finished()) {
    std::cout << "stopped after " << steps.size() << " of " << training.plan().steps
              << " steps; the same command continues from there" << std::endl;
    return;
  }
  std::printf("%zu steps in %s, loss %.4f", steps.size(), rough_duration(seconds).c_str(),
              steps.back().loss);
  if (const auto best = training.best_step())
    std::printf(", acceptance length %.3f on held-out rows after step %zu, which is kept",
                steps[*best].more.front(), *best + 1);
  std::printf("\n");
  std::fflush(stdout);
}

Result<void> write_text(const std::filesystem::path& file, const std::string& text) {
  return write_whole_file(file, {std::as_bytes(std::span(text.data(), text.size()))});
}

// Writes the best head so far to a run's folder, or the last one if nothing is held out. If the
// best head is older than this process, the folder has it already.
Result<void> write_best(const std::filesystem::path& folder, HeadTraining& training,
                        const DraftHeadShape& shape, const std::vector<TokenId>& vocabulary) {
  if (!training.best_step())
    return write_draft_head(folder, shape, training.state().parameters, vocabulary);
  if (training.best_parameters().empty()) return {};
  return write_draft_head(folder, shape, training.best_parameters(), vocabulary);
}

// Writes the head and its measurements to a run's folder.
Result<void> save(const RunFolder& folder, HeadTraining& training, const DraftHeadShape& shape,
                  const std::vector<TokenId>& vocabulary) {
  const TrainingState& state = training.state();
  return folder.save(state, shape.target, [&]() -> Result<void> {
    Result<void> saved = write_best(folder.path(), training, shape, vocabulary);
    if (saved)
      saved = write_text(folder.path() / "acceptance.csv",
                         acceptance_table(state.steps, training.plan()));
    if (saved)
      saved = write_text(folder.path() / "acceptance.svg",
                         acceptance_curve(state.steps, training.plan(), shape.target));
    return saved;
  });
}

// The number of steps that --minutes has time for. A continued run keeps its planned number.
Result<int> planned_steps(const TuneHeadOptions& options, const RunFolder& folder,
                          HeadTraining& training, bool goes_on) {
  const std::filesystem::path file = folder.path() / kStepsName;
  if (goes_on) {
    const Result<JsonDocument> document = JsonDocument::open(file);
    if (!document) return document.error();
    const Result<std::int64_t> steps = document->root().integer(1, 1 << 24);
    return steps ? Result<int>(static_cast<int>(*steps)) : Result<int>(steps.error());
  }
  const Result<double> step = training.seconds_of_step();
  if (!step) return step.error();
  const Result<double> look = training.seconds_of_look();
  if (!look) return look.error();
  const double each = *step + *look / options.training.evaluate_every;
  const int steps = std::clamp(static_cast<int>(60 * options.minutes / each), 1, 1 << 24);
  if (const Result<void> written = write_text(file, std::to_string(steps) + "\n"); !written)
    return written.error();
  return steps;
}

// Trains until the end or Ctrl-C. Saves regularly and at the end.
int train(const TuneHeadOptions& options, HeadTraining& training, const RunFolder& folder,
          const DraftHeadShape& shape, const std::vector<TokenId>& vocabulary) {
  const InterruptWatch watch;
  StatusLine status;
  Progress progress(training, status);
  auto saved_at = std::chrono::steady_clock::now();
  HeadTraining::Watch each{.stop = watch.token()};
  each.on_step = [&]() -> Result<void> {
    progress.step_done();
    if (seconds_since(saved_at) < kSaveSeconds) return {};
    saved_at = std::chrono::steady_clock::now();
    return save(folder, training, shape, vocabulary);
  };
  const Result<void> ran = training.run(each);
  status.clear();
  if (!ran) return fail(ran.error());
  if (const Result<void> saved = save(folder, training, shape, vocabulary); !saved)
    return fail(saved.error());
  report(options, training);
  return training.finished() ? kSuccess : kInterrupted;
}

int compute_threads(const TuneHeadOptions& options) {
  return options.threads > 0 ? options.threads : processor_cores().threads();
}

Result<std::unique_ptr<TrainableHead>> make_head(const TuneHeadOptions& options,
                                                 const DraftHeadShape& shape,
                                                 const TargetRows& target) {
  return make_trainable_head({.shape = shape,
                              .epsilon = target.shape().epsilon,
                              .precision = options.precision,
                              .threads = compute_threads(options)});
}

int run_training(TuneHeadOptions options) {
  keep_free_memory();
  const Result<Recorded> recorded = open_recorded(options);
  if (!recorded) return fail(recorded.error());
  const DraftHeadShape shape = shape_of(options, recorded->rows->shape());
  Result<RunRows> rows = rows_of(options, *recorded, shape.vocabulary);
  if (!rows) return fail(rows.error());
  options.plan.examples = static_cast<int>(rows->learnt.size());
  options.plan.batch = std::min(options.plan.batch, options.plan.examples);
  options.plan.steps =
      options.steps > 0 ? options.steps : options.epochs * options.plan.steps_per_epoch();
  Result<RunIdentity> identity = identity_of(options);
  if (!identity) return fail(identity.error());
  const Result<RunFolder> folder =
      RunFolder::open(options.out, std::move(*identity),
                      {"a draft head", DraftHeadFiles::kWeightsName}, options.restart);
  if (!folder) return fail(folder.error());
  const auto head = make_head(options, shape, *recorded->target);
  if (!head) return fail(head.error());
  const std::vector<TokenId>& vocabulary = rows->data->vocabulary();
  std::ranges::copy(initial_head(shape, *recorded->target, vocabulary, options.plan.seed),
                    (*head)->parameters().begin());
  ThreadPool pool(compute_threads(options));
  HeadTraining training(**head, *rows->data, std::move(rows->learnt), std::move(rows->held_out),
                        options.plan, options.training, pool);
  auto checkpoint = folder->checkpoint((*head)->parameters().size());
  if (!checkpoint) return fail(checkpoint.error());
  if (options.minutes > 0) {
    const Result<int> steps = planned_steps(options, *folder, training, checkpoint->has_value());
    if (!steps) return fail(steps.error());
    training.set_steps(*steps);
  }
  if (*checkpoint) {
    if (Result<void> resumed = training.resume(std::move(**checkpoint)); !resumed)
      return fail(resumed.error().in(options.out));
    std::cerr << options.out << ": continues after step " << training.steps_done() << std::endl;
  }
  return train(options, training, *folder, shape, vocabulary);
}

// The numbers of a head's files in the order in which they are trained.
void read_parameters(const DraftHeadFiles& files, std::span<float> out) {
  for (const DraftHeadTensor& tensor : draft_head_tensors(files.shape())) {
    const StoredTensor& stored = files.tensor(tensor.name);
    const auto columns = static_cast<std::size_t>(tensor.columns);
    const std::size_t bytes = weight_bytes(stored.format, 1, tensor.columns);
    for (std::int64_t row = 0; row < std::max<std::int64_t>(1, tensor.rows); ++row) {
      dequantize_row(stored.format, stored.data.data() + bytes * static_cast<std::size_t>(row),
                     static_cast<int>(tensor.columns), out.data());
      out = out.subspan(columns);
    }
  }
}

void print(const TuneHeadOptions& options, const HeadScore& score, std::size_t rows) {
  if (options.format == Format::kJson) {
    nlohmann::ordered_json json = {{"head", options.evaluate},
                                   {"rows", rows},
                                   {"whole_rows", score.whole_rows},
                                   {"loss", score.loss},
                                   {"acceptance", score.acceptance_length()}};
    json["accuracies"] = nlohmann::ordered_json::array();
    for (std::size_t place = 0; place < score.places.size(); ++place)
      json["accuracies"].push_back(score.accuracy(place));
    std::cout << dump(json) << std::endl;
    return;
  }
  std::printf("%zu rows, loss %.4f, right", rows, score.loss);
  for (std::size_t place = 0; place < score.places.size(); ++place)
    std::printf(" %.1f %%", 100 * score.accuracy(place));
  std::printf(", acceptance length %.3f (%lld rows)\n", score.acceptance_length(),
              static_cast<long long>(score.whole_rows));
  std::fflush(stdout);
}

int run_evaluation(const TuneHeadOptions& options) {
  const Result<Recorded> recorded = open_recorded(options);
  if (!recorded) return fail(recorded.error());
  const Result<DraftHeadFiles> files = DraftHeadFiles::open(options.evaluate);
  if (!files) return fail(files.error());
  const DraftHeadShape& shape = files->shape();
  if (Result<void> fits = files->check_fits(recorded->target->shape(), options.model); !fits)
    return fail(fits.error());
  const RecordedShape& rows = recorded->rows->shape();
  if (shape.layers != rows.layers || shape.tokens != rows.tokens)
    return fail(Error(options.evaluate +
                      ": reads other layers or proposes another number of "
                      "tokens than " +
                      options.recorded + " has"));
  const auto head = make_head(options, shape, *recorded->target);
  if (!head) return fail(head.error());
  read_parameters(*files, (*head)->parameters());
  const HeadData data(*recorded->rows, *recorded->target, files->vocabulary());
  const std::vector<std::size_t> held_out =
      split_rows(*recorded->rows, options.held_share).held_out;
  const Result<HeadScore> score = score_head(**head, data, held_out);
  if (!score) return fail(score.error());
  print(options, *score, held_out.size());
  return kSuccess;
}

}  // namespace

void add_tune_head(CommandLine tune, Command& chosen) {
  const CommandLine command = tune.add_subcommand(
      "head", "Train a draft head on recorded rows; the same command continues an interrupted run");
  const auto options = std::make_shared<TuneHeadOptions>();
  add_tune_head_options(command, *options);
  command.callback([&chosen, options] {
    chosen = [options] {
      if (options->out.empty() == options->evaluate.empty())
        return misuse(Error("give either --out or --evaluate"));
      return options->out.empty() ? run_evaluation(*options) : run_training(*options);
    };
  });
}

}  // namespace redraft::cli
