#include "bench/papers/paper_table.h"

#include <algorithm>
#include <iterator>

namespace redraft {
namespace {

// EfficientEdit, section IV.E: no length is named; its longest outputs have 1,024 tokens (section
// I). FastCoder, section V.D: 512. CopySpec, section 4.1: 1,024.
constexpr int kEditTokens = 1024;
constexpr int kFastCoderTokens = 512;
constexpr int kCopySpecTokens = 1024;

std::vector<PaperRun> all_runs() {
  using enum TaskKind;
  return {
      {.id = "canitedit-lazy",
       .kind = kEdits,
       .files = {"edit/canitedit.jsonl"},
       .max_new_tokens = kEditTokens,
       .instruction = "lazy",
       .pass_at_1 = true},
      {.id = "canitedit-descriptive",
       .kind = kEdits,
       .files = {"edit/canitedit.jsonl"},
       .max_new_tokens = kEditTokens,
       .pass_at_1 = true},
      {.id = "codeif-l1",
       .kind = kEdits,
       .files = {"edit/codeif_l1.jsonl"},
       .max_new_tokens = kEditTokens,
       .pass_at_1 = true,
       .converter = "bench/paper_data.py codeif"},
      {.id = "codeif-l2",
       .kind = kEdits,
       .files = {"edit/codeif_l2.jsonl"},
       .max_new_tokens = kEditTokens,
       .pass_at_1 = true,
       .converter = "bench/paper_data.py codeif"},
      {.id = "deveval",
       .kind = kCompletion,
       .files = {"completion/deveval_function.jsonl"},
       .max_new_tokens = kFastCoderTokens,
       .left_only = true,
       .common = true},
      {.id = "repoeval",
       .kind = kCompletion,
       .files = {"completion/repoeval_function.jsonl"},
       .max_new_tokens = kFastCoderTokens,
       .left_only = true,
       .common = true},
      {.id = "humaneval",
       .kind = kGeneration,
       .files = {"generation/humaneval.jsonl"},
       .max_new_tokens = kFastCoderTokens,
       .pass_at_1 = true,
       .common = true},
      {.id = "humaneval-chat",
       .kind = kGeneration,
       .files = {"generation/humaneval.jsonl"},
       .max_new_tokens = kCopySpecTokens,
       .chat = true,
       .pass_at_1 = true},
      {.id = "mt-redundant",
       .kind = kDialogue,
       .files = {"dialogue/mt_redundant.jsonl"},
       .max_new_tokens = kCopySpecTokens},
      {.id = "mt-bench",
       .kind = kDialogue,
       .files = {"dialogue/mt_redundant.jsonl"},
       .max_new_tokens = kCopySpecTokens,
       .mtbench_turn2 = true},
      {.id = "gsm8k",
       .kind = kDialogue,
       .files = {"dialogue/gsm8k.jsonl"},
       .max_new_tokens = kCopySpecTokens,
       .converter = "bench/paper_data.py gsm8k"},
      {.id = "cnn-dm",
       .kind = kDialogue,
       .files = {"dialogue/cnn_dm.jsonl"},
       .max_new_tokens = kCopySpecTokens,
       .converter = "bench/paper_data.py cnn-dm"},
  };
}

}  // namespace

const char* to_string(PaperMetric metric) {
  switch (metric) {
    case PaperMetric::kTokensPerSecond:
      return "tokens/s";
    case PaperMetric::kMsPerToken:
      return "ms/token";
    case PaperMetric::kSecondsPerTask:
      return "s/task";
    case PaperMetric::kSpeedup:
      return "speed-up";
    case PaperMetric::kPassAt1:
      return "pass@1";
    case PaperMetric::kEditSimilarity:
      return "ES";
    case PaperMetric::kCopied:
      return "copied";
    case PaperMetric::kTau1:
      return "tau1";
    case PaperMetric::kTau2:
      return "tau2";
    case PaperMetric::kTokensPerForward:
      return "tokens/forward";
    case PaperMetric::kCopyAttempts:
      return "attempts";
    case PaperMetric::kCacheHits:
      return "from CACHE";
    case PaperMetric::kSkipped:
      return "left out";
    case PaperMetric::kCacheMs:
      return "ms in CACHE";
    case PaperMetric::kSearchMs:
      break;
  }
  return "ms in datastores";
}

std::span<const PaperTable> paper_tables() {
  static const std::vector<PaperTable> kTables = [] {
    std::vector<PaperTable> all = efficientedit_tables();
    std::ranges::move(fastcoder_tables(), std::back_inserter(all));
    std::ranges::move(copyspec_tables(), std::back_inserter(all));
    return all;
  }();
  return kTables;
}

std::span<const LeftOutTable> left_out_tables() {
  static const std::vector<LeftOutTable> kLeftOut = {
      {"efficientedit-f4", "one example, told step by step",
       "no figures; `redraft bench edits --trace-tokens` tells any task so"},
      {"efficientedit-4", "seconds an edit beside CoEdPilot",
       "needs CoEdPilot's encoder-decoder models, which redraft does not run"},
      {"efficientedit-5", "FastApply",
       "a plan by the target that a second model applies is two requests, not a decoder; "
       "bench/fast_apply_bench.py measures it"},
      {"fastcoder-f1", "where the time of one example goes",
       "one example; `redraft bench completion --trace-file` shows it for any task"},
      {"fastcoder-f3", "where in a line retrieval finds something, and blanks stand",
       "heat maps without numbers; also of figure 6a"},
      {"fastcoder-3", "FastCoder with RepoCoder and RLCoder",
       "RLCoder's trained retriever is not here; `redraft bench completion --rag repocoder` has "
       "RepoCoder's"},
      {"fastcoder-5", "memory and processor time",
       "of whole processes with models on a GPU; docs/lab/performance.md has redraft's own"},
      {"fastcoder-f6b", "speed-up by the topic of a repository",
       "a figure without numbers; --out of `deveval` has each repository's"},
      {"copyspec-f5", "cosine similarity of contexts of gamma tokens",
       "an analysis of hidden states, not of decoding"},
  };
  return kLeftOut;
}

const PaperTable* find_paper_table(const std::string& id) {
  const auto table = std::ranges::find(paper_tables(), id, &PaperTable::id);
  return table == paper_tables().end() ? nullptr : &*table;
}

std::span<const PaperRun> paper_runs() {
  static const std::vector<PaperRun> kRuns = all_runs();
  return kRuns;
}

const PaperRun* find_paper_run(const std::string& id) {
  const auto run = std::ranges::find(paper_runs(), id, &PaperRun::id);
  return run == paper_runs().end() ? nullptr : &*run;
}

CellOf cell_of(const PaperRow& row, const PaperColumn& column) {
  const auto either = [](const std::string& first, const std::string& second) {
    return first.empty() ? second : first;
  };
  return {.run = either(row.of.run, column.of.run),
          .decoder = either(row.of.decoder, column.of.decoder),
          .category = either(row.of.category, column.of.category),
          .turn = row.of.turn > 0 ? row.of.turn : column.of.turn};
}

std::vector<NeededRun> needed_runs(const PaperTable& table) {
  std::vector<NeededRun> needed;
  for (const PaperBlock& block : table.blocks) {
    for (const PaperRow& row : block.rows) {
      if (!row.absent.empty()) continue;
      for (const PaperColumn& column : block.columns) {
        const CellOf cell = cell_of(row, column);
        auto at = std::ranges::find_if(
            needed, [&](const NeededRun& each) { return each.run->id == cell.run; });
        if (at == needed.end()) at = needed.insert(needed.end(), {find_paper_run(cell.run), {}});
        if (std::ranges::find(at->decoders, cell.decoder) == at->decoders.end())
          at->decoders.push_back(cell.decoder);
      }
    }
  }
  return needed;
}

}  // namespace redraft
