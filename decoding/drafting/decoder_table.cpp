#include <array>

#include "decoding/drafting/methods/decoders.h"
#include "decoding/drafting/redraft/redraft_decoder.h"

namespace redraft {

std::span<const DecoderDefinition* const> all_decoders() {
  static const std::array kDecoders = {
      &plain_decoder(),     &model_decoder(),         &ouroboros_decoder(),   &selfspec_decoder(),
      &head_decoder(),      &prompt_lookup_decoder(), &llma_decoder(),        &lookahead_decoder(),
      &fastfixer_decoder(), &copyspec_decoder(),      &copyspec_sd_decoder(), &rest_decoder(),
      &fastcoder_decoder(), &efficientedit_decoder(), &redraft_decoder(),
  };
  return kDecoders;
}

}  // namespace redraft
