#include "support/system/heap.h"

#include <malloc.h>

namespace redraft {

std::size_t allocated_size(void* block) { return ::malloc_usable_size(block); }

void return_free_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace redraft
