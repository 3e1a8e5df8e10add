#pragma once

#include <cstddef>

namespace redraft {

// The bytes that the allocator keeps for `block`, of malloc() and its like: at least as many as
// were asked for. None for a null pointer.
std::size_t allocated_size(void* block);

// Returns freed memory to the system; allocators keep it after a large piece of work.
void return_free_memory();

}  // namespace redraft
