// The options of the benches over task files. Each is listed once, with how it is given and whether
// it decides results.
//
// An interrupted run is continued by a command with the same settings (RunLog). The settings must
// include every option that decides results; otherwise a run could be continued with another
// measurement. They must not include the others. Every line of the list says which, and does not
// compile without it.
#include "lab/bench/bench_options.h"

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "cli/common/misuse_reason.h"
#include "cli/common/token_trace.h"
#include "decoding/model/draft_head_files.h"
#include "decoding/model/sha256.h"
#include "indexing/files/file_scan.h"
#include "support/member_count.h"

namespace redraft::cli {
namespace {

using Json = nlohmann::ordered_json;

using Options = TaskBenchOptions;

// The part of a run that options determine.
struct Run {
  const Options& options;
  const std::vector<DecoderName>& decoders;
};

// Whether an option decides results: its member of the settings, or why it has none.
template <typename ToJson>
struct Decides {
  const char* key;
  ToJson to_json;  // Result<Json>(const Run&) or Json(const Run&); null is left out
};
struct AsGiven {};
struct DecidesNothing {};
struct DecidesByWhatIsFound {};  // settings_of() writes what the machine made of it
struct ListedApart {};           // a group of options with a list of its own

constexpr Decides<AsGiven> decides(const char* key) { return {key, {}}; }
template <typename ToJson>
constexpr Decides<ToJson> decides(const char* key, ToJson to_json) {
  return {key, to_json};
}

constexpr unsigned only(TaskKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned kEveryKind = ~0U;

// How an option is given.
struct Flag {
  const char* name;
  const char* help;
  unsigned kinds = kEveryKind;  // the benches that have it
  const char* group = nullptr;
};
struct BySubcommand {};
constexpr const char* kReplay = "Replay";

constexpr auto kAnyValue = [](Option) {};
constexpr auto kRequired = [](Option option) { option.required(); };
template <typename Number>
constexpr auto between(Number least, Number most) {
  return [=](Option option) { option.check(in_range(least, most)); };
}

constexpr std::pair<const char*, PromptOrder> kOrders[] = {
    {"buffer-first", PromptOrder::kBufferFirst},
    {"instruction-first", PromptOrder::kInstructionFirst}};

Json name_of(PromptOrder order) {
  for (const auto& [name, each] : kOrders) {
    if (each == order) return name;
  }
  return {};
}

// The digest of the contents of a file or folder.
Result<Json> digest(const std::string& file) {
  std::error_code problem;
  if (std::filesystem::is_directory(file, problem)) {
    const std::filesystem::path root = file;
    const ScanReport scan = scan_roots({&root, 1}, {.dependencies = true}, {});
    return Json{{"folder", file}, {"files", scan.files}, {"bytes", scan.bytes}};
  }
  const Result<std::string> sha = sha256_of_file(file);
  if (!sha) return sha.error();
  return Json{{"file", file}, {"sha256", *sha}};
}

Result<Json> digests(const std::vector<std::string>& files) {
  Json list;
  for (const std::string& file : files) {
    const Result<Json> one = digest(file);
    if (!one) return one.error();
    list.push_back(*one);
  }
  return list;
}

Json names_of(const std::vector<DecoderName>& decoders) {
  Json names;
  for (const DecoderName& decoder : decoders) names.push_back(decoder.text);
  return names;
}

// A setting that is left out if the option has its default: it has been added since the first runs,
// whose settings do not have it.
template <typename Value>
constexpr auto decides_unless_default(const char* key, Value Options::*member) {
  return decides(key, [member](const Run& run) -> Json {
    const Value& value = run.options.*member;
    return value == Value() ? Json() : Json(value);
  });
}

// The list. Each function calls `visit(member, how it is given, whether it decides results, what
// its value may be)` for some members of TaskBenchOptions; for_each_option() for all of them.

// The tasks and decoders to run, and where the results go.
template <typename Visit>
constexpr void for_each_option_of_runs(const Visit& visit) {
  visit(&Options::kind, BySubcommand(),
        decides("bench", [](const Run& run) -> Json { return to_string(run.options.kind); }),
        kAnyValue);
  visit(&Options::replay,
        Flag{"--replay",
             "No model: count the passes of a target that writes the task's reference. Reads only "
             "the tokenizer of --target",
             kEveryKind, kReplay},
        decides("replay", [](const Run& run) -> Json { return run.options.replays(); }), kAnyValue);
  visit(&Options::data, Flag{"--data", "Task files, JSON lines"},
        decides("data", [](const Run& run) { return digests(run.options.data); }), kRequired);
  visit(&Options::replay_outputs,
        Flag{"--replay-outputs",
             "The same with the outputs of ar in the --out file of an earlier run", kEveryKind,
             kReplay},
        decides("replay_outputs",
                [](const Run& run) -> Result<Json> {
                  const std::string& file = run.options.replay_outputs;
                  if (file.empty()) return Json();
                  return digest(file);
                }),
        kAnyValue);
  visit(&Options::common_files,
        Flag{"--common",
             "Code of other projects for decoders with retrieval: folders, which are indexed, or "
             "JSON lines with `path` and `content`. A completion task's own repository is found "
             "beside it"},
        decides("common", [](const Run& run) { return digests(run.options.common_files); }),
        kAnyValue);
  visit(&Options::decoders,
        Flag{"--decoders", "Names, separated by commas; ar comes first in any case"},
        decides("decoders", [](const Run& run) { return names_of(run.decoders); }),
        [](Option option) { option.delimiter(',').show_default(); });
  visit(&Options::out,
        Flag{"--out",
             "File for all figures, as JSON. Progress is stored next to it, and the same command "
             "continues from there"},
        DecidesNothing(), kAnyValue);
  visit(&Options::step_by_step,
        Flag{"--step-by-step",
             "For programs that measure something else in between: prints lines of JSON (the "
             "settings, each step's prompt, each decode) and waits for a line on standard input "
             "before the decodes of a step"},
        DecidesNothing(), kAnyValue);
  visit(&Options::token_trace, add_token_trace_option, DecidesNothing(), kAnyValue);
  visit(&Options::common, add_common_options, ListedApart(), kAnyValue);
}

// How tasks are decoded, and how their outputs are checked.
template <typename Visit>
constexpr void for_each_option_of_decodes(const Visit& visit) {
  visit(&Options::limit, Flag{"--limit", "Tasks to run, from the first (default: all)"},
        decides("limit"), between(1, 1 << 20));
  visit(&Options::max_new_tokens,
        Flag{"--max-new-tokens", "Longest output (default: what suits the kind)"},
        decides("max_new_tokens"), between(1, 1 << 20));
  visit(&Options::context, Flag{"--context", "Longest prompt and output together, in tokens"},
        decides("context"), between(2, 1 << 24));
  visit(&Options::warm,
        Flag{"--warm",
             "The decoders of a task share its prefill: faster, and decoding alone is timed"},
        decides("warm"), kAnyValue);
  visit(&Options::forget,
        Flag{"--forget", "Decoders keep nothing from task to task (FastCoder keeps its cache)"},
        decides("forget"), kAnyValue);
  visit(&Options::margins,
        Flag{"--margins", "Count near-ties: how far the best token was above the second"},
        decides("margins"), kAnyValue);
  visit(&Options::pass_at_1,
        Flag{"--pass-at-1", "Run the tests of Python tasks over the outputs, in a sandbox",
             ~only(TaskKind::kDialogue)},
        decides("pass_at_1"), kAnyValue);
  visit(&Options::python,
        Flag{"--python", "The Python for that (default: the first on the PATH that runs there)",
             ~only(TaskKind::kDialogue)},
        decides("python"), kAnyValue);
}

// Prompts of edits and of generation.
template <typename Visit>
constexpr void for_each_option_of_prompts(const Visit& visit) {
  visit(&Options::instruction,
        Flag{"--instruction", "Which instruction, where a task has two", only(TaskKind::kEdits)},
        decides("instruction"), [](Option option) {
          option.check(any_of({"descriptive", "lazy"})).show_default();
        });
  visit(&Options::order,
        Flag{"--prompt-order", "What the prompt begins with", only(TaskKind::kEdits)},
        decides("prompt_order", [](const Run& run) { return name_of(run.options.order); }),
        [](Option option) {
          option.transform(one_of<PromptOrder>({std::begin(kOrders), std::end(kOrders)}));
        });
  visit(&Options::chat,
        Flag{"--chat", "Ask in the model's chat format; otherwise the prompt is continued",
             only(TaskKind::kGeneration)},
        decides("chat"), kAnyValue);
}

template <typename Visit>
constexpr void for_each_option_of_completions(const Visit& visit) {
  visit(&Options::left_only,
        Flag{"--left-only", "Continue what stands before the place; what follows it is not shown",
             only(TaskKind::kCompletion)},
        decides("left_only"), kAnyValue);
  visit(&Options::snippet_tokens,
        Flag{"--snippets", "Show the model up to so many tokens from other files of the repository",
             only(TaskKind::kCompletion)},
        decides("snippets"), between(0, 1 << 16));
  visit(&Options::rag,
        Flag{"--rag",
             "How other files are found for that (2048 tokens without --snippets): repocoder is "
             "RepoCoder's, again with what the model wrote after a first prompt",
             only(TaskKind::kCompletion)},
        decides_unless_default("rag", &Options::rag),
        [](Option option) { option.check(any_of({"repocoder"})); });
  visit(&Options::as_server,
        Flag{"--as-server",
             "As `redraft lsp` answers while the user types: its window of the file, its snippets, "
             "its sources of drafts, and one block or line",
             only(TaskKind::kCompletion)},
        decides_unless_default("as_server", &Options::as_server), kAnyValue);
  visit(&Options::context_tokens,
        Flag{"--context-tokens",
             "With --as-server: the setting completion.contextTokens (default: by the size of "
             "prompts)",
             only(TaskKind::kCompletion)},
        decides_unless_default("context_tokens", &Options::context_tokens), between(0, 8192));
}

template <typename Visit>
constexpr void for_each_option_of_dialogues(const Visit& visit) {
  visit(&Options::mtbench_turn2,
        Flag{"--mtbench-turn2", "Ask MT-Bench's own second turn, of tasks that have it",
             only(TaskKind::kDialogue)},
        decides_unless_default("mtbench_turn2", &Options::mtbench_turn2), kAnyValue);
}

template <typename Visit>
constexpr void for_each_option_of_replays(const Visit& visit) {
  visit(&Options::replay_draft,
        Flag{"--replay-draft", "A draft model that is right at this percentage of positions",
             kEveryKind, kReplay},
        decides("replay_draft"), between(0, 100));
  visit(
      &Options::draft_cost,
      Flag{"--draft-cost", "Time of that draft model, as a share of the target's for the same rows",
           kEveryKind, kReplay},
      decides("draft_cost"),
      [](Option option) { option.check(in_range(0.0, 100.0)).show_default(); });
  visit(
      &Options::replay_on_device,
      Flag{
          "--replay-on-device",
          "As on a GPU: drafts are made during a pass; us/pass is the time that this does not hide",
          kEveryKind, kReplay},
      decides("replay_on_device"), kAnyValue);
  visit(&Options::curve,
        Flag{"--curve",
             "What a pass costs: ROWS:COST,… in plain passes, or `machine` for what `redraft bench "
             "cost` measured here (default: a CPU's)",
             kEveryKind, kReplay},
        decides("curve", [](const Run& run) -> Json { return run.options.curve.value_or(""); }),
        kAnyValue);
}

// All options, in the order in which settings are written; they are compared as text.
template <typename Visit>
constexpr void for_each_option(const Visit& visit) {
  for_each_option_of_runs(visit);
  for_each_option_of_decodes(visit);
  for_each_option_of_prompts(visit);
  for_each_option_of_completions(visit);
  for_each_option_of_dialogues(visit);
  for_each_option_of_replays(visit);
}

// The members of CommonOptions, which add_common_options() adds.
template <typename Visit>
constexpr void for_each_common_option(const Visit& visit) {
  visit(&CommonOptions::target, decides("target"));
  visit(&CommonOptions::draft, decides("draft"));
  visit(&CommonOptions::head, decides("head", [](const Run& run) -> Result<Json> {
    const std::filesystem::path folder = run.options.common.head;
    if (folder.empty()) return Json();
    return digest((folder / DraftHeadFiles::kWeightsName).string());
  }));
  visit(&CommonOptions::device,
        decides("device", [](const Run& run) -> Json { return run.options.common.device.text(); }));
  visit(&CommonOptions::threads, DecidesByWhatIsFound());
  visit(&CommonOptions::kernels, DecidesByWhatIsFound());
  visit(&CommonOptions::log_level, DecidesNothing());
  // No measurement uses these.
  visit(&CommonOptions::remote, DecidesNothing());
  visit(&CommonOptions::remote_model, DecidesNothing());
  visit(&CommonOptions::has_target, DecidesNothing());
  visit(&CommonOptions::completion_model, DecidesNothing());
  visit(&CommonOptions::next_edit_model, DecidesNothing());
}

constexpr std::size_t n_options() {
  std::size_t count = 0;
  for_each_option([&](auto, const auto&, const auto&, const auto&) { ++count; });
  return count;
}
constexpr std::size_t n_common_options() {
  std::size_t count = 0;
  for_each_common_option([&](auto, const auto&) { ++count; });
  return count;
}
static_assert(n_options() == kMemberCount<Options>, "an option is missing in the list");
static_assert(n_common_options() == kMemberCount<CommonOptions>,
              "a common option is missing in the list");

template <typename Value>
Option add(CommandLine bench, const Flag& flag, Value& value) {
  const Option option = [&] {
    if constexpr (std::is_same_v<Value, bool>) {
      return bench.add_flag(flag.name, value, flag.help);
    } else {
      return bench.add_option(flag.name, value, flag.help);
    }
  }();
  if (flag.group) option.group(flag.group);
  return option;
}

// Writes settings, and keeps the first problem.
class SettingsWriter {
 public:
  explicit SettingsWriter(const Run& run) : run_(run) {}

  template <typename Value>
  void write(const Value& value, const Decides<AsGiven>& decision) {
    settings_[decision.key] = value;
  }
  template <typename Value, typename ToJson>
  void write(const Value&, const Decides<ToJson>& decision) {
    if (problem_) return;
    const Result<Json> json = decision.to_json(run_);
    if (!json) {
      problem_ = json.error();
    } else if (!json->is_null()) {
      settings_[decision.key] = *json;
    }
  }
  void write(const CommonOptions& common, ListedApart) {
    for_each_common_option(
        [&](auto member, const auto& decision) { write(common.*member, decision); });
  }
  template <typename Value>
  void write(const Value&, DecidesNothing) {}
  template <typename Value>
  void write(const Value&, DecidesByWhatIsFound) {}

  Result<Json> take() {
    if (problem_) return *problem_;
    return std::move(settings_);
  }

 private:
  const Run& run_;
  Json settings_;
  std::optional<Error> problem_;
};

void add_kind(CommandLine bench, Command& chosen, TaskKind kind, const std::string& what) {
  const CommandLine command = bench.add_subcommand(to_string(kind), what);
  const auto options = std::make_shared<TaskBenchOptions>();
  options->kind = kind;
  add_options(command, *options);
  command.callback([&chosen, options] { chosen = [options] { return run_task_bench(*options); }; });
}

}  // namespace

void add_options(CommandLine bench, TaskBenchOptions& options) {
  for_each_option([&](auto member, const auto& how, const auto&, const auto& limit) {
    using How = std::remove_cvref_t<decltype(how)>;
    if constexpr (std::is_same_v<How, Flag>) {
      if ((how.kinds & only(options.kind)) != 0) limit(add(bench, how, options.*member));
    } else if constexpr (!std::is_same_v<How, BySubcommand>) {
      how(bench, options.*member);
    }
  });
  bench.option("--step-by-step").excludes(bench.option("--out"));
}

Result<nlohmann::ordered_json> option_settings(const TaskBenchOptions& options,
                                               const std::vector<DecoderName>& decoders) {
  const Run run{options, decoders};
  SettingsWriter writer(run);
  for_each_option([&](auto member, const auto&, const auto& decision, const auto&) {
    writer.write(options.*member, decision);
  });
  return writer.take();
}

void add_task_benches(CommandLine bench, Command& chosen) {
  add_kind(bench, chosen, TaskKind::kEdits, "Decoders on edits of files");
  add_kind(bench, chosen, TaskKind::kDialogue, "Decoders on conversations of several turns");
  add_kind(bench, chosen, TaskKind::kGeneration, "Decoders on functions to be written");
  add_kind(bench, chosen, TaskKind::kCompletion, "Decoders on places in files to be filled in");
}

}  // namespace redraft::cli
