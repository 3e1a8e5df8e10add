#include "bench/methods/lab_decoders.h"

namespace redraft {

void register_lab_decoders() {
  static const bool kRegistered = [] {
    for (const DecoderDefinition* decoder :
         {&ouroboros_decoder(), &selfspec_decoder(), &prompt_lookup_decoder(), &llma_decoder(),
          &lookahead_decoder(), &fastfixer_decoder(), &copyspec_decoder(), &copyspec_sd_decoder(),
          &rest_decoder(), &fastcoder_decoder(), &efficientedit_decoder()})
      register_decoder(*decoder);
    return true;
  }();
  static_cast<void>(kRegistered);
}

}  // namespace redraft
