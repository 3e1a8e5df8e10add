#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "support/json/json_document.h"
#include "support/result.h"

namespace redraft {

// Callbacks for reading a file of JSON lines: the first line describes the measurement, each other
// line is a result. An error of either ends the reading.
struct LineReader {
  std::function<Result<void>(std::string_view line)> on_first;
  std::function<Result<void>(JsonValue line)> on_line;
};

// Reads the lines of such a file. Ignores an incomplete last line.
Result<void> read_log(const std::filesystem::path& file, const LineReader& reader);

// Results of a run, one JSON line each, stored as they are made, so that an interrupted run can
// continue. One process at a time.
class LineLog {
 public:
  // Opens `file` and passes its lines to `reader`, or creates it with `first` as its first line;
  // cuts off an incomplete last line. Fails if another process is writing to the file, `reader`
  // rejects it, it is something else, or it cannot be written. Changes nothing after an error.
  static Result<LineLog> open(const std::filesystem::path& file, const std::string& first,
                              const LineReader& reader);
  ~LineLog();
  LineLog(LineLog&& other) noexcept;
  LineLog& operator=(LineLog&&) = delete;

  Result<void> append(const std::string& line);
  // Deletes the file.
  void remove();

 private:
  LineLog(std::filesystem::path file, int descriptor)
      : file_(std::move(file)), descriptor_(descriptor) {}
  Result<void> go_on(const std::string& first, const LineReader& reader);

  std::filesystem::path file_;
  int descriptor_;
};

}  // namespace redraft
