#pragma once

#include <cstddef>

namespace redraft {

// The number of bytes that the allocator reserves for `block`, which comes from malloc() or a
// similar function: at least as many as requested. 0 for a null pointer.
std::size_t allocated_size(void* block);

// Returns freed memory to the system; allocators keep it after a large piece of work.
void return_free_memory();

// From now on the allocator keeps freed memory, including large blocks, which it otherwise gets
// from the system again and again. For a process that needs the same blocks in every step.
void keep_free_memory();

}  // namespace redraft
