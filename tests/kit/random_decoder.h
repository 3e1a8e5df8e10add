#pragma once

#include <string>

#include "decoding/decoder_definition.h"
#include "tests/kit/lossless_case.h"

namespace redraft {

// The decoder's name with about a third of its options, at random; only valid and lossless
// combinations.
std::string random_decoder(Random& random, const DecoderDefinition& definition);

}  // namespace redraft
