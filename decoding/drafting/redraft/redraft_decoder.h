#pragma once

#include "decoding/decoder_definition.h"

namespace redraft {

// The default decoder.
const DecoderDefinition& redraft_decoder();

}  // namespace redraft
