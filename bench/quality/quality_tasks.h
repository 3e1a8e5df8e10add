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

// Which measurements to make.
struct QualityChoice {
  std::set<Measure> measures = {};  // empty: all
  std::optional<Half> half = {};    // nullopt: both
  int limit = 0;                    // maximum number of tasks of each file and measure; 0: all
  std::string instruction = "descriptive";  // TaskOptions::instruction
};

// One measurement to make.
struct QualityItem {
  std::shared_ptr<const BenchTask> task;
  QualityKey key;
  std::string set;  // QualityRecord::set
};

struct QualityItems {
  std::vector<QualityItem> items;    // measure by measure, file by file
  std::vector<SkippedTask> skipped;  // lines to which no measure applies
};

// Decides by the fields of a line: one with `prefix` is a completion task; one with `before` an
// edit; an edit with `commit` also has questions about next edits, one measurement each. If next
// edits are the only measure, every edit has them. A duplicate id is an error.
Result<QualityItems> read_quality_items(const std::vector<std::string>& files,
                                        const QualityChoice& choice);

}  // namespace redraft
