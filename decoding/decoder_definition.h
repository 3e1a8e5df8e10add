#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/decoder.h"
#include "decoding/decoder_memory.h"
#include "decoding/decoder_option.h"
#include "decoding/phase.h"

namespace redraft {

// The inputs of the plan of one decode. All of them outlive the plan.
struct PlanInputs {
  const DecoderName& name;
  const DecoderOptions& options;  // options of the name
  const DecodeRequest& request;
  ModelSlot target;
  ModelSlot draft;  // empty unless needs_draft_model()
  const CostCurve& cost;
  DecoderMemory& memory;
  const std::stop_token& stop;
};

// One named way to decode. To add one, write a file with its definition and add a line to the
// table.
struct DecoderDefinition {
  std::string_view name;
  std::string_view summary;  // one line, for lists
  std::vector<DecoderOption> options = {};
  std::unique_ptr<PhasePlan> (*make_plan)(const PlanInputs&) = nullptr;
  // Checks which options go together. Each option is valid on its own.
  Result<void> (*check)(const DecoderOptions&) = [](const DecoderOptions&) -> Result<void> {
    return {};
  };
  // Checks that it can decode with this target and what is remembered for it.
  Result<void> (*fits)(const DecoderOptions&, LanguageModel& target, const DecoderMemory&) =
      [](const DecoderOptions&, LanguageModel&, const DecoderMemory&) -> Result<void> {
    return {};
  };
  bool (*lossless)(const DecoderOptions&) = [](const DecoderOptions&) { return true; };
  bool (*needs_draft_model)(const DecoderOptions&) = [](const DecoderOptions&) { return false; };
  bool needs_cost = false;       // plans by the cost of a pass, which takes a second to measure
  bool uses_datastores = false;  // drafts from the request's datastores if there are any
};

// Every decoder, the plain one first and the default last.
std::span<const DecoderDefinition* const> all_decoders();

// Adds a decoder from outside. `decoder` lives as long as the process; the name is not in use. Call
// it before the first decoder is named, while the process has one thread.
void register_decoder(const DecoderDefinition& decoder);

}  // namespace redraft
