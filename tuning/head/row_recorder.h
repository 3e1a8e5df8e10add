#pragma once

#include <cstdint>
#include <span>

#include "decoding/language_model.h"
#include "tuning/head/row_writer.h"

namespace redraft {

// What a draft head can learn from a text: for each row of the target from the one before position
// `first` >= 1 on, what the row looks like after the captured layers, the text's token behind it,
// and the `tokens` after that, counted as long as each is the target's first choice on the text
// before it. So a text that the target did not write teaches the target's own continuations too.
// Rows without such a token are left out.
//
// `model` has had LayerCapture::capture_layers() with those layers. Runs it on all tokens before
// `first` in one go and on the others in chunks. Throws ModelFailure as forward() does.
TextRows record_rows(LanguageModel& model, std::span<const TokenId> text, int first, int tokens,
                     std::int32_t source);

}  // namespace redraft
