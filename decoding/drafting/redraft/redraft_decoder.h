#pragma once

#include "decoding/decoder_definition.h"

namespace redraft {

// The default.
const DecoderDefinition& redraft_decoder();

}  // namespace redraft
