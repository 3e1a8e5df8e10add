#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/store/index_snapshot.h"
#include "indexing/syntax/syntax_tree.h"
#include "text/tokenizer.h"

namespace redraft {

// Text of another file that helps to complete at the cursor.
struct Snippet {
  std::string file;  // its name in the index
  std::string text;  // whole lines
  std::size_t tokens = 0;
};

struct SnippetQuery {
  std::string_view text;   // the document's, which the index leaves out
  std::size_t offset = 0;  // of the cursor
  // The tree of the text; null: its language is unknown.
  const SyntaxTree* tree = nullptr;
  // For all snippets together, without their headings.
  std::size_t max_tokens = 1024;
};

// The beginnings of the definitions of names around the cursor, imported names first among equals
// (the cross-file context of CoCoMIC and others), and pieces of code that resemble the text before
// the cursor (RepoCoder, arXiv:2303.12570, section 2.2), found by rare token sequences that both
// have. The most helpful comes last. Takes a few milliseconds; any thread.
std::vector<Snippet> find_snippets(const IndexSnapshot& index, const Tokenizer& tokenizer,
                                   const SnippetQuery& query);

// The part of a definition with this text that is shown: its signature and documentation, in whole
// lines. A view into `text`.
std::string_view beginning_of_definition(std::string_view text);

// The beginnings of the definitions of these names, in their order, if the definition is
// unambiguous; for a type also the beginnings of its methods. `query.tree` may be null; its offset
// and number of tokens are ignored.
std::vector<Snippet> find_definitions(const IndexSnapshot& index, const Tokenizer& tokenizer,
                                      const SnippetQuery& query,
                                      const std::vector<std::string>& names);

}  // namespace redraft
