#include "bench/line_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

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

std::size_t end_of_whole_lines(std::string_view text) {
  return text.rfind('\n') + 1;  // npos + 1: no whole line
}

// `text` has whole lines only, at least one.
Result<void> read_lines(const std::filesystem::path& file, std::string_view text,
                        const LineReader& reader) {
  const auto next_line = [&text] {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    return line;
  };
  if (const Result<void> first = reader.on_first(next_line()); !first) return first;
  for (int number = 2; !text.empty(); ++number) {
    const std::string where = file.string() + ":" + std::to_string(number);
    const Result<JsonDocument> line = JsonDocument::parse(where, next_line(), kLineLimits);
    if (!line) return line.error();
    if (const Result<void> taken = reader.on_line(line->root()); !taken) return taken;
  }
  return {};
}

}  // namespace

Result<void> read_log(const std::filesystem::path& file, const LineReader& reader) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return file_error(file, "cannot be read");
  const Result<std::string> text = read_all(file, descriptor);
  close(descriptor);
  if (!text) return text.error();
  const std::size_t whole = end_of_whole_lines(*text);
  if (whole == 0) return Error(file.string() + ": has no lines");
  return read_lines(file, std::string_view(*text).substr(0, whole), reader);
}

Result<LineLog> LineLog::open(const std::filesystem::path& file, const std::string& first,
                              const LineReader& reader) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0644);
  if (descriptor < 0) return file_error(file, "cannot be written");
  LineLog log(file, descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    return Error(file.string() + ": another run is writing to this file; choose another --out");
  if (const Result<void> ready = log.go_on(first, reader); !ready) return ready.error();
  return log;
}

LineLog::LineLog(LineLog&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

LineLog::~LineLog() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<void> LineLog::go_on(const std::string& first, const LineReader& reader) {
  const Result<std::string> text = read_all(file_, descriptor_);
  if (!text) return text.error();
  const std::size_t whole = end_of_whole_lines(*text);
  if (whole == 0 && !first.starts_with(*text))
    return Error(file_.string() + ": is a different kind of file; choose another --out");
  if (whole > 0) {
    const Result<void> read = read_lines(file_, std::string_view(*text).substr(0, whole), reader);
    if (!read) return read;
  }
  if (ftruncate(descriptor_, static_cast<off_t>(whole)) != 0)
    return file_error(file_, "cannot be written");
  return whole == 0 ? append(first) : Result<void>();
}

Result<void> LineLog::append(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(descriptor_, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error(file_, "cannot be written");
    done += static_cast<std::size_t>(count);
  }
  return {};
}

void LineLog::remove() { unlink(file_.c_str()); }

}  // namespace redraft
