#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/record.h"
#include "bench/task.h"
#include "cli/common/command.h"
#include "workspace/edit/prompt.h"

namespace redraft::cli {

// The options of `redraft bench edits|dialogue|generation|completion`.
struct TaskBenchOptions {
  CommonOptions common;
  TaskKind kind = TaskKind::kEdits;
  std::vector<std::string> data;
  std::vector<std::string> decoders = {"ar", "efficientedit:reuse-only", "redraft"};
  int limit = 0;
  std::vector<std::string> common_files;
  std::string out;
  int max_new_tokens = 0;
  int context = 0;  // 0: the default; in a replay, as much as is needed
  bool warm = false;
  bool forget = false;
  bool margins = false;
  bool pass_at_1 = false;
  std::string python;  // the interpreter for tests; empty: one on the PATH
  bool replay = false;
  std::string replay_outputs;
  int replay_draft = -1;  // percent of agreement; -1: no draft model
  double draft_cost = 0.4;
  bool replay_on_device = false;
  std::optional<std::string> curve;
  std::string instruction = "descriptive";
  PromptOrder order = PromptOrder::kBufferFirst;
  bool chat = false;
  bool left_only = false;
  int snippet_tokens = 0;
  std::string rag;  // empty: snippets as the server finds them
  bool as_server = false;
  int context_tokens = 0;
  bool mtbench_turn2 = false;
  bool step_by_step = false;
  std::string token_trace;  // file; empty: none

  bool replays() const { return replay || !replay_outputs.empty(); }
};

void add_task_benches(CommandLine bench, Command& chosen);
// Decodes of an earlier run of the same settings with other decoders: they are not run again.
using EarlierDecodes = std::map<RecordKey, TaskRecord>;
// With `earlier`, runs may add decoders to a file one after the other: this also runs the decoders
// of an interrupted run, and the settings in the log do not include decoders. Without it (null), a
// run with other decoders is another run.
int run_task_bench(const TaskBenchOptions& options, const EarlierDecodes* earlier = nullptr);

void add_papers_bench(CommandLine bench, Command& chosen);
void add_quality_bench(CommandLine bench, Command& chosen);
void add_places_bench(CommandLine bench, Command& chosen);
void add_doubts_bench(CommandLine bench, Command& chosen);
void add_skips_bench(CommandLine bench, Command& chosen);

}  // namespace redraft::cli
