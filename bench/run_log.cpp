#include "bench/run_log.h"

#include <string_view>

#include "bench/record_json.h"

namespace redraft {

Result<RunLog> RunLog::open(const std::filesystem::path& file, const std::string& settings) {
  std::map<RecordKey, TaskRecord> records;
  LineReader reader;
  reader.on_first = [&](std::string_view line) -> Result<void> {
    if (line == settings) return {};
    return Error(file.string() +
                 ": has results of another command, model, file or build; finish that "
                 "run, delete the file, or choose another --out");
  };
  reader.on_line = [&](JsonValue line) -> Result<void> {
    Result<TaskRecord> record = parse_record(line);
    if (!record) return record.error();
    RecordKey key = record->key;
    records.insert_or_assign(std::move(key), std::move(*record));
    return {};
  };
  Result<LineLog> log = LineLog::open(file, settings, reader);
  if (!log) return log.error();
  return RunLog(std::move(*log), std::move(records));
}

Result<void> RunLog::append(const TaskRecord& record) {
  return log_.append(to_json(record).dump());
}

}  // namespace redraft
