#pragma once

#include <string>
#include <vector>

#include "indexing/syntax/named_definitions.h"
#include "indexing/syntax/syntax_tree.h"
#include "support/result.h"
#include "workspace/apply/change_text.h"
#include "workspace/apply/file_lines.h"

namespace redraft {

// A definition of the file, which is one of a snippet's too: by its lines.
struct Counterpart {
  int begin = 0, end = 0;
  int head = 0;  // the line with its name
};

// A definition of a snippet, by its lines there.
struct SnippetDefinition {
  NamedDefinition named;
  int begin = 0, end = 0;
  int head = 0;
  bool is_whole = false;             // there is no ellipsis in it
  bool is_new = false;               // it is whole, and the file has nothing of its name
  std::optional<Counterpart> there;  // nothing: the file has none of its name, or several
};

// A snippet's line, or several that are put in their place as a whole.
struct SnippetElement {
  enum class Kind { kEllipsis, kBlank, kLine, kDefinition, kImport };
  Kind kind = Kind::kLine;
  int begin = 0, end = 0;                         // lines of the snippet
  const SnippetDefinition* definition = nullptr;  // that it is
  const SnippetDefinition* around = nullptr;      // that is not whole, and is in the file
};

// A snippet taken apart by its syntax, beside the file that it is for.
struct SnippetParts {
  std::vector<std::string> lines;  // indented as the file is, an ellipsis as a blank line
  std::vector<SnippetDefinition> definitions;
  std::vector<SnippetElement> elements;  // one after the other: all lines
  bool is_whole_file = false;            // nothing of the file is left out
  std::vector<NamedDefinition> theirs;   // of the file
};

// The error says what of it has no place in the file. `tree` may be null.
Result<std::unique_ptr<SnippetParts>> take_apart(const FileLines& file, const SyntaxTree* tree,
                                                 std::string_view language_id,
                                                 const CodeSnippet& snippet);

}  // namespace redraft
