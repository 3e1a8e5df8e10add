#pragma once

#include <cstdint>

#include "cuda/attention.h"
#include "cuda/layer.h"
#include "cuda/stream.h"

// What a pass means for its sequence, found out where its numbers are: which part of a draft stands
// and where its keys and values go, and the row of the next step of a model that writes by itself.
// Calls queue work on `stream` and return.
namespace redraft::cuda {

// Rows of a pass that accept_draft() takes.
inline constexpr int kMaxVerifiedRows = 1024;

// The strict rule's decision about a draft: what decoding/acceptance.h's accept() says.
struct Verdict {
  std::int32_t accepted;  // rows that stand, from the draft's root on
  std::int32_t in_place;  // of them, the first ones, whose slots are where they belong
  std::int32_t rows[kMaxVerifiedRows];  // that stand, ascending
};

// The rows of a pass, of which some are a draft's. Device memory, an int32 a row.
struct DraftRows {
  const std::int32_t* ids;
  const std::int32_t* best;  // what the model writes after each
  // The row whose `best` a row's id has to be; -1: it is no row of the draft.
  const std::int32_t* parents;
  const std::int32_t* slots;
  Paths paths;
};

// Copies slot `from` over slot `to` in all of `strips` strips of [slots, head_dim] halves, move by
// move. No move reads what an earlier one wrote.
struct SlotMove {
  std::int32_t from;
  std::int32_t to;
};
void move_slots(std::uint16_t* memory, int strips, int slots, int head_dim, const SlotMove* moves,
                int count, Stream stream);

// The longest path that stands; of equally long ones that of the earliest row.
void accept_draft(const DraftRows& draft, int rows, Verdict* verdict, Stream stream);

// Moves the rows that stand, in all of `strips` strips of [slots, head_dim] halves, to the slots
// behind the context, in their order.
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
// The row becomes that of `*token`, `by` places further on; the token is also put at `*written`.
void next_step(const std::int32_t* token, std::int32_t* written, const StepRow& row, int by,
               Stream stream);

}  // namespace redraft::cuda
