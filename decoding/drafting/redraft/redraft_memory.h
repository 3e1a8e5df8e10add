#pragma once

#include "decoding/cost_curve.h"
#include "decoding/decoder_memory.h"
#include "decoding/drafting/lookup/draft_memory.h"
#include "decoding/drafting/lookup/open_text.h"
#include "decoding/drafting/lookup/successor_table.h"
#include "decoding/drafting/redraft/pass_pace.h"

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
