// Where a completion meets the text after the cursor.
//
// Models that fill a gap often write the gap's other side once more: the closing tag, the rest of
// the arguments, the rest of the word. Shown before the text that is there already, all of it would
// be doubled. So a completion ends before the first place from which on it
//
//   - says the same as the rest of the cursor's line, token by token, at the same depth of brackets
//     and strings: `mode=0o755, exist_ok=True)` before `, exist_ok=True)` is `mode=0o755`;
//   - closes a bracket or string that the rest of the line closes already;
//   - closes a tag that it has not opened, unless the document lacks that closing tag.
//
// Within a word, it consists of what can stand between the two parts of that word. The comparison
// does not depend on the language.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace redraft {

// The text on both sides of the cursor, with "\n" line endings. Views; both outlive their users.
struct CursorText {
  std::string_view before, after;

  // The cursor's line, up to it and from it on.
  std::string_view line_before() const;
  std::string_view line_after() const;
};

// The part of `text`, written at the cursor, that does not repeat or close what the rest of the
// cursor's line says or closes. It ends with blanks only if these separate it from that rest.
std::string_view part_before_rest(std::string_view text, const CursorText& around);

// Whether `text` closes a bracket or a tag that it has not opened, or its last line a fence of
// Markdown.
bool closes_unopened(std::string_view text);

}  // namespace redraft
