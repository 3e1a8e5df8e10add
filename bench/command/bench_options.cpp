// The options of the benches over task files.
#include <map>
#include <memory>

#include "bench/command/bench_tasks.h"
#include "cli/common/token_trace.h"

namespace redraft::cli {
namespace {

void add_shared_options(CLI::App& bench, TaskBenchOptions& options) {
  bench.add_option("--data", options.data, "Task files, JSON lines")->required();
  bench
      .add_option("--decoders", options.decoders,
                  "Names, separated by commas; ar comes first in any case")
      ->delimiter(',')
      ->capture_default_str();
  bench.add_option("--limit", options.limit, "Tasks to run, from the first (default: all)")
      ->check(CLI::Range(1, 1 << 20));
  CLI::Option* out =
      bench.add_option("--out", options.out,
                       "File for all figures, as JSON. Progress is stored next to it, and "
                       "the same command continues from there");
  bench
      .add_flag("--step-by-step", options.step_by_step,
                "For programs that measure something else in between: prints lines of JSON (the "
                "settings, each step's prompt, each decode) and waits for a line on standard input "
                "before the decodes of a step")
      ->excludes(out);
  bench
      .add_option("--max-new-tokens", options.max_new_tokens,
                  "Longest output (default: what suits the kind)")
      ->check(CLI::Range(1, 1 << 20));
  bench.add_option("--context", options.context, "Longest prompt and output together, in tokens")
      ->check(CLI::Range(2, 1 << 24));
  bench.add_flag("--warm", options.warm,
                 "The decoders of a task share its prefill: faster, and decoding alone is timed");
  bench.add_option("--common", options.common_files,
                   "Code of other projects for decoders with retrieval: folders, which are "
                   "indexed, or JSON lines with `path` and `content`. A completion task's own "
                   "repository is found beside it");
  bench.add_flag("--forget", options.forget,
                 "Decoders keep nothing from task to task (FastCoder keeps its cache)");
  add_token_trace_option(bench, options.token_trace);
  bench.add_flag("--margins", options.margins,
                 "Count near-ties: how far the best token was above the second");
}

void add_test_options(CLI::App& bench, TaskBenchOptions& options) {
  bench.add_flag("--pass-at-1", options.pass_at_1,
                 "Run the tests of Python tasks over the outputs, in a sandbox");
  bench.add_option("--python", options.python,
                   "The Python for that (default: the first on the PATH that runs there)");
}

void add_replay_options(CLI::App& bench, TaskBenchOptions& options) {
  const std::string group = "Replay";
  bench
      .add_flag("--replay", options.replay,
                "No model: count the passes of a target that writes the task's reference. Reads "
                "only the tokenizer of --target")
      ->group(group);
  bench
      .add_option("--replay-outputs", options.replay_outputs,
                  "The same with the outputs of ar in the --out file of an earlier run")
      ->group(group);
  bench
      .add_option("--replay-draft", options.replay_draft,
                  "A draft model that is right at this percentage of positions")
      ->check(CLI::Range(0, 100))
      ->group(group);
  bench
      .add_flag(
          "--replay-on-device", options.replay_on_device,
          "As on a GPU: drafts are made during a pass; us/pass is the time that this does not hide")
      ->group(group);
  bench
      .add_option("--draft-cost", options.draft_cost,
                  "Time of that draft model, as a share of the target's for the same rows")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str()
      ->group(group);
  bench
      .add_option("--curve", options.curve,
                  "What a pass costs: ROWS:COST,… in plain passes, or `machine` for what `redraft "
                  "bench cost` measured here (default: a CPU's)")
      ->group(group);
}

void add_kind(CLI::App& bench, Command& chosen, TaskKind kind, const std::string& what) {
  CLI::App* command = bench.add_subcommand(to_string(kind), what);
  const auto options = std::make_shared<TaskBenchOptions>();
  options->kind = kind;
  add_shared_options(*command, *options);
  if (kind == TaskKind::kEdits) {
    command
        ->add_option("--instruction", options->instruction,
                     "Which instruction, where a task has two")
        ->check(CLI::IsMember({"descriptive", "lazy"}))
        ->capture_default_str();
    const std::map<std::string, PromptOrder> orders = {
        {"buffer-first", PromptOrder::kBufferFirst},
        {"instruction-first", PromptOrder::kInstructionFirst}};
    command->add_option("--prompt-order", options->order, "What the prompt begins with")
        ->transform(
            CLI::CheckedTransformer(orders).description("buffer-first or instruction-first"));
  }
  if (kind == TaskKind::kGeneration) {
    command->add_flag("--chat", options->chat,
                      "Ask in the model's chat format; otherwise the prompt is continued");
  }
  if (kind == TaskKind::kCompletion) {
    command->add_flag("--left-only", options->left_only,
                      "Continue what stands before the place; what follows it is not shown");
    command
        ->add_option("--snippets", options->snippet_tokens,
                     "Show the model up to so many tokens from other files of the repository")
        ->check(CLI::Range(0, 1 << 16));
  }
  if (kind != TaskKind::kDialogue) add_test_options(*command, *options);
  add_replay_options(*command, *options);
  add_common_options(*command, options->common);
  command->callback(
      [&chosen, options] { chosen = [options] { return run_task_bench(*options); }; });
}

}  // namespace

void add_task_benches(CLI::App& bench, Command& chosen) {
  add_kind(bench, chosen, TaskKind::kEdits, "Decoders on edits of files");
  add_kind(bench, chosen, TaskKind::kDialogue, "Decoders on conversations of several turns");
  add_kind(bench, chosen, TaskKind::kGeneration, "Decoders on functions to be written");
  add_kind(bench, chosen, TaskKind::kCompletion, "Decoders on places in files to be filled in");
}

}  // namespace redraft::cli
