#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "bench/record.h"
#include "support/result.h"

namespace redraft {

// The decodes of a run as they are made, one JSON line each, so that a run that was interrupted
// goes on where it stopped. The first line says what was measured and how; a log of something else
// is never gone on with. One process at a time.
class RunLog {
 public:
  // `settings`: one line of JSON. Opens or creates `file`; a last line that was not completed is
  // cut off. Errors: another process writes it, it is a log of other settings, it is damaged, it
  // cannot be written.
  static Result<RunLog> open(const std::filesystem::path& file, const std::string& settings);
  ~RunLog();
  RunLog(RunLog&& other) noexcept;
  RunLog& operator=(RunLog&&) = delete;

  const std::map<RecordKey, TaskRecord>& records() const { return records_; }
  Result<void> append(const TaskRecord& record);
  // The run is complete and its results are kept elsewhere.
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
