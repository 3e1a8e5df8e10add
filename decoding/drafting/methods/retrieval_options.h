#pragma once

#include <vector>

#include "decoding/decoder_option.h"
#include "indexing/store/datastore.h"

namespace redraft {

// What decoders that search a datastore share: REST's constants.
struct RetrievalOptions {
  ContinuationQuery query;
  int nodes = 64;  // of one draft

  static std::vector<DecoderOption> declared();
  static RetrievalOptions from(const DecoderOptions& options);
};

}  // namespace redraft
