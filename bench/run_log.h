#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "bench/record.h"
#include "support/result.h"

namespace redraft {

// The decodes of a run, stored as they are made, one JSON line each, so that an interrupted run can
// be continued. The first line says what was measured and how; a log with other settings is never
// continued. One process at a time.
class RunLog {
 public:
  // `settings`: one line of JSON. Opens or creates `file`; an incomplete last line is cut off.
  // Errors: another process is writing to the file, it is a log with other settings, it is damaged,
  // or it cannot be written.
  static Result<RunLog> open(const std::filesystem::path& file, const std::string& settings);
  ~RunLog();
  RunLog(RunLog&& other) noexcept;
  RunLog& operator=(RunLog&&) = delete;

  const std::map<RecordKey, TaskRecord>& records() const { return records_; }
  Result<void> append(const TaskRecord& record);
  // To be called when the run is complete and its results are stored elsewhere.
  void remove();

 private:
  RunLog(std::filesystem::path file, int descriptor)
      : file_(std::move(file)), descriptor_(descriptor) {}
  Result<void> read(const std::string& settings);
  Result<void> write_line(const std::string& line);

  std::filesystem::path file_;
  int descriptor_;
  std::map<RecordKey, TaskRecord> records_;
};

}  // namespace redraft
