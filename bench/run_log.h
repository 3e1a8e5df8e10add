#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "bench/line_log.h"
#include "bench/record.h"
#include "support/result.h"

namespace redraft {

// The decodes of a run, stored as they are made (see LineLog). A log with other settings is never
// continued.
class RunLog {
 public:
  // `settings`: one line of JSON. Opens or creates `file`; cuts off an incomplete last line. Fails
  // if another process is writing to the file, or if it has other settings, is damaged, or cannot
  // be written.
  static Result<RunLog> open(const std::filesystem::path& file, const std::string& settings);

  const std::map<RecordKey, TaskRecord>& records() const { return records_; }
  Result<void> append(const TaskRecord& record);
  // Call it when the run is complete and its results are stored elsewhere.
  void remove() { log_.remove(); }

 private:
  RunLog(LineLog log, std::map<RecordKey, TaskRecord> records)
      : log_(std::move(log)), records_(std::move(records)) {}

  LineLog log_;
  std::map<RecordKey, TaskRecord> records_;
};

}  // namespace redraft
