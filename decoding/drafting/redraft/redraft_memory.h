#pragma once

#include "decoding/cost_curve.h"
#include "decoding/decoder_memory.h"
#include "decoding/drafting/redraft/head_proposer.h"
#include "decoding/drafting/redraft/pass_pace.h"
#include "decoding/drafting/redraft/sources/source_memory.h"

namespace redraft {

// The state that the default decoder keeps from request to request.
struct RedraftMemory : DecoderMemory::State {
  explicit RedraftMemory(const CostCurve& cost) : pace(cost) {}

  SourceMemory sources;
  PassPace pace;
  HeadRecord head;
};

}  // namespace redraft
