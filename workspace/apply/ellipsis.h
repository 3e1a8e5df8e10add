#pragma once

#include <optional>
#include <string_view>

namespace redraft {

// Whether the line marks lines that an assistant left out: "// ...", "# rest of the function", but
// not "// and so on ..." nor Python's "...".
bool is_ellipsis(std::string_view line, std::string_view language_id);

// The same for a line in the middle of a file, where comments have many subjects: only dots, or
// dots and words like "existing code".
bool stands_for_code(std::string_view line);

// The text within the marks of a comment that the line consists of; nullopt: it is not a comment.
std::optional<std::string_view> comment_text(std::string_view line);

}  // namespace redraft
