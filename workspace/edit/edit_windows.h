#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "decoding/text/tokenizer.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/prompt.h"

namespace redraft {

// Lines [first, last) of a document.
struct LineWindow {
  int first = 0;
  int last = 0;
  friend bool operator==(const LineWindow&, const LineWindow&) = default;
};

// How a file is edited that does not fit the context together with its answer: one part after the
// other, each with what is near and the outline of the rest around it.
struct EditWindows {
  std::vector<EditRegion> regions;  // together the whole file, in its order
  std::vector<int> tokens;          // of each
  std::size_t context_bytes = 0;    // shown around each
};

// `prompt` is that of the whole file. None when a line, or the instruction, is too long even so.
std::optional<EditWindows> edit_windows(const EditRegion& file, const EditPrompt& prompt,
                                        const Tokenizer& tokenizer, int context_length);

// Cuts lines of these sizes into windows of at most `most` each, or of one line. Of the places in
// the further half of what would fit, a window ends at the last of the best `ranks`: [i] says how
// good it is to cut before line i.
std::vector<LineWindow> cut_windows(std::span<const int> sizes, std::span<const int> ranks,
                                    int most);

// The best are where definitions of the file itself begin and end, then those within others, then
// where a line is blank; anywhere else is 0.
std::vector<int> cut_ranks(const EditRegion& file);

}  // namespace redraft
