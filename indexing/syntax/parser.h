#pragma once

#include <tree_sitter/api.h>

#include <memory>
#include <string_view>

#include "indexing/syntax/syntax_tree.h"

namespace redraft {

using TreePointer = std::shared_ptr<const TSTree>;

// Null if the text is beyond the limits. `old`: the tree of an earlier text, already edited, or
// null.
TreePointer parse_text(const TSLanguage* language, std::string_view text, const TSTree* old,
                       const ParseLimits& limits);

// `tree` belongs to `before`; the result has the positions of `after`, with the changes marked.
TreePointer move_tree(const TSTree& tree, std::string_view before, std::string_view after);

}  // namespace redraft
