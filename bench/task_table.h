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
  bool warm = false;  // one decoder paid for all decoders' prefill: times with it say nothing
};

// What `redraft bench` prints: one line a decoder, the sources of accepted tokens, near-ties where
// they were counted, what was skipped, and how to read it.
std::string task_table(const TableTitle& title, TaskKind kind, std::span<const TaskRecord> records,
                       std::span<const SkippedTask> skipped);

}  // namespace redraft
