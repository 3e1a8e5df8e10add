#pragma once

namespace redraft {

// From now on, the calling thread runs only when the processor is otherwise idle. If the system
// refuses that, nothing changes.
void yield_to_others();

}  // namespace redraft
