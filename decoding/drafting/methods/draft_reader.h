#pragma once

#include <span>
#include <stop_token>
#include <utility>

#include "decoding/chunk_sizer.h"
#include "decoding/decoder.h"
#include "support/token.h"

namespace redraft {

// Lets the cache of a drafting model follow the context lazily: it reads tokens that were accepted
// without it in chunks when it next drafts.
class DraftReader {
 public:
  // `stop` is checked before every chunk.
  DraftReader(ModelSlot slot, std::stop_token stop) : slot_(slot), stop_(std::move(stop)) {}

  // Reads all of `context` (not empty, no longer than the cache's capacity) except a last chunk of
  // at least one token. False if stopped.
  bool catch_up(std::span<const TokenId> context);

 private:
  ModelSlot slot_;
  std::stop_token stop_;
  ChunkSizer chunks_;
};

}  // namespace redraft
