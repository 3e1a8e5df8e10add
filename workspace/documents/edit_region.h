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

enum class EditScope { kSelection, kSymbol, kFile };

// When none is named: what is selected, else the symbol at the cursor, else (no range) the file.
EditScope default_scope(const std::optional<ByteRange>& range);

// The whole lines of a document that the model rewrites. It sees them with "\n" endings and without
// a byte order mark; what it writes becomes edits of changed lines alone, so that every other byte
// stays as it is.
class EditRegion {
 public:
  // kFile: everything but a byte order mark. kSelection: the lines that `range` touches (an empty
  // range: the line it stands on; a range that ends where a line begins does not touch that line).
  // kSymbol: the lines of the smallest definition around where `range` begins; the file when there
  // is none, or the language is unknown. Parses the document then, so not for the protocol thread.
  static Result<EditRegion> make(std::shared_ptr<const Document> document, EditScope scope,
                                 const std::optional<ByteRange>& range);
  // Why make() would refuse: the range is missing or lies outside the document. Does not parse.
  static Result<void> check(const Document& document, EditScope scope,
                            const std::optional<ByteRange>& range);

  const Document& document() const { return *document_; }
  const std::shared_ptr<const Document>& shared_document() const { return document_; }
  ByteRange range() const;
  bool whole_file() const { return whole_file_; }
  // Without their endings; views into the document.
  const std::vector<std::string_view>& lines() const { return lines_; }
  // As the model reads it: every line ends with "\n", the last one too.
  std::string text() const;

  // A change of the region's lines as an edit of the document. New lines end like their neighbours;
  // where the file has no final newline, it has none afterwards, even if that takes the ending of
  // the line before the region.
  TextEdit edit(const LineChange& change) const;

 private:
  EditRegion(std::shared_ptr<const Document> document, int first_line, int last_line,
             bool whole_file);
  std::size_t start(int line) const;
  std::string_view ending(int line) const;
  std::string_view ending_for_new_line(const LineChange& change, int new_line) const;

  std::shared_ptr<const Document> document_;
  int first_line_;  // of the document; lines here count from it
  bool whole_file_;
  std::vector<std::string_view> lines_;
};

// The document's lines as the model reads them (see EditRegion::text), all of them.
std::string text_for_model(const Document& document);

}  // namespace redraft
