#pragma once

namespace redraft::kernels {

// Whether `check` returns true in a child process. Also false if the check kills that process, as
// an instruction does that the processor or the system rejects. The child has only this thread.
bool holds_in_a_child(bool (*check)());

}  // namespace redraft::kernels
