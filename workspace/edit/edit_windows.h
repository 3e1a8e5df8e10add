#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "text/tokenizer.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/prompt.h"

namespace redraft {

// Lines [first, last) of a document.
struct LineWindow {
  int first = 0;
  int last = 0;
  friend bool operator==(const LineWindow&, const LineWindow&) = default;
};

// How to edit a file that does not fit the context together with its answer: part by part, each
// with the nearby lines and an outline of the rest around it.
struct EditWindows {
  std::vector<EditRegion> regions;  // together the whole file, in its order
  std::vector<int> tokens;          // of each
  std::size_t context_bytes = 0;    // shown around each
};

// `prompt` is that of the whole file. None if a line, or the instruction, is too long even for
// parts.
std::optional<EditWindows> edit_windows(const EditRegion& file, const EditPrompt& prompt,
                                        const Tokenizer& tokenizer, int context_length);

// Divides lines with these sizes into windows of at most `most` each, or of one line. A window ends
// in the second half of what would fit, at the last place with the best rank: `ranks`[i] says how
// good a cut before line i is.
std::vector<LineWindow> cut_windows(std::span<const int> sizes, std::span<const int> ranks,
                                    int most);

// Best are the beginnings and ends of the file's own definitions, then of nested definitions, then
// blank lines; any other place is 0.
std::vector<int> cut_ranks(const EditRegion& file);

}  // namespace redraft
