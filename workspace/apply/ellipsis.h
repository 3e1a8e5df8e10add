#pragma once

#include <optional>
#include <string_view>

namespace redraft {

// Whether the line marks lines that an assistant left out: "// ...", "# rest of the function", but
// not "// and so on ..." nor Python's "...".
bool is_ellipsis(std::string_view line, std::string_view language_id);

// The same for a line of a snippet between two others. One in the middle of a comment of several
// lines is none unless it speaks of code: "// ... however, we only need the lines".
bool is_ellipsis_between(std::string_view above, std::string_view line, std::string_view below,
                         std::string_view language_id);

// The same for a line in the middle of a file, where comments have many subjects: only dots, or
// dots and words like "existing code".
bool stands_for_code(std::string_view line);

// The text within the marks of a comment that the line consists of; nullopt: it is not a comment.
std::optional<std::string_view> comment_text(std::string_view line);

}  // namespace redraft
