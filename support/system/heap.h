#pragma once

#include <cstddef>

namespace redraft {

// The bytes that the allocator keeps for `block`, of malloc() and its like: at least as many as
// were asked for. None for a null pointer.
std::size_t allocated_size(void* block);

// Returns freed memory to the system; allocators keep it after a large piece of work.
void return_free_memory();

// From now on the allocator keeps what is freed, also large pieces, which it otherwise gets from
// the system again and again: for a process that needs the same ones in every step.
void keep_free_memory();

}  // namespace redraft
