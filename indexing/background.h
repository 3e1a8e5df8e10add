#pragma once

namespace redraft {

// The calling thread runs only where the processor has nothing else to do, from now on. Where the
// system refuses that, nothing changes.
void yield_to_others();

}  // namespace redraft
