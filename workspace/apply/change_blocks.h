// Finds the code in the answer of an assistant: which lines are within fences, and which are prose.
//
// A fence may be part of the code: of a string, of a comment, of Markdown. The end of a block is
// the first fence that ends it by the rules of Markdown, unless the code up to there does not parse
// and the code up to a later fence does, or the file itself has a fence there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/apply/change_text.h"

namespace redraft {

using ChangeLines = std::vector<std::string_view>;  // without their line ends

// A part of the change that is read by itself: the lines within a fence, or all of them.
struct ChangeBlock {
  std::string language = {};             // the language named by the fence, in lower case
  std::optional<std::string> file = {};  // the path stated for it
  ChangeLines lines = {};
  bool is_fenced = true;
  bool is_closed = true;  // whether its last fence is there
};

// The length of the run of back-ticks or tildes that a line begins with, if it is a fence.
std::size_t fence_length(std::string_view line);

// In a text file that has fences itself, only those around its text count.
std::vector<ChangeBlock> blocks_of(const ChangeLines& lines, const ChangedFile& file);

// The path stated right above a line: on the line before it or before the blank line above it.
std::optional<std::string> path_above(const ChangeLines& lines, std::size_t line);

}  // namespace redraft
