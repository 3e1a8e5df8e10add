// redraft tune data: training examples from edits that people made.
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "cli/common/engine_loader.h"
#include "cli/common/interrupt.h"
#include "lab/tune/tune.h"
#include "lab/tune/tune_sources.h"
#include "tuning/data/data_run.h"
#include "tuning/data/git_pairs.h"
#include "tuning/data/other_pairs.h"

namespace redraft::cli {
namespace {

struct TuneDataOptions {
  CommonOptions common;
  std::vector<std::string> git, jsonl, exclude;
  std::string before, after, instruction;
  std::string out;
  std::string decoder;
  int limit = 0;
  ExampleLimits limits;
  bool own_licence = false;
};

using Sources = std::vector<std::unique_ptr<PairSource>>;

Result<void> add_git(const TuneDataOptions& options, Sources& sources) {
  for (const std::string& folder : options.git) {
    Result<GitRepository> repository = GitRepository::open(folder);
    if (!repository) return repository.error();
    const std::optional<std::string> licence =
        allowed_licence(options.own_licence, folder, repository->licence_files());
    if (!licence) continue;
    Result<GitPairs> pairs = GitPairs::open(*std::move(repository), *licence);
    if (!pairs) return pairs.error();
    sources.push_back(std::make_unique<GitPairs>(*std::move(pairs)));
  }
  return {};
}

Result<void> add_release(const TuneDataOptions& options, Sources& sources) {
  if (options.before.empty()) return {};
  const std::optional<std::string> licence =
      allowed_licence(options.own_licence, options.after, licence_files_of(options.after));
  if (!licence) return {};
  Result<ReleasePairs> pairs =
      ReleasePairs::open(options.before, options.after, options.instruction, *licence);
  if (!pairs) return pairs.error();
  sources.push_back(std::make_unique<ReleasePairs>(*std::move(pairs)));
  return {};
}

Result<Sources> open_sources(const TuneDataOptions& options) {
  Sources sources;
  if (const Result<void> added = add_git(options, sources); !added) return added.error();
  if (const Result<void> added = add_release(options, sources); !added) return added.error();
  for (const std::string& file : options.jsonl) {
    const std::optional<std::string> own =
        options.own_licence ? std::optional(std::string()) : std::nullopt;
    Result<JsonlPairs> pairs = JsonlPairs::open(file, own);
    if (!pairs) return pairs.error();
    sources.push_back(std::make_unique<JsonlPairs>(*std::move(pairs)));
  }
  if (sources.empty()) return Error("no source is left to make examples from");
  return sources;
}

// The options that determine the examples, except for their number.
std::string settings_of(const TuneDataOptions& options) {
  std::string out = "target " + options.common.target + ", tokens " +
                    std::to_string(options.limits.max_tokens) + ", lines " +
                    std::to_string(options.limits.max_lines);
  for (const auto& [what, names] :
       {std::pair{"git", &options.git}, {"jsonl", &options.jsonl}, {"exclude", &options.exclude}})
    for (const std::string& name : *names) out += std::string(", ") + what + " " + name;
  if (!options.before.empty())
    out += ", before " + options.before + ", after " + options.after + ", instruction " +
           options.instruction;
  return out + (options.own_licence ? ", own" : "");
}

std::string progress_text(const DataReport& report, int limit) {
  std::string text = std::to_string(report.kept);
  if (limit > 0) text += " of " + std::to_string(limit);
  text += " kept · " + std::to_string(report.seen) + " seen";
  if (report.asked == 0) return text;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.1f", report.seconds / report.asked);
  text += " · " + std::string(seconds) + " s each";
  if (limit > 0 && report.kept_now > 0) {
    const double left = report.seconds / report.kept_now * (limit - report.kept);
    text += " · " + rough_duration(left) + " left";
  }
  return text;
}

void print(const DataReport& report, const std::string& out) {
  std::printf("%s: %d examples of %d pairs\n", out.c_str(), report.kept, report.seen);
  if (report.asked > 0) {
    std::printf("%d asked in this run, %.2f s each\n", report.asked, report.seconds / report.asked);
  }
  if (!report.skipped.empty()) std::printf("left out:\n");
  for (const auto& [reason, count] : report.skipped)
    std::printf("%7d  %s\n", count, reason.c_str());
  std::fflush(stdout);
}

Result<void> check(const TuneDataOptions& options) {
  if (options.git.empty() && options.jsonl.empty() && options.before.empty())
    return Error("nothing to make examples from: give --git, --jsonl, or --before and --after");
  if (options.before.empty() != options.instruction.empty())
    return Error("--instruction says what changed from --before to --after, and is needed there");
  return {};
}

int run_tune_data(const TuneDataOptions& options) {
  if (const Result<void> checked = check(options); !checked) return misuse(checked.error());
  const Result<DecoderName> decoder = choose_decoder(options.decoder, options.common);
  if (!decoder) return misuse(decoder.error());
  if (!decoder->lossless())
    return misuse(Error("--decoder " + decoder->text +
                        " does not write what the target would; examples are the target's own"));
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  const InterruptWatch watch;
  StatusLine status;
  status.show("reading sources");
  Result<Sources> sources = open_sources(options);
  if (!sources) return fail(sources.error());
  SimilarTexts excluded;
  if (const Result<void> done = exclude_texts(options.exclude, excluded); !done)
    return fail(done.error());
  const std::unique_ptr<ThreadPool> pool = make_pool(options.common);
  Result<std::unique_ptr<LocalEngine>> engine = load_engine(
      options.common, *decoder, *pool, shown_on(status, watch.token()), Fallback::kNone);
  if (watch.interrupted()) return kInterrupted;
  if (!engine) return fail(engine.error());
  ExampleMaker maker(**engine, options.limits, *decoder);
  const DataRun run{
      .out = options.out,
      .settings = settings_of(options),
      .limit = options.limit,
      .make = [&](const EditPair& pair,
                  const std::stop_token& stop) { return maker.make(pair, stop); },
      .on_progress =
          [&](const DataReport& report) { status.show(progress_text(report, options.limit)); }};
  const Result<DataReport> report = run_data(run, *sources, excluded, watch.token());
  status.clear();
  if (!report) return fail(report.error());
  print(*report, options.out);
  if (!report->interrupted) return kSuccess;
  std::cerr << "redraft: interrupted; the same command continues from here" << std::endl;
  return kInterrupted;
}

}  // namespace

void add_tune_data(CommandLine tune, Command& chosen) {
  const CommandLine data = tune.add_subcommand(
      "data", "Write training examples: edits that people made, as the target writes them");
  const auto options = std::make_shared<TuneDataOptions>();
  data.add_option("--git", options->git,
                  "A repository, whose commits are edits; may be given several times");
  data.add_option("--jsonl", options->jsonl,
                  "A file with an object a line: instruction, before, after, licence and path");
  const Option before =
      data.add_option("--before", options->before, "A release of a package, unpacked");
  const Option after = data.add_option("--after", options->after, "A later one").needs(before);
  before.needs(after);
  data.add_option("--instruction", options->instruction,
                  "What changed from one to the other, in words")
      .needs(before);
  data.add_option("--out", options->out, "The file of examples; an unfinished one is continued")
      .required();
  data.add_option("--exclude", options->exclude,
                  "A folder of texts that must not be trained on: benchmarks");
  data.add_option("--limit", options->limit, "How many examples at most")
      .check(in_range(1, 1 << 30));
  data.add_option("--max-tokens", options->limits.max_tokens, "Of a prompt and its answer together")
      .check(in_range(256, 1 << 20))
      .show_default();
  data.add_option("--max-lines", options->limits.max_lines, "Of the lines that are edited")
      .check(in_range(1, 1 << 20))
      .show_default();
  data.add_flag("--licence-of-my-own", options->own_licence,
                "The code is yours: use it whatever its licence");
  add_decoder_option(data, options->decoder);
  add_common_options(data, options->common);
  data.callback([&chosen, options] { chosen = [options] { return run_tune_data(*options); }; });
}

}  // namespace redraft::cli
