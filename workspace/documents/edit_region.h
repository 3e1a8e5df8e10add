#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "workspace/documents/diff.h"
#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"

namespace redraft {

enum class EditScope {
  kSelection,
  kAround,  // the cursor: its symbol, or as kAuto if that takes too long
  kAuto,    // the region around the cursor, see cursor_region.h, or the selection
  kSymbol,
  kPlaces,  // the parts of a large file that the instruction is about; a small file as a whole
  kFile     // all lines
};

// The scope of a request that names none: the selection, otherwise the surroundings of the cursor,
// otherwise (without a range) places in the file.
EditScope default_scope(const std::optional<ByteRange>& range);

// The whole lines of a document that the model rewrites. The model sees them with "\n" endings and
// without a byte order mark. Its output becomes edits of changed lines only, so that every other
// byte stays as it is.
class EditRegion {
 public:
  // kFile, kPlaces: everything except a byte order mark. kSelection: the lines that `range` touches
  // (an empty range: its line; a range that ends where a line begins does not touch that line).
  // kSymbol: the lines of the smallest definition around the beginning of `range`; the file if
  // there is none, or the language is unknown. kAuto: the choice of regions_at() for `range`, which
  // may be between two lines. kAround: the symbol; without one, the file if it has at most
  // `max_bytes`, otherwise as kAuto. The last three parse the document, so do not call them on the
  // main thread.
  static Result<EditRegion> make(std::shared_ptr<const Document> document, EditScope scope,
                                 const std::optional<ByteRange>& range,
                                 std::size_t max_bytes = kMaxDocumentBytes);
  // Why make() would fail: the range is missing or outside the document. Does not parse.
  static Result<void> check(const Document& document, EditScope scope,
                            const std::optional<ByteRange>& range);

  const Document& document() const { return *document_; }
  const std::shared_ptr<const Document>& shared_document() const { return document_; }
  ByteRange range() const;
  bool whole_file() const { return whole_file_; }
  // Without their endings; views into the document.
  const std::vector<std::string_view>& lines() const { return lines_; }
  // The text for the model: every line ends with "\n", including the last.
  std::string text() const;

  // The part of `after`, the document's text after an edit of the region, that replaces the region.
  std::string_view part_of(std::string_view after) const;

  // Converts a change of the region's lines to an edit of the document. New lines get the endings
  // of their neighbours. A file without a final newline remains without one, even if that removes
  // the ending of the line before the region.
  TextEdit edit(const LineChange& change) const;

 private:
  EditRegion(std::shared_ptr<const Document> document, int first_line, int last_line,
             bool whole_file);
  std::size_t start(int line) const;
  std::string_view ending(int line) const;
  std::string_view ending_for_new_line(const LineChange& change, int new_line) const;

  std::shared_ptr<const Document> document_;
  int first_line_;  // of the document; line numbers here are relative to it
  bool whole_file_;
  std::vector<std::string_view> lines_;
};

// All lines of the document, as the model reads them (see EditRegion::text).
std::string text_for_model(const Document& document);

}  // namespace redraft
