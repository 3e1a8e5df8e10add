#pragma once

#include <cstdint>
#include <span>

#include "decoding/language_model.h"
#include "tuning/head/row_writer.h"

namespace redraft {

// Records what a draft head can learn from a text. Each row of the target, starting with the row
// before position `first` >= 1, gives its values after the captured layers, the text's next token,
// and the `tokens` tokens after that one. These count as long as each is the target's first choice
// after the text before it. So a text that the target did not write also teaches the target's own
// continuations. Rows without such a token are left out.
//
// `model` has had LayerCapture::capture_layers() with those layers. Runs it on all tokens before
// `first` at once, and on the others in chunks. Throws ModelFailure as forward() does.
TextRows record_rows(LanguageModel& model, std::span<const TokenId> text, int first, int tokens,
                     std::int32_t source);

}  // namespace redraft
