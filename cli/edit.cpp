// redraft edit and redraft apply: one instruction or change for one file. The terminal shows hunks
// as they become final.
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
#include "cli/common/prompt_size_store.h"
#include "cli/common/report.h"
#include "cli/common/text_range.h"
#include "cli/diff_printer.h"
#include "cli/edit_output.h"
#include "cli/edit_request.h"
#include "cli/mismatches.h"
#include "workspace/edit/applied_change.h"
#include "workspace/edit/edit_decision.h"
#include "workspace/edit/run_edit.h"

namespace redraft::cli {
namespace {

struct EditOptions {
  CommonOptions common;
  InsideOptions inside;
  CodeFolders code;
  EditOutput output;
  std::string instruction;
  std::optional<std::string> change;  // of `apply`: its file's name, or - for standard input
  std::string language;               // of standard input
  std::string range;
  std::optional<EditScope> scope;
  std::string decoder;  // empty: choose_decoder() chooses
  int max_new_tokens = 0;
  std::optional<PromptSize> prompt_size = kDefaultPromptSize;
  bool compare = false;
  bool names_model = false;  // EditArguments::names_model
};

// How many of the parts that stay as they are the terminal shows.
constexpr std::size_t kMaxOthers = 8;

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  return no_colour == nullptr || *no_colour == '\0';
}

// An edit that needs the model.
class EditCommand {
 public:
  EditCommand(const EditOptions& options, const EditRequest& request, const ModelTask& task,
              Engine& engine)
      : options_(options),
        request_(request),
        task_(task),
        engine_(engine),
        text_(request_.document->text()) {}

  int run(const InterruptWatch& watch) {
    const Result<EditResult> result = decode(watch.token());
    if (!result) return fail(result.error());
    if (result->finish_reason == FinishReason::kCancelled) return interrupted(options_.output);
    std::optional<Comparison> comparison;
    if (options_.compare) {
      Result<EditResult> plain = decode_plainly(watch.token());
      if (!plain) return fail(plain.error());
      if (plain->finish_reason == FinishReason::kCancelled) return interrupted(options_.output);
      comparison = compare(*result, std::move(*plain));
    }
    const int code = deliver(
        options_.output, *request_.document, *result,
        Decoded{request_.decoder.text, engine_.target_name(), engine_.device(), task_.mismatches},
        comparison);
    if (code == kFailure) return code;
    if (comparison && !comparison->identical && is_lossless()) {
      return fail(
          Error("the output differs from plain greedy decoding, which it never should; please "
                "report this"));
    }
    return code;
  }

 private:
  Result<EditResult> decode(const std::stop_token& stop) {
    std::optional<LiveDiff> live;
    live.emplace(std::cout, options_.output.file, text_, wants_colour());
    StatusLine status;
    status.show("reading " + options_.output.file);
    EditObserver observer;
    observer.on_places = [&](const ChosenPlaces& places) {
      status.clear();
      print_places(places);
    };
    if (options_.output.shows_live()) {
      observer.on_hunk = [&](const Hunk& hunk) {
        status.clear();
        live->add(hunk.edit);
      };
      observer.on_replaced = [&](const std::vector<Hunk>& hunks) {
        status.clear();
        live->finish();
        std::cout << "\nredraft corrected that. The result is:\n";
        live.emplace(std::cout, options_.output.file, text_, wants_colour());
        for (const Hunk& hunk : hunks) live->add(hunk.edit);
      };
    }
    observer.on_progress = [&](const EditProgress& progress) {
      status.show(
          percent(progress.fraction) + " · " + (progress.thinking ? "thinking · " : "") +
          (progress.reading() ? "reading " + options_.output.file : figures(progress.statistics)));
    };
    Result<EditResult> result = run_task(engine_, request_, task_, observer, stop);
    status.clear();
    if (options_.output.shows_live()) live->finish();
    return result;
  }

  Result<EditResult> decode_plainly(const std::stop_token& stop) {
    const Result<DecoderName> plain = parse_decoder_name("ar");
    if (!plain) return plain.error();
    EditRequest request = request_;
    request.decoder = *plain;
    request.repairs = false;
    ModelTask task = task_;
    task.places = places_;
    StatusLine status;
    status.show("decoding plainly, to compare");
    EditObserver observer;
    observer.on_progress = [&](const EditProgress& progress) {
      status.show("decoding plainly, to compare · " + figures(progress.statistics));
    };
    Result<EditResult> result = run_task(engine_, request, task, observer, stop);
    status.clear();
    return result;
  }

  // Shows which parts are edited and which are not, so that the user can choose others.
  void print_places(const ChosenPlaces& places) {
    for (const EditPlace& place : places.chosen) places_.push_back(place.range);
    if (places.whole_file) {
      places_.clear();
      return;
    }
    std::cerr << "redraft: editing " << places.chosen.size() << " of " << places.n_parts
              << " parts of " << options_.output.file << ":\n";
    for (const EditPlace& place : places.chosen) std::cerr << "  " << described(place) << "\n";
    const std::size_t n_others = std::min(places.others.size(), kMaxOthers);
    if (n_others > 0) std::cerr << "not edited, the most likely first:\n";
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

  bool is_lossless() const { return request_.decoder.lossless(); }

  const EditOptions& options_;
  const EditRequest& request_;
  const ModelTask& task_;
  Engine& engine_;
  const std::string& text_;
  std::vector<ByteRange> places_;  // that were edited; empty: there was no choice
};

// Checks combinations of options, which the parser does not.
Result<void> check_options(const EditOptions& options) {
  const bool is_blank = options.instruction.find_first_not_of(" \t\r\n") == std::string::npos;
  if (is_blank && !options.change)
    return Error("the instruction (--instruction) is missing or empty: say what to change");
  if (options.change == "") return Error("--change is empty: name a file, or - for standard input");
  if (options.change == "-" && options.output.reads_standard_input())
    return Error("--change -: standard input is the file already");
  if (Result<void> checked = options.output.check(); !checked) return checked;
  if (!options.output.reads_standard_input() && !options.language.empty())
    return Error("--language: a file's language is told by its name");
  return {};
}

Result<std::string> read_change(const std::string& name) {
  if (name != "-") return read_file(name);
  if (isatty(STDIN_FILENO) != 0)
    std::cerr << "redraft: paste the change, and end it with Ctrl-D on a line of its own"
              << std::endl;
  return read_standard_input();
}

Result<EditRequest> read_request(const EditOptions& options, const DecoderName& decoder,
                                 const std::optional<TextRange>& range) {
  EditArguments arguments{.instruction = options.instruction,
                          .range = range,
                          .scope = options.scope,
                          .decoder = decoder,
                          .names_model = options.names_model,
                          .max_new_tokens = options.max_new_tokens,
                          .prompt_size = options.prompt_size};
  Result<std::shared_ptr<const Document>> document = options.output.read(options.language);
  if (!document) return document.error();
  if (options.change) {
    Result<std::string> change = read_change(*options.change);
    if (!change) return change.error();
    arguments.change = *std::move(change);
  }
  return edit_request(arguments, *std::move(document));
}

// A change of which nothing in the file is like a part, or an instruction that nobody can carry
// out.
int not_placed(const EditOptions& options, const EditRequest& request, const Error& error) {
  if (options.change) {
    const Result<AppliedChange> applied = apply_change(request);
    if (applied && !applied->mismatches.empty()) {
      print_mismatches(applied->mismatches);
      if (options.output.format == Format::kJson) print_unplaced_json(applied->mismatches);
    }
  }
  return fail(error);
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

  Result<EditRequest> request = read_request(options, *decoder, range);
  if (!request) return fail(request.error());
  const Result<FirstDecision> decision = decide_without_model(*request);
  if (!decision) return not_placed(options, *request, decision.error());
  if (const std::optional<EditResult> done = carry_out_without_model(*request, *decision))
    return deliver(options.output, *request->document, *done, std::nullopt, std::nullopt);
  const auto& task = std::get<ModelTask>(*decision);
  if (!task.change_doubt.empty()) {
    print_mismatches(task.mismatches);
    std::cerr << "redraft: the model decides where the change belongs: " << task.change_doubt
              << std::endl;
  }

  const InterruptWatch watch;
  StatusLine status;
  DecodingSetup setup;
  if (const std::optional<int> end = set_up(options.common, options.inside, *decoder, options.code,
                                            options.output.file, status, watch, setup)) {
    if (!task.mismatches.empty() && options.output.format == Format::kJson)
      print_unplaced_json(task.mismatches);
    return *end;
  }
  request->repository = std::move(setup.stores.repository);
  request->common = std::move(setup.stores.common);
  return EditCommand(options, *request, task, *setup.engine).run(watch);
}

// Adds the options that edit and apply share.
void add_decoding(CommandLine command, EditOptions& options) {
  command.add_option("--range", options.range,
                     "L1:C1-L2:C2, from 1, columns in bytes, the end exclusive");
  add_decoder_option(command, options.decoder);
  command
      .add_option("--max-new-tokens", options.max_new_tokens,
                  "Longest output (default: by the size of the scope)")
      .check(in_range(1, 1 << 20));
  add_prompt_size_option(command, options.prompt_size);
  command.add_flag("--compare", options.compare,
                   "Decode plainly too, and print how much faster this was");
  add_code_options(command, options.code);
  add_inside_options(command, options.inside);
  add_common_options(command, options.common);
  add_remote_options(command, options.common);
}

}  // namespace

void add_edit(CommandLine app, Command& chosen) {
  const CommandLine edit = app.add_subcommand("edit", "Change a file as an instruction says");
  const auto options = std::make_shared<EditOptions>();
  add_edit_output(edit, options->output, options->language);
  const Option words =
      edit.add_option("INSTRUCTION", options->instruction, "What to change, in words");
  edit.add_option("-i,--instruction", options->instruction, "The same").excludes(words);
  const std::vector<std::pair<std::string, EditScope>> scopes = {
      {"selection", EditScope::kSelection},
      {"symbol", EditScope::kSymbol},
      {"file", EditScope::kPlaces},
      {"whole", EditScope::kFile}};
  edit.add_option(
          "--scope", options->scope,
          "What may change: symbol is the smallest definition around the range's start "
          "(default: the range if it is not empty, what is around it if it is, file without one). "
          "Of a large file, file changes the parts that the instruction concerns, which are "
          "printed; whole goes over all of it, part by part")
      .transform(one_of(scopes));
  add_decoding(edit, *options);
  edit.callback([&chosen, options, edit] {
    for (const char* name : {"--target", "--draft", "--head", "--decoder", "--compare"})
      options->names_model = options->names_model || edit.is_given(name);
    chosen = [options] { return run_edit_command(*options); };
  });
}

void add_apply(CommandLine app, Command& chosen) {
  const CommandLine apply = app.add_subcommand(
      "apply", "Put code that another assistant wrote where it belongs in a file");
  const auto options = std::make_shared<EditOptions>();
  add_edit_output(apply, options->output, options->language);
  apply
      .add_option("--change", options->change,
                  "The file with it, - for standard input: a diff, SEARCH and REPLACE blocks, or "
                  "code, with prose around it or without; \"...\" stands for lines that stay")
      .required();
  add_decoding(apply, *options);
  apply.callback([&chosen, options] { chosen = [options] { return run_edit_command(*options); }; });
}

}  // namespace redraft::cli
