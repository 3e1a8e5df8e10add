#pragma once

#include "decoding/decoder_definition.h"

namespace redraft {

// Each defined in the file of its method, listed by all_decoders().
const DecoderDefinition& plain_decoder();
const DecoderDefinition& model_decoder();
const DecoderDefinition& prompt_lookup_decoder();
const DecoderDefinition& fastfixer_decoder();
const DecoderDefinition& copyspec_decoder();
const DecoderDefinition& copyspec_sd_decoder();
const DecoderDefinition& rest_decoder();
const DecoderDefinition& fastcoder_decoder();
const DecoderDefinition& efficientedit_decoder();
const DecoderDefinition& redraft_decoder();

}  // namespace redraft
