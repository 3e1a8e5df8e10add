#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/record.h"
#include "bench/task.h"

namespace redraft {

struct TableTitle {
  std::string data;     // file names
  std::string target;   // model
  std::string draft;    // empty: none
  std::string machine;  // empty in a replay
  bool replay = false;
  bool warm = false;  // decoders shared one prefill: times that include it are meaningless
};

// The output of `redraft bench`: one line per decoder, the sources of accepted tokens, near-ties if
// they were counted, the skipped tasks, and how to read the table.
std::string task_table(const TableTitle& title, TaskKind kind, std::span<const TaskRecord> records,
                       std::span<const SkippedTask> skipped);

}  // namespace redraft
