// redraft tune record: what a draft head is trained on, taken from a target that reads texts.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <utility>

#include "cli/common/engine_loader.h"
#include "cli/common/interrupt.h"
#include "cli/common/report.h"
#include "decoding/model/model_files.h"
#include "decoding/model/sha256.h"
#include "decoding/model_powers.h"
#include "lab/tune/model_digest.h"
#include "lab/tune/tune.h"
#include "lab/tune/tune_sources.h"
#include "support/seconds_since.h"
#include "tuning/data/other_pairs.h"
#include "tuning/data/text_list.h"
#include "tuning/head/head_start.h"
#include "tuning/head/row_recorder.h"
#include "tuning/head/row_writer.h"

namespace redraft::cli {
namespace {

struct TuneRecordOptions {
  CommonOptions common;
  std::vector<std::string> data, files, exclude;
  std::string out;
  std::string layers;  // numbers, separated by commas; empty: default_head_layers()
  int tokens = 3;
  TextList::Limits limits;
  bool own_licence = false;
  Format format = Format::kText;
};

// "8,16,23" of a target with `count` layers.
Result<std::vector<int>> layers_of(const std::string& text, int count) {
  if (text.empty()) return default_head_layers(count);
  std::vector<int> layers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    int layer = -1;
    const auto parsed = std::from_chars(text.data() + begin, text.data() + end, layer);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + end || layer < 0 || layer >= count)
      return Error("--layers: expected numbers from 0 to " + std::to_string(count - 1) +
                   ", separated by commas");
    if (!layers.empty() && layer <= layers.back()) return Error("--layers: they have to ascend");
    layers.push_back(layer);
    begin = end + 1;
  }
  if (layers.size() > kMaxHeadLayers)
    return Error("--layers: at most " + std::to_string(kMaxHeadLayers));
  return layers;
}

Result<TextList> list_texts(const TuneRecordOptions& options, const SimilarTexts& excluded) {
  TextList list(excluded);
  for (const std::string& file : options.data)
    if (const Result<void> added = list.add_examples(file); !added) return added.error();
  for (const std::string& folder : options.files) {
    if (!allowed_licence(options.own_licence, folder, licence_files_of(folder))) continue;
    if (const Result<void> added = list.add_files(folder, !options.own_licence); !added)
      return added.error();
  }
  return list;
}

// The options that determine the texts, except for their number.
Result<std::string> settings_of(const TuneRecordOptions& options) {
  std::string out = "max-tokens " + std::to_string(options.limits.piece);
  for (const std::string& file : options.data) {
    const Result<std::string> digest = sha256_of_file(file);
    if (!digest) return digest.error();
    out += ", data " + *digest;
  }
  for (const auto& [what, names] :
       {std::pair{"files", &options.files}, {"exclude", &options.exclude}})
    for (const std::string& name : *names) out += std::string(", ") + what + " " + name;
  return out + (options.own_licence ? ", own" : "");
}

// An error unless the texts begin with those that are recorded already.
Result<void> check_begun(const RecordedProgress& progress, const std::vector<TextToRecord>& texts,
                         const std::string& out) {
  std::uint64_t digest = 0;
  const auto begun = static_cast<std::size_t>(progress.texts);
  for (std::size_t i = 0; i < std::min(begun, texts.size()); ++i)
    digest = digest_of_tokens(digest, texts[i].tokens);
  if (begun <= texts.size() && digest != progress.digest)
    return Error(out + ": the texts have changed since it was begun; give another --out");
  return {};
}

class Recording {
 public:
  Recording(LanguageModel& model, RowWriter& writer, const std::vector<TextToRecord>& texts,
            int tokens)
      : model_(model), writer_(writer), texts_(texts), tokens_(tokens) {
    for (const TextToRecord& text : texts) all_ += static_cast<std::int64_t>(text.tokens.size());
    at_start_ = writer.progress().tokens;
  }

  Result<void> run(StatusLine& status, const InterruptWatch& watch) {
    for (auto i = static_cast<std::size_t>(writer_.progress().texts); i < texts_.size(); ++i) {
      if (watch.interrupted()) break;
      const TextToRecord& text = texts_[i];
      const TextRows rows = record_rows(model_, text.tokens, text.first, tokens_, text.source);
      if (Result<void> added = writer_.add(text.tokens, rows); !added) return added;
      status.show(progress_text());
    }
    return writer_.save();
  }
  bool finished() const {
    return writer_.progress().texts >= static_cast<std::int64_t>(texts_.size());
  }
  double tokens_per_second() const {
    return static_cast<double>(writer_.progress().tokens - at_start_) /
           std::max(1e-3, seconds_since(start_));
  }

 private:
  std::string progress_text() const {
    const RecordedProgress& progress = writer_.progress();
    char speed[48];
    std::snprintf(speed, sizeof speed, " · %.0f tokens/s · ", tokens_per_second());
    const auto left = static_cast<double>(all_ - progress.tokens);
    return std::to_string(progress.rows()) + " rows of " + std::to_string(progress.tokens) +
           " tokens · " +
           percent(static_cast<double>(progress.tokens) / static_cast<double>(all_)) + speed +
           rough_duration(left / std::max(1.0, tokens_per_second())) + " left";
  }

  LanguageModel& model_;
  RowWriter& writer_;
  const std::vector<TextToRecord>& texts_;
  int tokens_;
  std::int64_t all_ = 0;
  std::int64_t at_start_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void report(const TuneRecordOptions& options, const RowWriter& writer, const Recording& recording) {
  const RecordedProgress& progress = writer.progress();
  if (options.format == Format::kJson) {
    const nlohmann::ordered_json json = {
        {"out", options.out},      {"finished", recording.finished()},
        {"texts", progress.texts}, {"tokens", progress.tokens},
        {"rows", progress.rows()}, {"tokens_per_second", recording.tokens_per_second()}};
    std::cout << dump(json) << std::endl;
    return;
  }
  std::printf("%s: %lld rows of %lld tokens in %lld texts\n", options.out.c_str(),
              static_cast<long long>(progress.rows()), static_cast<long long>(progress.tokens),
              static_cast<long long>(progress.texts));
  std::fflush(stdout);
}

// What the rows of the loaded model have in common.
Result<RecordedShape> shape_of(const TuneRecordOptions& options, const LoadedModel& model) {
  const auto files = open_model_files(model.location);
  if (!files) return files.error();
  const Result<TransformerShape> shape = (*files)->shape();
  if (!shape) return shape.error();
  const Result<std::vector<int>> layers = layers_of(options.layers, shape->layers);
  if (!layers) return layers.error();
  const Result<std::string> digest = digest_of_model(model.location);
  if (!digest) return digest.error();
  return RecordedShape{.target = options.common.target,
                       .digest = *digest,
                       .hidden = shape->hidden,
                       .target_layers = shape->layers,
                       .vocabulary = shape->vocabulary,
                       .layers = *layers,
                       .tokens = options.tokens};
}

Result<std::vector<TextToRecord>> read_texts(TuneRecordOptions& options, const LoadedModel& model) {
  SimilarTexts excluded;
  if (const Result<void> done = exclude_texts(options.exclude, excluded); !done)
    return done.error();
  Result<TextList> list = list_texts(options, excluded);
  if (!list) return list.error();
  options.limits.piece = std::min(options.limits.piece, model.model->context_length());
  options.limits.example = std::min(options.limits.example, model.model->context_length());
  std::vector<TextToRecord> texts = list->texts(*model.tokenizer, options.limits);
  for (const auto& [reason, count] : list->left_out)
    std::cerr << count << " left out: " << reason << std::endl;
  if (texts.empty()) return Error("no text is left to record");
  return texts;
}

int run_record(TuneRecordOptions options) {
  if (options.data.empty() && options.files.empty())
    return misuse(Error("nothing to record: give --data or --files"));
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  const Result<std::string> settings = settings_of(options);
  if (!settings) return fail(settings.error());
  const InterruptWatch watch;
  StatusLine status;
  const std::unique_ptr<ThreadPool> pool = make_pool(options.common);
  Result<LoadedModel> model = load_target(options.common, *pool, shown_on(status, watch.token()));
  status.clear();
  if (watch.interrupted()) return kInterrupted;
  if (!model) return fail(model.error());
  const Result<RecordedShape> shape = shape_of(options, *model);
  if (!shape) return fail(shape.error());
  LayerCapture* const capture = model->model->layer_capture();
  if (capture == nullptr || !capture->capture_layers(shape->layers))
    return fail(Error(options.common.target + ": its layers cannot be recorded on this device"));
  status.show("reading texts");
  const Result<std::vector<TextToRecord>> texts = read_texts(options, *model);
  status.clear();
  if (!texts) return fail(texts.error());
  Result<RowWriter> writer = RowWriter::open(options.out, *shape, *settings);
  if (!writer) return fail(writer.error());
  if (const Result<void> begun = check_begun(writer->progress(), *texts, options.out); !begun)
    return fail(begun.error());
  if (writer->progress().texts > 0)
    std::cerr << options.out << ": continues after " << writer->progress().texts << " texts"
              << std::endl;
  Recording recording(*model->model, *writer, *texts, options.tokens);
  const Result<void> ran = recording.run(status, watch);
  status.clear();
  if (!ran) return fail(ran.error());
  report(options, *writer, recording);
  if (recording.finished()) return kSuccess;
  std::cerr << "redraft: interrupted; the same command continues from here" << std::endl;
  return kInterrupted;
}

}  // namespace

void add_tune_record(CommandLine tune, Command& chosen) {
  const CommandLine command = tune.add_subcommand(
      "record", "Run a target over texts and keep what a draft head can learn from it");
  const auto options = std::make_shared<TuneRecordOptions>();
  command.add_option("--model", options->common.target, "The target that the head drafts for")
      .show_default();
  command.add_option("--data", options->data,
                     "Examples, as `redraft tune data` writes them; may be given several times");
  command.add_option("--files", options->files,
                     "A folder of source files; may be given several times");
  command.add_option("--out", options->out, "Folder for the rows; an unfinished one is continued")
      .required();
  command.add_option("--layers", options->layers,
                     "After which layers a row is kept, as 9,19,27 (default: a third, two thirds, "
                     "the last)");
  command.add_option("--tokens", options->tokens, "How many tokens the head is to propose at once")
      .check(in_range(1, kMaxHeadTokens))
      .show_default();
  command.add_option("--max-tokens", options->limits.piece, "Of the pieces that files are cut into")
      .check(in_range(16, 1 << 16))
      .show_default();
  command.add_option("--limit", options->limits.tokens, "About how many tokens to read at most")
      .check(in_range(std::int64_t{1}, std::int64_t{1} << 40));
  command.add_option("--exclude", options->exclude,
                     "A folder of texts that must not be trained on: benchmarks");
  command.add_flag("--licence-of-my-own", options->own_licence,
                   "The files are yours: use them whatever their licence");
  command
      .add_option("--threads", options->common.threads, "Compute threads (default: one per core)")
      .check(in_range(1, 1024));
  command.add_option("--format", options->format, "What is printed at the end")
      .transform(text_or_json());
  command.callback([&chosen, options] { chosen = [options] { return run_record(*options); }; });
}

}  // namespace redraft::cli
