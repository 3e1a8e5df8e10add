// The papers' tables as data
//
// A table of a paper consists of runs of the task bench and a layout: rows, columns, and the
// paper's value of each cell. Runs are named separately from tables, because several tables need
// the same run: its results are a file of that name, to which a table adds the decoders that it
// lacks.
//
// Numbers are the papers'; labels are ours. A row that cannot be measured here stays, with the
// reason.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "bench/task.h"

namespace redraft {

enum class PaperMetric {
  kTokensPerSecond,
  kMsPerToken,
  kSecondsPerTask,
  kSpeedup,  // tokens a second, as a multiple of plain decoding's
  kPassAt1,  // percent
  kEditSimilarity,
  kCopied,  // percent of the output
  kTau1,
  kTau2,
  kTokensPerForward,  // FastCoder's average acceptance length
  kCopyAttempts,
  kCacheHits,  // percent of the look-ups, of CACHE or the datastores, that CACHE answered
  kSkipped,    // percent of the searches that were left out
  kCacheMs,    // milliseconds a look-up in CACHE
  kSearchMs,   // and one in the datastores
};
inline constexpr int kPaperMetrics = static_cast<int>(PaperMetric::kSearchMs) + 1;
const char* to_string(PaperMetric metric);

// One run of `redraft bench KIND`, without its decoders.
struct PaperRun {
  std::string id;  // names the file of its results
  TaskKind kind = TaskKind::kEdits;
  std::vector<std::string> files;  // below the folder of all data
  int max_new_tokens = 0;          // 0: what suits the kind
  std::string instruction = "descriptive";
  bool chat = false;
  bool left_only = false;
  bool mtbench_turn2 = false;
  bool pass_at_1 = false;
  bool common = false;  // decoders search code of other projects
  // How to make the files from the user's own copy of the data; empty: they are public tasks.
  std::string converter = {};
};

// Which decode a cell belongs to. Row and column each determine a part of it.
struct CellOf {
  std::string run = {};
  std::string decoder = {};
  std::string category = {};
  int turn = 0;  // 0: all
};

struct PaperColumn {
  std::string title;
  PaperMetric metric;
  CellOf of = {};
};

struct PaperRow {
  std::string label;  // as in the paper
  CellOf of = {};
  std::string absent = {};  // why there is no such row here; empty: there is one
};

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// The paper's values: values[row][column]; kNoNumber where it has none.
struct PaperNumbers {
  std::string setting;  // the models
  std::vector<std::vector<double>> values;
};

// Columns of a table that share their rows, usually those of one data set.
struct PaperBlock {
  std::string title;
  std::vector<PaperColumn> columns;
  std::vector<PaperRow> rows;
  std::vector<PaperNumbers> paper;
  int ranked = -1;  // the column by which rows are ordered; -1: their order means nothing
  std::vector<int> ranked_columns = {};  // columns of one metric, ordered in the last row
};

struct PaperFigure {
  enum class Kind {
    kNone,
    kSweep,    // each column over the rows, whose labels are numbers
    kOverlap,  // the speed-up of each task over its overlap with the original
  };
  Kind kind = Kind::kNone;
  std::string x_title = {};
};

struct PaperTable {
  std::string id;  // "fastcoder-2"
  std::string title;
  std::vector<PaperBlock> blocks;
  PaperFigure figure = {};
  // Differences from the paper, besides models, machine and tasks.
  std::vector<std::string> notes = {};
};

// A table that is not reproduced.
struct LeftOutTable {
  std::string id;
  std::string title;
  std::string reason;
};

std::span<const PaperTable> paper_tables();
std::span<const LeftOutTable> left_out_tables();
const PaperTable* find_paper_table(const std::string& id);  // null: there is none
std::span<const PaperRun> paper_runs();
const PaperRun* find_paper_run(const std::string& id);

// Combines row and column; the row takes precedence over the column.
CellOf cell_of(const PaperRow& row, const PaperColumn& column);

// The decoders of a run that a table needs, in the order of its rows, each once.
struct NeededRun {
  const PaperRun* run;
  std::vector<std::string> decoders;
};
std::vector<NeededRun> needed_runs(const PaperTable& table);

// The tables of each paper, in their order.
std::vector<PaperTable> efficientedit_tables();
std::vector<PaperTable> fastcoder_tables();
std::vector<PaperTable> copyspec_tables();

}  // namespace redraft
