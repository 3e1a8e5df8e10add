#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/quality/half.h"
#include "bench/quality/quality_record.h"
#include "bench/task.h"
#include "support/result.h"

namespace redraft {

// Which measurements are made.
struct QualityChoice {
  std::set<Measure> measures = {};  // empty: all
  std::optional<Half> half = {};    // nothing: both
  int limit = 0;                    // tasks of each file and measure, from the first; 0: all
  std::string instruction = "descriptive";  // TaskOptions::instruction
};

// One measurement to be made.
struct QualityItem {
  std::shared_ptr<const BenchTask> task;
  QualityKey key;
  std::string set;  // QualityRecord::set
};

struct QualityItems {
  std::vector<QualityItem> items;    // measure by measure, file by file
  std::vector<SkippedTask> skipped;  // lines that no measure concerns
};

// By the fields of a line: one with `prefix` is a completion task; one with `before` an edit; an
// edit with `commit` is asked for next edits too, one measurement a question. With next edits as
// the only measure every edit is asked. An id that comes twice is an error.
Result<QualityItems> read_quality_items(const std::vector<std::string>& files,
                                        const QualityChoice& choice);

}  // namespace redraft
