#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/store/index_snapshot.h"
#include "support/byte_range.h"
#include "text/tokenizer.h"
#include "workspace/documents/document.h"
#include "workspace/engine/engine.h"
#include "workspace/engine/prompt_size.h"
#include "workspace/snippets/snippets.h"

namespace redraft {

// How much of the text around the cursor, and of other files, a completion shows to the model.
struct CompletionBudget {
  std::size_t prefix_bytes = 6000;
  std::size_t suffix_bytes = 240;
  std::size_t snippet_tokens = 0;
};

// The budget for a prompt of about `context_tokens`; 0: PromptLimits::completion. At most `most`.
// Other files only get a share of a large budget. The text after the cursor always gets little,
// because it is read again after each keystroke.
CompletionBudget completion_budget(PromptSize size, int context_tokens,
                                   int most = std::numeric_limits<int>::max());

// The same for an engine and a completion of `new_tokens`, which has to fit in its context, too.
CompletionBudget completion_budget(const Engine& engine, PromptSize size, int context_tokens,
                                   int new_tokens);

// The part of a document that a completion shows to the model. It begins at a multiple of half the
// budget, so that after a keystroke the prompt begins like the previous one.
struct CompletionWindow {
  ByteRange prefix, suffix;
};
CompletionWindow completion_window(const Document& document, std::size_t offset,
                                   const CompletionBudget& budget);

// The line ending of the line at `offset`, or if it has none, of the line above; "\n" in a text of
// one line.
std::string_view line_ending_at(const Document& document, std::size_t offset);

// Where snippets are searched for.
struct SnippetPlace {
  std::shared_ptr<const Document> document;
  std::size_t offset = 0;
  std::vector<Snippet> recent = {};  // text around recent changes, the most recent first
  // The other open documents, which are searched if there is no index.
  std::vector<std::shared_ptr<const Document>> open = {};
};

// The place for the request at `now`: `last` (may be null) while the cursor moves little and the
// same documents are open. Snippets are at the beginning of a prompt, so any change to them
// invalidates the whole KV cache. The place is chosen in the order of requests, so that a prompt
// does not depend on which of them the model had time for.
std::shared_ptr<const SnippetPlace> steady_place(const std::shared_ptr<const SnippetPlace>& last,
                                                 SnippetPlace now);

// Searches for snippets, and remembers the last ones. One thread at a time.
class SteadySnippets {
 public:
  // Relevant text from other files, the most helpful last. Valid until the next call. `index` may
  // be null.
  const std::vector<Snippet>& at(const std::shared_ptr<const SnippetPlace>& place,
                                 const IndexSnapshot* index, std::size_t max_tokens,
                                 const Tokenizer& tokenizer);

 private:
  bool shows(const Snippet& snippet) const;

  std::shared_ptr<const SnippetPlace> place_;  // null: there was no search
  std::size_t max_tokens_ = 0;
  bool had_index_ = false;
  std::vector<Snippet> snippets_;
};

}  // namespace redraft
