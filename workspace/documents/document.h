#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/syntax_tree.h"
#include "support/result.h"
#include "workspace/documents/text_edit.h"

namespace redraft {

// Where lines begin. A line ends with "\n", "\r\n" or a lone "\r", as LSP counts them.
class LineIndex {
 public:
  explicit LineIndex(const std::string& text);
  int line_count() const { return static_cast<int>(starts_.size()); }
  // 0-based line -> byte offset of its first byte; line <= line_count() (the last: the end of the
  // text).
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

// Larger texts are refused: no model reads them, and every copy of them would be paid for.
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{16} << 20;

// Immutable snapshot of one file: key, version, text. Shared freely between threads.
class Document {
 public:
  // `text` must be UTF-8 (a byte order mark is part of it) without NUL bytes and at most
  // kMaxDocumentBytes long; otherwise an error that says what is wrong, and at which byte. Empty is
  // fine.
  static Result<std::shared_ptr<const Document>> make(std::string uri, std::int64_t version,
                                                      std::string text,
                                                      std::string language_id = {});
  // Reads a regular file; its path is the uri, its extension tells the language. The error says
  // whether it is missing, unreadable, no regular file, or not text.
  static Result<std::shared_ptr<const Document>> read(const std::filesystem::path& file);
  // A later version of this document.
  Result<std::shared_ptr<const Document>> changed(std::int64_t version, std::string text) const;

  const std::string& uri() const { return uri_; }
  std::int64_t version() const { return version_; }
  const std::string& text() const { return *text_; }
  const std::string& language_id() const { return language_id_; }
  const LineIndex& lines() const { return lines_; }
  // Parsed when it is first asked for, from the tree of an earlier version where there is one, on
  // the thread that asks; that takes milliseconds. Null when the language is none that redraft
  // parses, or the text is beyond ParseLimits.
  const SyntaxTree* syntax() const;

 private:
  Document(std::string uri, std::int64_t version, std::string text, std::string language_id);
  std::string uri_;
  std::int64_t version_;
  std::shared_ptr<const std::string> text_;
  std::string language_id_;
  LineIndex lines_;

  mutable std::mutex syntax_mutex_;  // guards what follows
  mutable bool parsed_ = false;
  mutable std::optional<SyntaxTree> syntax_;  // of an earlier version, until parsed_
};

}  // namespace redraft
