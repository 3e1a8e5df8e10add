#include "bench/quality/quality_log.h"

#include <string>
#include <string_view>

namespace redraft {
namespace {

constexpr const char* kSettings = "quality";
constexpr JsonLimits kLineLimits{.bytes = std::size_t{1} << 20, .values = 1 << 16, .depth = 16};

Error not_ours(const std::filesystem::path& file) {
  return Error(file.string() + ": was not written by `redraft bench quality --out`");
}

// Calls `use` with the settings of the first line.
Result<void> with_settings(const std::filesystem::path& file, std::string_view line,
                           const std::function<Result<void>(JsonValue)>& use) {
  const Result<JsonDocument> first = JsonDocument::parse(file.string(), line, kLineLimits);
  if (!first) return not_ours(file);
  const std::optional<JsonValue> settings = first->root().find(kSettings);
  return settings && settings->object() ? use(*settings) : not_ours(file);
}

Result<void> take(JsonValue line, QualityRecords& records) {
  Result<QualityRecord> record = parse_quality_record(line);
  if (!record) return record.error();
  QualityKey key = record->key;
  records.insert_or_assign(std::move(key), *std::move(record));
  return {};
}

// Bytes that are not UTF-8 (a token may end inside a character) become U+FFFD.
std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

Result<QualityLog> QualityLog::open(const std::filesystem::path& file,
                                    const nlohmann::ordered_json& settings,
                                    const MayGoOn& may_go_on) {
  QualityRecords records;
  LineReader reader;
  reader.on_first = [&](std::string_view line) { return with_settings(file, line, may_go_on); };
  reader.on_line = [&](JsonValue line) { return take(line, records); };
  Result<LineLog> log = LineLog::open(file, dump({{kSettings, settings}}), reader);
  if (!log) return log.error();
  return QualityLog(std::move(*log), std::move(records));
}

Result<void> QualityLog::append(const QualityRecord& record) {
  records_.insert_or_assign(record.key, record);
  return log_.append(dump(to_json(record)));
}

Result<QualityFile> read_quality_file(const std::filesystem::path& file) {
  QualityFile result;
  LineReader reader;
  reader.on_first = [&](std::string_view line) {
    return with_settings(file, line, [&](JsonValue) -> Result<void> {
      result.settings = nlohmann::ordered_json::parse(line).at(kSettings);
      return {};
    });
  };
  reader.on_line = [&](JsonValue line) { return take(line, result.records); };
  if (const Result<void> read = read_log(file, reader); !read) return read.error();
  return result;
}

}  // namespace redraft
