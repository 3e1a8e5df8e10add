#pragma once

#include "decoding/decoder_definition.h"

namespace redraft {

// The plain decoder, and those whose sources `redraft` is built from, each defined in the file of
// its method. The laboratory registers more (bench/methods/lab_decoders.h).
const DecoderDefinition& plain_decoder();
const DecoderDefinition& model_decoder();
const DecoderDefinition& head_decoder();

}  // namespace redraft
