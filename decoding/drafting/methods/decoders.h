#pragma once

#include "decoding/decoder_definition.h"

namespace redraft {

// The decoders of the papers, each defined in the file of its method; all_decoders() lists them.
const DecoderDefinition& plain_decoder();
const DecoderDefinition& model_decoder();
const DecoderDefinition& ouroboros_decoder();
const DecoderDefinition& selfspec_decoder();
const DecoderDefinition& head_decoder();
const DecoderDefinition& prompt_lookup_decoder();
const DecoderDefinition& llma_decoder();
const DecoderDefinition& lookahead_decoder();
const DecoderDefinition& fastfixer_decoder();
const DecoderDefinition& copyspec_decoder();
const DecoderDefinition& copyspec_sd_decoder();
const DecoderDefinition& rest_decoder();
const DecoderDefinition& fastcoder_decoder();
const DecoderDefinition& efficientedit_decoder();

}  // namespace redraft
