#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/syntax_tree.h"

namespace redraft {

// A text with marked places: ¦ is the cursor, «…» the expected range.
struct MarkedText {
  std::string text;
  std::size_t cursor = 0;
  std::optional<ByteRange> range;

  explicit MarkedText(std::string_view marked);
};

std::optional<SyntaxTree> try_parse(const std::string& text, std::string_view language_id,
                                    const ParseLimits& limits = {});
// For a text that has a tree.
SyntaxTree parse(const std::string& text, std::string_view language_id);

// "type Stack", indented by depth.
std::vector<std::string> names(const SyntaxTree& tree);

std::string at(const SyntaxTree& tree, const ByteRange& range);

}  // namespace redraft
