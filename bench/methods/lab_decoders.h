#pragma once

#include "decoding/decoder_definition.h"

namespace redraft {

// The decoders of the papers, each defined in the file of its method.
const DecoderDefinition& ouroboros_decoder();
const DecoderDefinition& selfspec_decoder();
const DecoderDefinition& prompt_lookup_decoder();
const DecoderDefinition& llma_decoder();
const DecoderDefinition& lookahead_decoder();
const DecoderDefinition& fastfixer_decoder();
const DecoderDefinition& copyspec_decoder();
const DecoderDefinition& copyspec_sd_decoder();
const DecoderDefinition& rest_decoder();
const DecoderDefinition& fastcoder_decoder();
const DecoderDefinition& efficientedit_decoder();

// Adds all of them to all_decoders(), once. Call it before the first decoder is named, while the
// process has one thread.
void register_lab_decoders();

}  // namespace redraft
