#include "bench/run_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "bench/record_json.h"
#include "support/system_error.h"

namespace redraft {
namespace {

constexpr JsonLimits kLineLimits{.bytes = std::size_t{16} << 20, .values = 1 << 20, .depth = 8};
Result<std::string> read_all(const std::filesystem::path& file, int descriptor) {
  std::string text;
  char buffer[1 << 16];
  for (ssize_t count; (count = read(descriptor, buffer, sizeof buffer)) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error(file, "cannot be read");
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

Result<RunLog> RunLog::open(const std::filesystem::path& file, const std::string& settings) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0644);
  if (descriptor < 0) return file_error(file, "cannot be written");
  RunLog log(file, descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    return Error(file.string() + ": another run is writing it; give it another --out");
  if (const Result<void> read = log.read(settings); !read) return read.error();
  return log;
}

RunLog::RunLog(RunLog&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      records_(std::move(other.records_)) {}

RunLog::~RunLog() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<void> RunLog::read(const std::string& settings) {
  const Result<std::string> text = read_all(file_, descriptor_);
  if (!text) return text.error();
  const std::size_t whole = text->rfind('\n') + 1;  // npos + 1: no whole line
  if (ftruncate(descriptor_, static_cast<off_t>(whole)) != 0)
    return file_error(file_, "cannot be written");
  if (whole == 0) return write_line(settings);
  std::string_view rest = std::string_view(*text).substr(0, whole);
  const auto next_line = [&rest] {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return line;
  };
  if (next_line() != settings) {
    return Error(file_.string() +
                 ": holds the results of another command, model, file or build so far; run that "
                 "one to its end, delete the file, or give another --out");
  }
  for (int number = 2; !rest.empty(); ++number) {
    const std::string where = file_.string() + ":" + std::to_string(number);
    const Result<JsonDocument> line = JsonDocument::parse(where, next_line(), kLineLimits);
    if (!line) return line.error();
    Result<TaskRecord> record = parse_record(line->root());
    if (!record) return record.error();
    RecordKey key = record->key;
    records_.insert_or_assign(std::move(key), std::move(*record));
  }
  return {};
}

Result<void> RunLog::append(const TaskRecord& record) { return write_line(to_json(record).dump()); }

Result<void> RunLog::write_line(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(descriptor_, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error(file_, "cannot be written");
    done += static_cast<std::size_t>(count);
  }
  return {};
}

void RunLog::remove() { unlink(file_.c_str()); }

}  // namespace redraft
