// redraft edit: one instruction for one file, shown as it becomes final.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <utility>

#include "cli/common/command.h"
#include "cli/common/decoding_setup.h"
#include "cli/common/engine_loader.h"
#include "cli/common/files.h"
#include "cli/common/misuse_reason.h"
#include "cli/common/report.h"
#include "cli/common/text_range.h"
#include "cli/diff_printer.h"
#include "workspace/edit/edit_session.h"

namespace redraft::cli {
namespace {

struct EditOptions {
  CommonOptions common;
  InsideOptions inside;
  CodeFolders code;
  std::string file;
  std::string instruction;
  std::string language;  // of standard input
  std::string range;
  std::optional<EditScope> scope;
  std::string decoder;  // empty: by choose_decoder()
  int max_new_tokens = 0;
  Format format = Format::kDiff;
  bool write = false;
  bool compare = false;
};

constexpr std::size_t kMaxOthers = 8;  // of the parts that are left, shown

bool shows_live(const EditOptions& options) {
  return options.format == Format::kDiff && isatty(STDOUT_FILENO);
}

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  return no_colour == nullptr || *no_colour == '\0';
}

// A plain decode of the same request, as a baseline.
struct Comparison {
  EditResult plain;
  bool identical = false;
  double speedup = 0;
};

class EditCommand {
 public:
  EditCommand(const EditOptions& options, EditRequest request, Engine& engine)
      : options_(options),
        request_(std::move(request)),
        engine_(engine),
        text_(request_.document->text()) {}

  int run(const InterruptWatch& watch) {
    const Result<EditResult> result = decode(watch.token());
    if (!result) return fail(result.error());
    if (result->finish_reason == FinishReason::kCancelled) return interrupted();
    std::optional<Comparison> comparison;
    if (options_.compare) {
      Result<EditResult> plain = decode_plainly(watch.token());
      if (!plain) return fail(plain.error());
      if (plain->finish_reason == FinishReason::kCancelled) return interrupted();
      comparison = compare(*result, std::move(*plain));
    }
    print(*result, comparison);
    if (const Result<void> kept = keep(*result); !kept) return fail(kept.error());
    if (comparison && !comparison->identical && is_lossless()) {
      return fail(
          Error("the output differs from plain greedy decoding, which it never should; please "
                "report this"));
    }
    return kSuccess;
  }

 private:
  Result<EditResult> decode(std::stop_token stop) {
    std::optional<LiveDiff> live;
    live.emplace(std::cout, options_.file, text_, wants_colour());
    StatusLine status;
    status.show("reading " + options_.file);
    EditObserver observer;
    observer.on_places = [&](const ChosenPlaces& places) {
      status.clear();
      print_places(places);
    };
    if (shows_live(options_)) {
      observer.on_hunk = [&](const Hunk& hunk) {
        status.clear();
        live->add(hunk.edit);
      };
      observer.on_replaced = [&](const std::vector<Hunk>& hunks) {
        status.clear();
        live->finish();
        std::cout << "\nThat was put right. Instead:\n";
        live.emplace(std::cout, options_.file, text_, wants_colour());
        for (const Hunk& hunk : hunks) live->add(hunk.edit);
      };
    }
    observer.on_progress = [&](const EditProgress& progress) {
      status.show(percent(progress.fraction) + " · " +
                  (progress.reading() ? "reading " + options_.file : figures(progress.statistics)));
    };
    Result<EditResult> result = run_edit(engine_, request_, observer, std::move(stop));
    status.clear();
    if (shows_live(options_)) live->finish();
    return result;
  }

  Result<EditResult> decode_plainly(std::stop_token stop) {
    const Result<DecoderName> plain = parse_decoder_name("ar");
    if (!plain) return plain.error();
    EditRequest request = request_;
    request.places = places_;
    request.decoder = *plain;
    request.repairs = false;
    StatusLine status;
    status.show("decoding plainly, to compare");
    EditObserver observer;
    observer.on_progress = [&](const EditProgress& progress) {
      status.show("decoding plainly, to compare · " + figures(progress.statistics));
    };
    Result<EditResult> result = run_edit(engine_, request, observer, std::move(stop));
    status.clear();
    return result;
  }

  // What is edited and what is left, so that the user can say otherwise.
  void print_places(const ChosenPlaces& places) {
    for (const EditPlace& place : places.chosen) places_.push_back(place.range);
    if (places.whole_file) {
      places_.clear();
      return;
    }
    std::cerr << "redraft: editing " << places.chosen.size() << " of " << places.n_parts
              << " parts of " << options_.file << ":\n";
    for (const EditPlace& place : places.chosen) std::cerr << "  " << described(place) << "\n";
    const std::size_t n_others = std::min(places.others.size(), kMaxOthers);
    if (n_others > 0) std::cerr << "left as they are, the likeliest first:\n";
    for (std::size_t i = 0; i < n_others; ++i)
      std::cerr << "  " << described(places.others[i]) << "\n";
    std::cerr << std::flush;
  }

  std::string described(const EditPlace& place) const {
    const LineIndex& index = request_.document->lines();
    const int first = index.line_of(place.range.begin) + 1;
    const int last = index.line_of(place.range.end - 1) + 1;
    return "lines " + std::to_string(first) + "-" + std::to_string(last) + ": " + place.name;
  }

  static Comparison compare(const EditResult& result, EditResult plain) {
    Comparison comparison;
    comparison.identical =
        result.output == plain.output && result.finish_reason == plain.finish_reason;
    const double plain_speed = plain.statistics.tokens_per_second();
    comparison.speedup = plain_speed > 0 ? result.statistics.tokens_per_second() / plain_speed : 0;
    comparison.plain = std::move(plain);
    return comparison;
  }

  void print(const EditResult& result, const std::optional<Comparison>& comparison) const {
    if (options_.format == Format::kJson) {
      print_json(result, comparison);
    } else if (options_.format == Format::kText) {
      std::cout << result.text << std::flush;
    } else if (!shows_live(options_)) {
      std::cout << unified_diff(options_.file, text_, edits_of(result)) << std::flush;
    }
    if (result.hunks.empty()) std::cerr << "redraft: the model changed nothing\n";
    print_doubts(result);
    if (options_.format != Format::kJson) print_figures(result, comparison);
  }

  static void print_doubts(const EditResult& result) {
    if (result.repair) {
      std::cerr << "redraft: the first answer was doubtful (" << result.repair->because
                << "); the second " << (result.repair->taken ? "was taken" : "was no better")
                << "\n";
    }
    for (const std::string& note : result.tidied) std::cerr << "redraft: " << note << "\n";
    for (const Doubt& doubt : result.doubts)
      std::cerr << "redraft: look at this edit: " << doubt.reason << "\n";
  }

  static std::vector<TextEdit> edits_of(const EditResult& result) {
    std::vector<TextEdit> edits;
    for (const Hunk& hunk : result.hunks) edits.push_back(hunk.edit);
    return edits;
  }

  static void print_figures(const EditResult& result, const std::optional<Comparison>& comparison) {
    std::cerr << figures(result.statistics);
    if (comparison) {
      char line[120];
      std::snprintf(line, sizeof line,
                    " · %.1fx plain (%.1f tokens/s) · identical to plain greedy: %s",
                    comparison->speedup, comparison->plain.statistics.tokens_per_second(),
                    comparison->identical ? "yes" : "no");
      std::cerr << line;
    }
    std::cerr << std::endl;
  }

  void print_json(const EditResult& result, const std::optional<Comparison>& comparison) const {
    nlohmann::ordered_json json =
        to_json(Report{result.text, result.output, result.finish_reason, result.statistics,
                       request_.decoder.text, engine_.target_name(), engine_.device()});
    json["doubts"] = nlohmann::ordered_json::array();
    for (const Doubt& doubt : result.doubts) json["doubts"].push_back(doubt.reason);
    json["tidied"] = result.tidied;
    json["repair"] = nullptr;
    if (result.repair) {
      json["repair"] = {{"because", result.repair->because},
                        {"taken", result.repair->taken},
                        {"new_tokens", result.repair->statistics.new_tokens},
                        {"seconds", result.repair->statistics.prefill_seconds +
                                        result.repair->statistics.decode_seconds}};
    }
    if (comparison) {
      json["plain"] = {{"decode_seconds", comparison->plain.statistics.decode_seconds},
                       {"tokens_per_second", comparison->plain.statistics.tokens_per_second()},
                       {"speedup", comparison->speedup},
                       {"identical", comparison->identical}};
    }
    std::cout << dump(json) << std::endl;
  }

  // Writes the file if requested and the edit is complete.
  Result<void> keep(const EditResult& result) const {
    if (!options_.write) return {};
    if (result.finish_reason == FinishReason::kLength) {
      return Error(options_.file + ": not written: the output was cut off after " +
                   std::to_string(result.statistics.new_tokens) +
                   " tokens; raise --max-new-tokens");
    }
    if (result.text == text_) return {};
    return replace_file(options_.file, text_, result.text);
  }

  bool is_lossless() const { return request_.decoder.lossless(); }

  int interrupted() const {
    std::cerr << "redraft: interrupted" << (options_.write ? "; nothing was written" : "")
              << std::endl;
    return kInterrupted;
  }

  const EditOptions& options_;
  EditRequest request_;
  Engine& engine_;
  const std::string& text_;
  std::vector<ByteRange> places_;  // that were edited; empty: the file is small
};

bool reads_standard_input(const EditOptions& options) { return options.file == "-"; }

// What is wrong with options that the parser takes one by one.
Result<void> check_options(const EditOptions& options) {
  if (options.instruction.find_first_not_of(" \t\r\n") == std::string::npos)
    return Error("the instruction (--instruction) is missing or empty: say what to change");
  if (reads_standard_input(options) && options.write)
    return Error("--write: standard input is no file; --format text prints the new text");
  if (!reads_standard_input(options) && !options.language.empty())
    return Error("--language: a file's language is told by its name");
  return {};
}

Result<std::shared_ptr<const Document>> read_document(const EditOptions& options) {
  if (!reads_standard_input(options)) return Document::read(options.file);
  Result<std::shared_ptr<const Document>> document =
      Document::make("stdin", 0, read_standard_input(), options.language);
  return document ? document : document.error().in("standard input");
}

int run_edit_command(const EditOptions& options) {
  if (const Result<void> checked = check_options(options); !checked) return misuse(checked.error());
  const Result<DecoderName> decoder = choose_decoder(options.decoder, options.common);
  if (!decoder) return misuse(decoder.error());
  std::optional<TextRange> range;
  if (!options.range.empty()) {
    const Result<TextRange> parsed = parse_text_range(options.range);
    if (!parsed) return misuse(parsed.error());
    range = *parsed;
  } else if (options.scope == EditScope::kSelection) {
    return misuse(Error("--scope selection needs a --range"));
  } else if (options.scope == EditScope::kSymbol) {
    return misuse(Error("--scope symbol needs a --range, which may be empty: L:C-L:C"));
  }
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  if (const Result<void> checked = check(options.code); !checked) return fail(checked.error());

  EditRequest request;
  Result<std::shared_ptr<const Document>> document = read_document(options);
  if (!document) return fail(document.error());
  request.document = *document;
  request.instruction = options.instruction;
  if (range) {
    const Result<ByteRange> bytes = to_bytes(*range, **document);
    if (!bytes) return fail(bytes.error());
    request.range = *bytes;
  }
  request.scope = options.scope.value_or(default_scope(request.range));
  request.decoder = *decoder;
  request.max_new_tokens = options.max_new_tokens;

  const InterruptWatch watch;
  StatusLine status;
  DecodingSetup setup;
  if (const std::optional<int> end = set_up(options.common, options.inside, *decoder, options.code,
                                            options.file, status, watch, setup))
    return *end;
  request.repository = std::move(setup.stores.repository);
  request.common = std::move(setup.stores.common);
  return EditCommand(options, std::move(request), *setup.engine).run(watch);
}

}  // namespace

void add_edit(CLI::App& app, Command& chosen) {
  CLI::App* edit = app.add_subcommand("edit", "Change a file as an instruction says");
  const auto options = std::make_shared<EditOptions>();
  edit->add_option("FILE", options->file, "The file to edit; - for standard input")->required();
  CLI::Option* words =
      edit->add_option("INSTRUCTION", options->instruction, "What to change, in words");
  edit->add_option("-i,--instruction", options->instruction, "The same")->excludes(words);
  edit->add_option("--language", options->language,
                   "Of standard input, such as python: what a file's name would tell");
  edit->add_option("--range", options->range,
                   "L1:C1-L2:C2, from 1, columns in bytes, the end exclusive");
  const std::vector<std::pair<std::string, EditScope>> scopes = {
      {"selection", EditScope::kSelection},
      {"symbol", EditScope::kSymbol},
      {"file", EditScope::kPlaces},
      {"whole", EditScope::kFile}};
  edit->add_option(
          "--scope", options->scope,
          "What may change: symbol is the smallest definition around the range's start "
          "(default: the range if it is not empty, what is around it if it is, file without one). "
          "Of a large file, file changes the parts that the instruction concerns, which are "
          "printed; whole goes over all of it, part by part")
      ->transform(one_of(scopes));
  add_decoder_option(*edit, options->decoder);
  edit->add_option("--max-new-tokens", options->max_new_tokens,
                   "Longest output (default: by the size of the scope)")
      ->check(CLI::Range(1, 1 << 20));
  const std::vector<std::pair<std::string, Format>> formats = {
      {"diff", Format::kDiff}, {"text", Format::kText}, {"json", Format::kJson}};
  edit->add_option("--format", options->format,
                   "What is printed: the diff, the whole new text, or an object with figures")
      ->transform(one_of(formats));
  edit->add_flag("--write", options->write, "Write the new text into FILE");
  edit->add_flag("--compare", options->compare,
                 "Decode plainly too, and print how much faster this was");
  add_code_options(*edit, options->code);
  add_inside_options(*edit, options->inside);
  add_common_options(*edit, options->common);
  edit->callback([&chosen, options] { chosen = [options] { return run_edit_command(*options); }; });
}

}  // namespace redraft::cli
