#pragma once

#include "decoding/cost_curve.h"
#include "decoding/decoder_memory.h"
#include "decoding/drafting/draft_memory.h"
#include "decoding/drafting/open_text.h"
#include "decoding/drafting/pass_pace.h"
#include "decoding/drafting/successor_table.h"

namespace redraft {

// What the default decoder keeps from request to request.
struct RedraftMemory : DecoderMemory::State {
  explicit RedraftMemory(const CostCurve& cost) : pace(cost) {}

  DraftMemory text;
  OpenText open;
  SuccessorTable successors;
  PassPace pace;
};

}  // namespace redraft
