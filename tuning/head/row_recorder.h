#pragma once

#include <cstdint>
#include <span>

#include "decoding/language_model.h"
#include "tuning/head/row_writer.h"

namespace redraft {

// What a draft head can learn from a text. For each row of the target, from the one before position
// `first` >= 1 on: the row after the captured layers, the text's token after it, and the `tokens`
// tokens after that. Those are counted as long as each is the target's first choice on the text
// before it. So a text that the target did not write also teaches the target's own continuations.
// Rows without such a token are left out.
//
// `model` has had LayerCapture::capture_layers() with those layers. Runs it on all tokens before
// `first` in one go and on the others in chunks. Throws ModelFailure as forward() does.
TextRows record_rows(LanguageModel& model, std::span<const TokenId> text, int first, int tokens,
                     std::int32_t source);

}  // namespace redraft
