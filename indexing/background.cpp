#include "indexing/background.h"

#include <malloc.h>
#include <sched.h>

namespace redraft {

void yield_to_others() {
  const sched_param none{};
  ::sched_setscheduler(0, SCHED_IDLE, &none);
}

void return_free_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace redraft
