#include <iterator>
#include <vector>

#include "decoding/drafting/methods/decoders.h"
#include "decoding/drafting/redraft/redraft_decoder.h"

namespace redraft {
namespace {

std::vector<const DecoderDefinition*>& table() {
  static std::vector<const DecoderDefinition*> decoders = {&plain_decoder(), &model_decoder(),
                                                           &head_decoder(), &redraft_decoder()};
  return decoders;
}

}  // namespace

std::span<const DecoderDefinition* const> all_decoders() { return table(); }

void register_decoder(const DecoderDefinition& decoder) {
  table().insert(std::prev(table().end()), &decoder);
}

}  // namespace redraft
