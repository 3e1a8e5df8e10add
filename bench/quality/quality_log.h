#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/line_log.h"
#include "bench/quality/quality_record.h"
#include "support/result.h"

namespace redraft {

using QualityRecords = std::map<QualityKey, QualityRecord>;

// The measurements of `redraft bench quality --out`: the first line is {"quality": settings}, each
// other line is a record.
class QualityLog {
 public:
  // Whether a file with these settings may be continued; the error says why not.
  using MayGoOn = std::function<Result<void>(JsonValue stored_settings)>;

  // See LineLog::open().
  static Result<QualityLog> open(const std::filesystem::path& file,
                                 const nlohmann::ordered_json& settings, const MayGoOn& may_go_on);

  const QualityRecords& records() const { return records_; }
  // Stores it, too.
  Result<void> append(const QualityRecord& record);

 private:
  QualityLog(LineLog log, QualityRecords records)
      : log_(std::move(log)), records_(std::move(records)) {}

  LineLog log_;
  QualityRecords records_;
};

// A file of measurements, to report or compare.
struct QualityFile {
  nlohmann::ordered_json settings;
  QualityRecords records;
};
Result<QualityFile> read_quality_file(const std::filesystem::path& file);

}  // namespace redraft
