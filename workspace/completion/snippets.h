#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/text/tokenizer.h"
#include "indexing/store/index_snapshot.h"
#include "indexing/syntax/syntax_tree.h"

namespace redraft {

// Text of another file that helps to complete a place.
struct Snippet {
  std::string file;  // its name in the index
  std::string text;  // whole lines
  std::size_t tokens = 0;
};

struct SnippetQuery {
  std::string_view text;             // the buffer, which the index does not hold
  std::size_t offset = 0;            // the place in it
  const SyntaxTree* tree = nullptr;  // of the text; null: its language is unknown
  std::size_t max_tokens = 1024;     // of all snippets together, without what goes around them
};

// The beginnings of what the names around the place stand for, imported ones first among equals
// (the cross-file context of CoCoMIC and others), and pieces of code that resemble what stands
// before the place (RepoCoder, arXiv:2303.12570, section 2.2), found by the rare token sequences
// that both have. The most helpful one comes last. Takes a few milliseconds; any thread.
std::vector<Snippet> find_snippets(const IndexSnapshot& index, const Tokenizer& tokenizer,
                                   const SnippetQuery& query);

}  // namespace redraft
