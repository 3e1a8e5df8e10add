#pragma once

#include <vector>

#include "decoding/decoder_option.h"
#include "indexing/store/datastore.h"

namespace redraft {

// Options shared by the decoders that search a datastore: REST's constants.
struct RetrievalOptions {
  ContinuationQuery query;
  int nodes = 64;  // at most, in one draft

  static std::vector<DecoderOption> declared();
  static RetrievalOptions from(const DecoderOptions& options);
};

}  // namespace redraft
