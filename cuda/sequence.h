#pragma once

#include <cstdint>

#include "cuda/attention.h"
#include "cuda/layer.h"
#include "cuda/stream.h"

// What a pass means for its sequence, computed on the device: which part of a draft is accepted and
// where its keys and values go, and the row of the next step of a model that writes without the
// host. Calls queue work on `stream` and return.
namespace redraft::cuda {

// The most rows of a pass that accept_draft() supports.
inline constexpr int kMaxVerifiedRows = 1024;

// The strict rule's decision about a draft: the result of accept() in decoding/acceptance.h.
struct Verdict {
  std::int32_t accepted;  // accepted rows, from the draft's root on
  std::int32_t in_place;  // how many of the first of these are already in the right slots
  std::int32_t rows[kMaxVerifiedRows];  // the accepted rows, ascending
};

// The rows of a pass, some of which are a draft's. Device memory, one int32 per row.
struct DraftRows {
  const std::int32_t* ids;
  const std::int32_t* best;  // what the model writes after each
  // The row whose `best` must equal this row's id; -1: not a row of the draft.
  const std::int32_t* parents;
  const std::int32_t* slots;
  Paths paths;
};

// Copies slot `from` over slot `to` in each of `strips` strips of [slots, head_dim] halves, move by
// move. No move reads what an earlier one wrote.
struct SlotMove {
  std::int32_t from;
  std::int32_t to;
};
void move_slots(std::uint16_t* memory, int strips, int slots, int head_dim, const SlotMove* moves,
                int count, Stream stream);

// The longest accepted path; of equally long ones, that of the earliest row.
void accept_draft(const DraftRows& draft, int rows, Verdict* verdict, Stream stream);

// Moves the accepted rows, in each of `strips` strips of [slots, head_dim] halves, to the slots
// after the context, in their order.
void move_accepted(std::uint16_t* memory, int strips, int slots, int head_dim,
                   const DraftRows& draft, const Verdict* verdict, Stream stream);

// The only row of a pass, for the next step.
struct StepRow {
  std::int32_t* id;
  std::int32_t* position;
  std::int32_t* slot;
  std::int32_t* length;
  std::int32_t* straight;
};
// Replaces the row by that of `*token`, `by` positions further on; also stores the token at
// `*written`.
void next_step(const std::int32_t* token, std::int32_t* written, const StepRow& row, int by,
               Stream stream);

}  // namespace redraft::cuda
