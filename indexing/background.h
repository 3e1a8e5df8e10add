#pragma once

namespace redraft {

// From now on the calling thread runs only when the processor has nothing else to do. If the system
// refuses that, nothing changes.
void yield_to_others();

// Returns freed memory to the system; allocators keep it after a large piece of work.
void return_free_memory();

}  // namespace redraft
