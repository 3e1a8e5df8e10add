#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/text/tokenizer.h"
#include "indexing/store/index_snapshot.h"
#include "support/byte_range.h"
#include "workspace/completion/snippets.h"
#include "workspace/documents/document.h"

namespace redraft {

// How much of the text around a place, and of other files, a completion shows the model.
struct CompletionBudget {
  std::size_t prefix_bytes = 6000;
  std::size_t suffix_bytes = 240;
  std::size_t snippet_tokens = 0;
};

// For a prompt of about `context_tokens`; 0: of as many as are read in a few seconds when nothing
// of them is in a cache, by `cost`. Other files get a share only where there is plenty; what
// follows the place always little, because it is read again after each keystroke.
CompletionBudget completion_budget(const CostCurve& cost, int context_tokens);

// What of a document a completion shows the model. Its beginning moves in steps of half the budget,
// so that after a keystroke the prompt begins as the one before.
struct CompletionWindow {
  ByteRange prefix, suffix;
};
CompletionWindow completion_window(const Document& document, std::size_t offset,
                                   const CompletionBudget& budget);

// As the model reads it: lines end with "\n".
std::string with_newlines(std::string_view text);
// The ending of the line at `offset`, or where it has none of the line above; "\n" in a text of one
// line.
std::string_view line_ending_at(const Document& document, std::size_t offset);

// Snippets for one place after the other. They stand at the beginning of a prompt, and a change of
// theirs costs all of it: so they stay while the place moves little. One thread at a time.
class SteadySnippets {
 public:
  struct Query {
    const Document* document;
    std::size_t offset = 0;
    const IndexSnapshot* index = nullptr;          // may be null
    const std::vector<Snippet>* recent = nullptr;  // of places that changed lately; may be null
    std::size_t max_tokens = 0;
  };
  // What other files say about the place, the most helpful last. Valid until the next call.
  const std::vector<Snippet>& at(const Query& query, const Tokenizer& tokenizer);

 private:
  std::string uri_;
  int line_ = 0;
  std::size_t max_tokens_ = 0;
  bool had_index_ = false;
  std::vector<Snippet> snippets_;
};

}  // namespace redraft
