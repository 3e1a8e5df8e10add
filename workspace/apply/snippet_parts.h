#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/named_definitions.h"
#include "indexing/syntax/syntax_tree.h"
#include "support/result.h"
#include "workspace/apply/change_text.h"
#include "workspace/apply/file_lines.h"

namespace redraft {

// A definition of the file that a snippet also has, by its lines.
struct Counterpart {
  int begin = 0, end = 0;
  int head = 0;  // the line with its name
};

// A definition of a snippet, by its lines in the snippet.
struct SnippetDefinition {
  NamedDefinition named;
  int begin = 0, end = 0;
  int head = 0;
  bool is_whole = false;             // it has no ellipsis
  bool is_new = false;               // it is whole, and the file has no definition of its name
  std::optional<Counterpart> there;  // nullopt: the file has no definition of its name, or several
};

// A line of a snippet, or several lines that are placed as a whole.
struct SnippetElement {
  enum class Kind { kEllipsis, kBlank, kLine, kDefinition, kImport };
  Kind kind = Kind::kLine;
  int begin = 0, end = 0;                         // lines of the snippet
  const SnippetDefinition* definition = nullptr;  // the definition that it is
  const SnippetDefinition* around =
      nullptr;  // the enclosing definition that is incomplete and in the file
};

// A snippet taken apart by its syntax, together with the file that it is for.
struct SnippetParts {
  int size() const { return static_cast<int>(lines.size()); }
  const std::string& line(int i) const { return lines[static_cast<std::size_t>(i)]; }
  // The canonical text, without the blanks around it.
  std::string_view text(int i) const { return texts[static_cast<std::size_t>(i)]; }
  std::vector<std::string> lines_between(int begin, int end) const {
    return {lines.begin() + begin, lines.begin() + end};
  }

  std::vector<std::string> lines;  // indented like the file, an ellipsis as a blank line
  std::vector<std::string> texts;  // of the lines
  std::vector<SnippetDefinition> definitions;
  std::vector<SnippetElement> elements;  // one after the other, covering all lines
  bool is_whole_file = false;            // whether it leaves out nothing of the file
  std::vector<NamedDefinition> theirs;   // of the file
};

// The error names the part that has no place in the file. `tree` may be null.
Result<std::unique_ptr<SnippetParts>> take_apart(const FileLines& file, const SyntaxTree* tree,
                                                 std::string_view language_id,
                                                 const CodeSnippet& snippet);

}  // namespace redraft
