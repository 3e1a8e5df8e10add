#pragma once

namespace redraft::kernels {

// Whether `check` returns true in a child process. Also false if it ends that process, as
// instructions do that the processor or the system refuses. The child has only this thread.
bool holds_in_a_child(bool (*check)());

}  // namespace redraft::kernels
