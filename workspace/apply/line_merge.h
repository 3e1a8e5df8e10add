// Merges changes of one line, by its words and signs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redraft {

// Both changes of a line: `ours` and `theirs` are versions of `base`. Nothing: they change the same
// words, or the lines are very long.
std::optional<std::string> merged_line(std::string_view base, std::string_view ours,
                                       std::string_view theirs);

// The names of `base` that are other names in `there`, in pairs; nothing: the lines differ in
// something else, too.
std::optional<std::vector<std::pair<std::string, std::string>>> renamed_words(
    std::string_view base, std::string_view there);

// `text` with each name replaced where it is a whole word.
std::string with_names(std::string_view text,
                       const std::vector<std::pair<std::string, std::string>>& names);

// Whether `text` has `name` as a whole word.
bool has_name(std::string_view text, std::string_view name);

}  // namespace redraft
