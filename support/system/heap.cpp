#include "support/system/heap.h"

#include <malloc.h>

#include <limits>

namespace redraft {

std::size_t allocated_size(void* block) { return ::malloc_usable_size(block); }

void return_free_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

void keep_free_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace redraft
