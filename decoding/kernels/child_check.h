#pragma once

namespace redraft::kernels {

// Whether `check` returns true in a child process; false too where it ends that process, as
// instructions do that the processor or the system refuses. The child has this thread alone.
bool holds_in_a_child(bool (*check)());

}  // namespace redraft::kernels
