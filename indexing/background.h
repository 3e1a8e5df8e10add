#pragma once

namespace redraft {

// The calling thread runs only where the processor has nothing else to do, from now on. Where the
// system refuses that, nothing changes.
void yield_to_others();

// Gives memory that was freed back to the system, which allocators keep after a large piece of
// work.
void return_free_memory();

}  // namespace redraft
