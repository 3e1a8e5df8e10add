#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "support/result.h"
#include "workspace/text_edit.h"

namespace redraft {

// Where lines begin. A line ends with "\n", "\r\n" or a lone "\r", as LSP counts them.
class LineIndex {
 public:
  explicit LineIndex(const std::string& text);
  int line_count() const { return static_cast<int>(starts_.size()); }
  // 0-based line -> byte offset of its first byte; line <= line_count() (the last: the end of the text).
  std::size_t start(int line) const;
  // Byte offset just before the line's terminator.
  std::size_t content_end(int line) const;
  // The line that holds the byte at `offset` (offset == size: the last line).
  int line_of(std::size_t offset) const;

 private:
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> content_ends_;
  std::size_t size_;
};

// Immutable snapshot of one file: key, version, text. Shared freely between threads.
class Document {
 public:
  // `text` must be UTF-8 (a byte order mark is part of it); otherwise an error that says at which byte it is not.
  static Result<std::shared_ptr<const Document>> make(std::string uri, std::int64_t version, std::string text,
                                                      std::string language_id = {});
  // Reads a file: refuses directories, binary files (NUL bytes) and text that is not UTF-8, with the reason.
  static Result<std::shared_ptr<const Document>> read(const std::filesystem::path& file);

  const std::string& uri() const { return uri_; }
  std::int64_t version() const { return version_; }
  const std::string& text() const { return text_; }
  const std::string& language_id() const { return language_id_; }
  const LineIndex& lines() const { return lines_; }

 private:
  Document(std::string uri, std::int64_t version, std::string text, std::string language_id);
  std::string uri_;
  std::int64_t version_;
  std::string text_;
  std::string language_id_;
  LineIndex lines_;
};

}  // namespace redraft
