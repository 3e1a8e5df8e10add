#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "support/json/json_document.h"
#include "support/result.h"

namespace redraft {

// What a file of JSON lines is read with: its first line says what was measured and how, each other
// one is a result. An error of either ends the reading.
struct LineReader {
  std::function<Result<void>(std::string_view line)> on_first;
  std::function<Result<void>(JsonValue line)> on_line;
};

// Reads the lines of such a file. A last line without its end was torn and is left out.
Result<void> read_log(const std::filesystem::path& file, const LineReader& reader);

// Results of a run, stored as they are made, one JSON line each, so that an interrupted run can be
// continued. One process at a time.
class LineLog {
 public:
  // Opens `file`, whose lines `reader` gets, or creates it with `first` as its first line; a torn
  // last line is cut off. Errors: another process is writing to the file, `reader` refuses it, it
  // is something else, or it cannot be written. Nothing is changed after an error.
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
