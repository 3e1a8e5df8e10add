// The text of one open file at one version, and why it is one plain string.
//
// Editors store a buffer as a rope or a piece table, because a keystroke must not copy the file.
// Here other needs prevail. A decode on another thread uses a text for seconds while the user types
// on. Each hunk that it writes is a byte range of exactly that version. The syntax parser, the
// tokenizer and the diff need contiguous bytes. An immutable string serves them all without a lock.
// The price is a copy of the text and a new line index for each message, far less than a forward
// pass of a model; and kMaxDocumentBytes limits it. Only the syntax tree is not built from scratch:
// a new version starts from the tree of the previous version, and parses what differs.
//
// An example. An edit of version 1 runs on the decode thread while the user renames the parameter:
//
//   version 1   "def f(a):\n    return a\n"       the edit holds a pointer to it
//   change      bytes [6, 7) become "value"       positions of LSP were converted in lsp/wire
//   version 2   "def f(value):\n    return a\n"   what OpenDocuments::find() returns from now on
//   hunk        bytes [10, 23) of version 1       moved to [14, 27) of version 2 by LiveEdits
//
// Version 1 is freed with the last pointer to it, when the edit has ended.
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

// The beginnings of lines. A line ends with "\n", "\r\n" or a lone "\r", as in LSP.
class LineIndex {
 public:
  explicit LineIndex(const std::string& text);
  int line_count() const { return static_cast<int>(starts_.size()); }
  // The byte offset of a 0-based line's first byte; line <= line_count(), which means the end of
  // the text.
  std::size_t start(int line) const;
  // The byte offset just before the line's terminator.
  std::size_t content_end(int line) const;
  // The line with the byte at `offset` (offset == size: the last line).
  int line_of(std::size_t offset) const;

 private:
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> content_ends_;
  std::size_t size_;
};

// Larger texts are rejected: no model reads them, and every copy of them would cost time and
// memory.
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{16} << 20;

// Immutable snapshot of one file: key, version, text. Shared freely between threads.
class Document {
 public:
  // `text` must be UTF-8 (a byte order mark is part of it) without NUL bytes, of at most
  // kMaxDocumentBytes; otherwise the error says what is wrong, and at which byte. It may be empty.
  static Result<std::shared_ptr<const Document>> make(std::string uri, std::int64_t version,
                                                      std::string text,
                                                      std::string language_id = {});
  // Reads a regular file; its path becomes the URI, its extension determines the language. The
  // error says whether it is missing, unreadable, not a regular file, or not text.
  static Result<std::shared_ptr<const Document>> read(const std::filesystem::path& file);
  // Makes a later version of this document.
  Result<std::shared_ptr<const Document>> changed(std::int64_t version, std::string text) const;

  const std::string& uri() const { return uri_; }
  std::int64_t version() const { return version_; }
  const std::string& text() const { return *text_; }
  const std::string& language_id() const { return language_id_; }
  // The document's language; if that is empty, the one that the file's name implies; empty: plain
  // lines.
  std::string language() const;
  const LineIndex& lines() const { return lines_; }
  // The syntax tree. The first call parses the text on the calling thread, incrementally if there
  // is a tree of an earlier version; that takes milliseconds. Null if redraft does not parse the
  // language, or the text exceeds ParseLimits.
  const SyntaxTree* syntax() const;

 private:
  Document(std::string uri, std::int64_t version, std::string text, std::string language_id);
  std::string uri_;
  std::int64_t version_;
  std::shared_ptr<const std::string> text_;
  std::string language_id_;
  LineIndex lines_;

  mutable std::mutex syntax_mutex_;  // guards the following members
  mutable bool parsed_ = false;
  mutable std::optional<SyntaxTree> syntax_;  // of an earlier version, until parsed_
};

}  // namespace redraft
